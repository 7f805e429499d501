#include "fathom/io/formats/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "fathom/io/formats/detect.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::io {
namespace {

constexpr std::string_view kMemberMagic("PK\x03\x04", 4), kDirectoryMagic("PK\x01\x02", 4),
    kEndMagic("PK\x05\x06", 4), kEnd64Magic("PK\x06\x06", 4), kLocatorMagic("PK\x06\x07", 4);

/// A stretch of an archive in memory, read by position.
class Bytes {
 public:
  Bytes(const InputFile& file, std::uint64_t offset, std::uint64_t size)
      : path_(file.name), offset_(offset), data_(static_cast<std::size_t>(size), '\0') {
    const std::size_t n = open_bytes(file, offset)->read(std::as_writable_bytes(std::span(data_)));
    if (n < data_.size()) fail(n, "more of a zip archive", "the end of the file");
  }

  template <class T>
  T at(std::size_t position) const {
    T value;
    std::memcpy(&value, view(position, sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view view(std::size_t position, std::size_t size) const {
    if (position > data_.size() || size > data_.size() - position)
      fail(data_.size(), "more of a zip record", "its end");
    return std::string_view(data_).substr(position, size);
  }
  bool is(std::size_t position, std::string_view magic) const {
    return std::string_view(data_).substr(std::min(position, data_.size()), 4) == magic;
  }
  std::size_t last(std::string_view magic) const { return data_.rfind(magic); }
  std::size_t size() const { return data_.size(); }
  [[noreturn]] void fail(std::size_t position, const std::string& expected,
                         const std::string& found) const {
    fail_byte(path_, offset_ + position, expected, found);
  }

 private:
  std::string path_;
  std::uint64_t offset_;
  std::string data_;
};

struct Directory {
  std::uint64_t at = 0, bytes = 0, members = 0;
};

Directory find_directory(const InputFile& file, std::uint64_t size) {
  constexpr std::uint64_t kEndBytes = 22, kLongestComment = 65535, kLocatorBytes = 20,
                          kEnd64Bytes = 56;
  const std::uint64_t tail_bytes = std::min(size, kEndBytes + kLongestComment + kLocatorBytes);
  const Bytes tail(file, size - tail_bytes, tail_bytes);
  const std::size_t end = tail.last(kEndMagic);
  if (end == std::string::npos)
    tail.fail(tail.size(), "the directory of a zip archive", "the end of the file");
  Directory directory{tail.at<std::uint32_t>(end + 16), tail.at<std::uint32_t>(end + 12),
                      tail.at<std::uint16_t>(end + 10)};
  if (end >= kLocatorBytes && tail.is(end - kLocatorBytes, kLocatorMagic)) {
    const auto at = tail.at<std::uint64_t>(end - kLocatorBytes + 8);
    if (at > size || size - at < kEnd64Bytes)
      tail.fail(end, "the position of a zip64 directory", std::to_string(at));
    const Bytes record(file, at, kEnd64Bytes);
    if (!record.is(0, kEnd64Magic)) record.fail(0, "a zip64 directory", "something else");
    directory = {record.at<std::uint64_t>(48), record.at<std::uint64_t>(40),
                 record.at<std::uint64_t>(32)};
  }
  if (directory.at > size || directory.bytes > size - directory.at)
    tail.fail(end, "the position of the zip directory", std::to_string(directory.at));
  return directory;
}

/// Fields of all ones are in the zip64 extra record, in this order.
void apply_zip64(std::span<std::uint64_t* const> fields, const Bytes& bytes, std::size_t at,
                 std::size_t size) {
  constexpr std::uint16_t kZip64 = 1;
  const std::size_t end = at + size;
  while (at + 4 <= end) {
    const auto id = bytes.at<std::uint16_t>(at);
    const auto length = bytes.at<std::uint16_t>(at + 2);
    std::size_t value = at + 4;
    for (std::uint64_t* const field : fields) {
      if (id != kZip64 || *field != 0xffffffff) continue;
      *field = bytes.at<std::uint64_t>(value);
      value += 8;
    }
    at += std::size_t{4} + length;
  }
}

/// Checks what was read of a member against the directory.
class MemberSource final : public ByteSource {
 public:
  MemberSource(std::string path, const ZipMember& member, std::unique_ptr<ByteSource> content)
      : path_(std::move(path)), member_(member), content_(std::move(content)) {}

  std::size_t read(std::span<std::byte> out) override {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), member_.bytes - done_));
    const std::size_t n = content_->read(out.first(wanted));
    done_ += n;
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(out.data()), n);
    if (n < wanted)
      fail_byte(path_, member_.header_at,
                fmt::format("{} bytes in member {}", member_.bytes, in_quotes(member_.name)),
                std::to_string(done_));
    if (done_ == member_.bytes && crc_ != member_.crc)
      fail_byte(path_, member_.header_at,
                fmt::format("checksum {:08x} of member {}", member_.crc, in_quotes(member_.name)),
                fmt::format("{:08x}", crc_));
    return n;
  }
  std::uint64_t consumed() const override { return content_->consumed(); }

