// AtomicFile: a file that appears under its name only when it is whole.
//
// Bytes go to a file without a name in the target's directory; commit() makes them durable and
// links them under the name. A process that is killed leaves nothing, with two exceptions:
//
// - Nothing can be linked over a file that is there: the new one gets a temporary name, which
//   replaces the old one. Killed between the two, a process leaves the temporary name.
// - Where the file system has no files without names (or there is no /proc to link them by), bytes
//   go to a file under a temporary name from the beginning; and so does what several processes
//   write together.
//
// The next AtomicFile for the same target removes what was left so. Invariant: a temporary name
// "<.target>.tmp-RRRRRRRRCCCCCCCC" carries a check C of the target's name and the random R, and its
// file is locked (flock) by the process that made it, from before it has the name until it has
// another. A name whose check fails, or whose file is locked, linked elsewhere or another user's,
// is not touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "fathom/core/platform.hpp"
#include "fathom/core/temp_file.hpp"

namespace fathom {

class FATHOM_API AtomicFile {
 public:
  /// An existing regular file at `path` stays until commit(), and passes its permissions on (and
  /// its owner, where that is allowed); a symbolic link stays, what it points to is written.
  /// @throws Error(Usage) when `path` exists and is not a regular file (a directory, /dev/null), or
  ///         leads to one that a process has open (/dev/stdout);
  ///         Error(Io).
  explicit AtomicFile(std::string path) : AtomicFile(std::move(path), false) {}
  /// For a file that other processes help to write: until commit() it is to be found as
  /// temporary(). They write it at places of their own, and have synchronised it before commit().
  struct Named {};
  AtomicFile(std::string path, Named) : AtomicFile(std::move(path), true) {}
  /// For what is written like a file that appears, and only read back: commit() names nothing.
  /// `path` is for messages; `file` has to live longer.
  AtomicFile(TempFile& file, const std::string& path);
  /// Without commit(): nothing is left.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept { swap(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept {
    AtomicFile(std::move(other)).swap(*this);
    return *this;
  }

  const std::string& path() const { return path_; }
  /// Where the file will be: the place for what else is needed until then.
  std::string directory() const { return directory_of(target_); }
  /// The name it has meanwhile; empty: none.
  const std::string& temporary() const { return temporary_; }
  /// Bytes appended by write() so far.
  std::uint64_t size() const { return size_; }

  /// Appends. Unbuffered. @throws Error(Io), e.g. when the disk is full.
  void write(std::span<const std::byte> bytes);
  /// Writes at a position without moving the end that write() appends to. Thread-safe.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Reads back what was written. Thread-safe. @throws Error(Io).
  void read_at(std::uint64_t offset, std::span<std::byte> into) const;
  /// Makes the content durable, then visible under path(). At most once.
  void commit();

 private:
  AtomicFile(std::string path, bool named);
  void swap(AtomicFile& other) noexcept;
  bool open_named(unsigned mode);
  void take_over(unsigned mode, unsigned owner, unsigned group);
  bool link_as(const std::string& name);

  std::string path_;       // as given, for messages
  std::string target_;     // where path_ leads to
  std::string temporary_;  // the name to remove when it is not committed; empty: there is none
  int descriptor_ = -1;
  bool owned_ = true;  // the descriptor, and a name to come
  std::uint64_t size_ = 0;
};

}  // namespace fathom
