// Files without a name: a process that ends, however it ends, leaves nothing behind.
//
// They stay nameless (TempFile), or get a name when they are whole (core/atomic_file.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

/// The directory in which a path's last part lies.
FATHOM_API std::string directory_of(const std::string& path);

/// Opens a file without a name for reading and writing; -1 and errno where the file system has no
/// such files, or refuses.
int open_nameless(const std::string& directory, unsigned mode);

/// All of the bytes, whatever the operating system takes or gives at a time. Errors name `path`.
/// @throws Error(Io), e.g. when the disk is full, or the file ends before.
void write_fully(int descriptor, const std::string& path, std::uint64_t offset,
                 std::span<const std::byte> bytes);
void read_fully(int descriptor, const std::string& path, std::uint64_t offset,
                std::span<std::byte> into);
/// Until the file ends; how many bytes that were.
std::size_t read_available(int descriptor, const std::string& path, std::uint64_t offset,
                           std::span<std::byte> into);

class FATHOM_API TempFile {
 public:
  /// A file in the directory asked for; empty: $TMPDIR or /tmp. @throws Error(Io)
  explicit TempFile(const std::string& asked);
  /// A file in memory alone. @throws Error(Io)
  static TempFile in_memory();
  ~TempFile();
  TempFile(TempFile&& other) noexcept { swap(other); }
  TempFile& operator=(TempFile&& other) noexcept {
    TempFile(std::move(other)).swap(*this);
    return *this;
  }

  std::uint64_t size() const { return size_; }
  /// Stays owned by this object.
  int descriptor() const { return descriptor_; }
  /// @throws Error(Io), e.g. when the disk is full.
  void append(std::span<const std::byte> bytes);
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> into) const;

  void swap(TempFile& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
  }

 private:
  TempFile() = default;

  std::string name_;  // for messages
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Collects records and appends them to a file in large pieces. Call flush() at the end.
template <class T>
class TempWriter {
 public:
  explicit TempWriter(TempFile& file, std::size_t buffer_bytes = std::size_t{1} << 18)
      : file_(&file), capacity_(std::max<std::size_t>(1, buffer_bytes / sizeof(T))) {
    buffer_.reserve(capacity_);
  }
  void push(const T& record) {
    if (buffer_.size() == capacity_) flush();
    buffer_.push_back(record);
  }
  void push(std::span<const T> records) {
    for (const T& r : records) push(r);
  }
  void flush() {
    file_->append(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
  }

 private:
  TempFile* file_;
  std::size_t capacity_;
  std::vector<T> buffer_;
};

/// Reads `count` records from byte `offset` on, in large pieces.
template <class T>
class TempReader {
 public:
  TempReader(const TempFile& file, std::uint64_t offset, std::uint64_t count,
             std::size_t buffer_bytes = std::size_t{1} << 18)
      : file_(&file),
        offset_(offset),
        left_(count),
        capacity_(std::max<std::size_t>(1, buffer_bytes / sizeof(T))) {}

  /// The next piece; empty at the end. Valid until the next call.
  std::span<const T> next() {
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left_, capacity_)));
    file_->read_at(offset_, std::as_writable_bytes(std::span(buffer_)));
    offset_ += buffer_.size() * sizeof(T);
    left_ -= buffer_.size();
    return buffer_;
  }

 private:
  const TempFile* file_;
  std::uint64_t offset_, left_;
  std::size_t capacity_;
  std::vector<T> buffer_;
};

}  // namespace fathom