 private:
  std::string path_;
  ZipMember member_;
  std::unique_ptr<ByteSource> content_;
  std::uint64_t done_ = 0;
  uLong crc_ = crc32_z(0, nullptr, 0);
};

}  // namespace

bool looks_like_zip(const Head& head) {
  const std::string_view magic = std::string_view(head.content).substr(0, 4);
  return magic == kMemberMagic || magic == kEndMagic;
}

std::vector<ZipMember> read_zip_directory(const InputFile& file, std::uint64_t size) {
  constexpr std::uint64_t kLargestDirectory = std::uint64_t{1} << 20;
  constexpr std::size_t kEntryBytes = 46;
  constexpr std::uint16_t kEncrypted = 1, kStored = 0, kDeflated = 8;
  const Directory directory = find_directory(file, size);
  if (directory.bytes > kLargestDirectory)
    fail_file(file.name, fmt::format("expected a zip archive with a few members, found {}",
                                     directory.members));
  const Bytes bytes(file, directory.at, directory.bytes);
  std::vector<ZipMember> members;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (!bytes.is(at, kDirectoryMagic)) bytes.fail(at, "an entry of a zip directory", "none");
    const auto flags = bytes.at<std::uint16_t>(at + 8), method = bytes.at<std::uint16_t>(at + 10);
    const std::size_t name = bytes.at<std::uint16_t>(at + 28),
                      extra = bytes.at<std::uint16_t>(at + 30),
                      comment = bytes.at<std::uint16_t>(at + 32);
    ZipMember member;
    member.name = bytes.view(at + kEntryBytes, name);
    if (flags & kEncrypted) bytes.fail(at, "an unencrypted member", in_quotes(member.name));
    if (method != kStored && method != kDeflated)
      bytes.fail(at, "a stored or deflated member", fmt::format("compression method {}", method));
    member.deflated = method == kDeflated;
    member.crc = bytes.at<std::uint32_t>(at + 16);
    member.packed_bytes = bytes.at<std::uint32_t>(at + 20);
    member.bytes = bytes.at<std::uint32_t>(at + 24);
    member.header_at = bytes.at<std::uint32_t>(at + 42);
    apply_zip64(std::array{&member.bytes, &member.packed_bytes, &member.header_at}, bytes,
                at + kEntryBytes + name, extra);
    members.push_back(std::move(member));
    at += kEntryBytes + name + extra + comment;
  }
  return members;
}

std::unique_ptr<ByteSource> open_member(const InputFile& file, const ZipMember& member) {
  constexpr std::uint64_t kHeaderBytes = 30;
  const Bytes header(file, member.header_at, kHeaderBytes);
  if (!header.is(0, kMemberMagic)) header.fail(0, "a zip member", "something else");
  const std::uint64_t data_at =
      member.header_at + kHeaderBytes + header.at<std::uint16_t>(26) + header.at<std::uint16_t>(28);
  std::unique_ptr<ByteSource> content = limit(open_bytes(file, data_at), member.packed_bytes);
  if (member.deflated) content = inflate_raw(std::move(content), file.name);
  return std::make_unique<MemberSource>(file.name, member, std::move(content));
}

}  // namespace fathom::io
