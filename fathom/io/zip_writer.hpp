// Zip archives of stored members, written from front to back: sizes and checksums follow a member
// and stand in the directory (PKWARE APPNOTE 6.3, zip64 where sizes need it).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/io/byte_sink.hpp"

namespace fathom::io {

class FATHOM_API ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}

  /// A member of `bytes` bytes, all of which write() appends before end() is called.
  void begin(std::string_view name, std::uint64_t bytes);
  void write(std::span<const std::byte> bytes);
  void end();
  /// The directory. The sink is the caller's to finish.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t bytes, at;
    std::uint32_t crc;
  };
  void put(const std::string& record);

  ByteSink& sink_;
  std::vector<Member> members_;
  std::uint64_t written_ = 0;
};

}  // namespace fathom::io
