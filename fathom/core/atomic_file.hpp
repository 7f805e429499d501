// AtomicFile: a file that appears under its name only when it is whole.
//
// Bytes go to ".<name>.tmp-<random>" in the same directory; commit() makes them durable and
// renames. A killed process can leave such a file behind, but never one that looks finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fathom/core/platform.hpp"

namespace fathom {

class FATHOM_API AtomicFile {
 public:
  /// Creates the temporary file. An existing regular file at `path` stays until commit().
  /// @throws Error(Usage) when `path` exists and is not a regular file (a directory, /dev/null);
  ///         Error(Io).
  explicit AtomicFile(std::string path);
  /// Removes the temporary file unless commit() has succeeded.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_; }
  /// For positional, direct or ring I/O by the owner; stays owned by this object. Readable too.
  int descriptor() const { return descriptor_; }
  /// Bytes appended by write() so far.
  std::uint64_t size() const { return size_; }

  /// Appends. Unbuffered. @throws Error(Io), e.g. when the disk is full.
  void write(std::span<const std::byte> bytes);
  /// Writes at a position without moving the end that write() appends to. Thread-safe.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Makes the content durable, then visible under path(). At most once.
  void commit();

 private:
  std::string path_, temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace fathom
