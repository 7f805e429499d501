// ByteSink: where written bytes go, a file or a stream, plain or compressed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fathom/core/platform.hpp"

namespace fathom::io {

enum class Compression { None, Gzip, Zstd };

class FATHOM_API ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Appends. Unbuffered. @throws Error(Io).
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// Everything was written: a file appears under its name. Once; without it nothing is left.
  virtual void finish() = 0;
};

/// A file that appears when it is whole (core/atomic_file.hpp). @throws Error(Usage), Error(Io).
FATHOM_API std::unique_ptr<ByteSink> open_sink(const std::string& path);

/// Compresses what is written on its way into `to`.
FATHOM_API std::unique_ptr<ByteSink> compress(std::unique_ptr<ByteSink> to, Compression kind);

/// What a name's last suffix says: .gz, .zst or neither; and the name without it.
struct CompressedName {
  Compression compression = Compression::None;
  std::string_view rest;
};
FATHOM_API CompressedName compression_of(std::string_view path);

/// Collects bytes and hands them on in large pieces.
class SinkBuffer {
 public:
  explicit SinkBuffer(ByteSink& sink) : sink_(sink) {}
  /// What to append to; then call flush_if_full().
  std::string& buffer() { return buffer_; }
  void flush_if_full() {
    if (buffer_.size() >= kFull) flush();
  }
  void flush() {
    sink_.write(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 20;
  ByteSink& sink_;
  std::string buffer_;
};

}  // namespace fathom::io
