// ByteSource: the decompressed content of a file as a stream of bytes.
//
// gzip (several members) and zstd (several frames) are recognised by their magic numbers; a stream
// that ends inside one is an error. Sources are independent: open as many on a file as needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "fathom/io/input_file.hpp"

namespace fathom::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `out`; gives fewer bytes only where the content ends.
  virtual std::size_t read(std::span<std::byte> out) = 0;
  /// Bytes of the (compressed) file used so far.
  virtual std::uint64_t consumed() const = 0;
  /// Passes over `bytes` bytes; returns how many there were.
  virtual std::uint64_t skip(std::uint64_t bytes);
  /// No more bytes than this are left; for buffers that small content does not need.
  virtual std::uint64_t most_left() const { return ~std::uint64_t{0}; }
};

struct OpenedFile {
  std::unique_ptr<ByteSource> content;
  std::string compression;  // "", "gzip" or "zstd"
  std::uint64_t bytes;      // on disk
};

/// @throws Error(Io), also for what is not a regular file: open_input() makes one of it.
OpenedFile open_file(const InputFile& file);

/// Opens the content from byte `offset` on (a compressed file is decompressed up to there).
std::unique_ptr<ByteSource> open_bytes(const InputFile& file, std::uint64_t offset = 0);

/// The first `bytes` bytes of `input`.
std::unique_ptr<ByteSource> limit(std::unique_ptr<ByteSource> input, std::uint64_t bytes);

/// Raw deflate data, as inside a zip file, decompressed. `path` is for messages.
std::unique_ptr<ByteSource> inflate_raw(std::unique_ptr<ByteSource> input, const std::string& path);

}  // namespace fathom::io
