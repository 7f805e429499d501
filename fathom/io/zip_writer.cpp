#include "fathom/io/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "fathom/core/error.hpp"

namespace fathom::io {
namespace {

constexpr std::uint64_t kAllOnes = 0xffffffff;  // the number stands in the zip64 record
constexpr std::uint16_t kVersion = 20, kVersion64 = 45;
constexpr std::uint16_t kSizesFollow = 1 << 3, kStored = 0, kZip64 = 1;
constexpr std::uint16_t kMidnight = 0, kFirstDay = 1 << 5 | 1;  // of 1980, when time begins here

std::uint32_t low(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min(number, kAllOnes));
}

/// Numbers one after the other, little endian.
class Record {
 public:
  explicit Record(std::string_view magic) : bytes_(magic) {}
  template <class T>
  Record& operator<<(T number) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * i & 0xff);
    return *this;
  }
  Record& operator<<(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

void ZipWriter::put(const std::string& record) {
  sink_.write(std::as_bytes(std::span(record)));
  written_ += record.size();
}

void ZipWriter::begin(std::string_view name, std::uint64_t bytes) {
  const bool is_large = bytes >= kAllOnes;
  members_.push_back(
      {std::string(name), bytes, written_, static_cast<std::uint32_t>(crc32_z(0, nullptr, 0))});
  Record header("PK\x03\x04");
  const std::uint32_t size = is_large ? low(kAllOnes) : 0;
  header << (is_large ? kVersion64 : kVersion) << kSizesFollow << kStored << kMidnight << kFirstDay
         << std::uint32_t{0} << size << size << static_cast<std::uint16_t>(name.size())
         << static_cast<std::uint16_t>(is_large ? 20 : 0) << members_.back().name;
  if (is_large) header << kZip64 << std::uint16_t{16} << std::uint64_t{0} << std::uint64_t{0};
  put(header.bytes());
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  Member& member = members_.back();
  member.crc = static_cast<std::uint32_t>(
      crc32_z(member.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  sink_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::end() {
  const Member& member = members_.back();
  Record sizes("PK\x07\x08");
  sizes << member.crc;
  if (member.bytes >= kAllOnes)
    sizes << member.bytes << member.bytes;
  else
    sizes << low(member.bytes) << low(member.bytes);
  put(sizes.bytes());
}

void ZipWriter::finish() {
  const std::uint64_t directory = written_;
  for (const Member& member : members_) {
    Record extra("");
    if (member.bytes >= kAllOnes) extra << member.bytes << member.bytes;
    if (member.at >= kAllOnes) extra << member.at;
    const auto extra_bytes = static_cast<std::uint16_t>(extra.bytes().size());
    const std::uint16_t version = extra_bytes > 0 ? kVersion64 : kVersion;
    Record entry("PK\x01\x02");
    entry << version << version << kSizesFollow << kStored << kMidnight << kFirstDay << member.crc
          << low(member.bytes) << low(member.bytes)
          << static_cast<std::uint16_t>(member.name.size())
          << static_cast<std::uint16_t>(extra_bytes > 0 ? extra_bytes + 4 : 0) << std::uint16_t{0}
          << std::uint16_t{0} << std::uint16_t{0} << std::uint32_t{0} << low(member.at)
          << member.name;
    if (extra_bytes > 0) entry << kZip64 << extra_bytes << extra.bytes();
    put(entry.bytes());
  }
  const std::uint64_t end = written_, bytes = end - directory;
  const auto count = static_cast<std::uint16_t>(members_.size());
  if (directory >= kAllOnes) {
    Record record("PK\x06\x06");
    record << std::uint64_t{44} << kVersion64 << kVersion64 << std::uint32_t{0} << std::uint32_t{0}
           << std::uint64_t{count} << std::uint64_t{count} << bytes << directory;
    put(record.bytes());
    Record locator("PK\x06\x07");
    locator << std::uint32_t{0} << end << std::uint32_t{1};
    put(locator.bytes());
  }
  Record last("PK\x05\x06");
  last << std::uint16_t{0} << std::uint16_t{0} << count << count << low(bytes) << low(directory)
       << std::uint16_t{0};
  put(last.bytes());
}

}  // namespace fathom::io
