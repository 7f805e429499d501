// A text file as a standard stream, compressed or not.
#pragma once

#include <array>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>

#include "fathom/io/byte_source.hpp"

namespace fathom::io {

/// Reads through a ByteSource; what that throws comes out of the stream's functions.
class UnpackedStream final : public std::istream {
 public:
  /// @throws Error(Io).
  explicit UnpackedStream(const std::string& path) : std::istream(nullptr), buffer_(path) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);  // has what a buffer throws come out
  }

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(const std::string& path) : content_(open_bytes(open_input(path, {}))) {}

   protected:
    int_type underflow() override {
      const std::size_t got = content_->read(std::as_writable_bytes(std::span(bytes_)));
      if (got == 0) return traits_type::eof();
      setg(bytes_.data(), bytes_.data(), bytes_.data() + got);
      return traits_type::to_int_type(bytes_[0]);
    }

   private:
    std::unique_ptr<ByteSource> content_;
    std::array<char, std::size_t{1} << 16> bytes_;
  };

  Buffer buffer_;
};

}  // namespace fathom::io
