#include "fathom/dynamic/log/log_format.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>

#include "fathom/core/error.hpp"

namespace fathom::dynamic {
namespace {

constexpr unsigned char kLogMagic[8] = {0x89, 'F', 'W', 0x0d, 0x0a, 0x1a, 0x0a, 0};
constexpr std::uint32_t kLogVersion = 1;

constexpr std::uint32_t kDirectedFlag = 1, kWeightedFlag = 2, kSemanticFlag = 4, kStringsFlag = 8;
constexpr std::uint32_t kAllFlags = 15;

struct DiskLogHeader {
  unsigned char magic[8];
  std::uint32_t version, flags, duplicates, reserved;
  std::uint64_t run, graph, base, sequence, line, lines_hash, sum;
};
static_assert(sizeof(DiskLogHeader) == kLogHeaderBytes);

struct DiskFrame {
  std::uint32_t kind, reserved;
  std::uint64_t sequence, bytes, sum;
};
static_assert(sizeof(DiskFrame) == kFrameBytes);

std::uint32_t flags_of(const LogKind& kind) {
  return (kind.directed ? kDirectedFlag : 0) |
         (kind.edges != EdgeKind::Simple ? kWeightedFlag : 0) |
         (kind.edges == EdgeKind::Semantic ? kSemanticFlag : 0) | (kind.strings ? kStringsFlag : 0);
}

std::uint64_t sum_of(const DiskLogHeader& header) {
  return XXH3_64bits(&header, sizeof header - sizeof header.sum);
}

[[noreturn]] void refuse_log(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::BadInput, path + ": " + what);
}

}  // namespace

void UpdatePosition::add(std::string_view text) {
  ++line;
  hash = XXH3_64bits_withSeed(text.data(), text.size(), hash);
}

LogHeaderBytes encoded(const LogHeader& header) {
  DiskLogHeader disk{};
  std::memcpy(disk.magic, kLogMagic, sizeof disk.magic);
  disk.version = kLogVersion;
  disk.flags = flags_of(header.kind);
  disk.duplicates = static_cast<std::uint32_t>(header.kind.duplicates);
  disk.run = header.run;
  disk.graph = header.graph;
  disk.base = header.base;
  disk.sequence = header.sequence;
  disk.line = header.position.line;
  disk.lines_hash = header.position.hash;
  disk.sum = sum_of(disk);
  LogHeaderBytes bytes;
  std::memcpy(bytes.data(), &disk, sizeof disk);
  return bytes;
}

LogHeader decoded_log_header(const std::string& path, std::span<const std::byte> bytes) {
  DiskLogHeader disk{};
  if (bytes.size() < sizeof disk.magic ||
      std::memcmp(bytes.data(), kLogMagic, sizeof disk.magic) != 0)
    refuse_log(path, "not a log of updates (the first 8 bytes are not its signature)");
  if (bytes.size() < sizeof disk)
    refuse_log(path, fmt::format("truncated: the header of a log is {} bytes, the file has {}",
                                 sizeof disk, bytes.size()));
  std::memcpy(&disk, bytes.data(), sizeof disk);
  if (disk.version > kLogVersion)
    refuse_log(path, fmt::format("written by a newer Fathom: format {} of logs, this program reads "
                                 "up to {}",
                                 disk.version, kLogVersion));
  if (disk.sum != sum_of(disk))
    refuse_log(path, fmt::format("header: bytes 0 to {} do not match their checksum",
                                 sizeof disk - sizeof disk.sum - 1));
  const bool semantic = (disk.flags & kSemanticFlag) != 0,
             weighted = (disk.flags & kWeightedFlag) != 0;
  constexpr auto kMostDuplicates = static_cast<std::uint32_t>(DuplicatePolicy::Keep);
  if (disk.version == 0 || (disk.flags & ~kAllFlags) != 0 || (semantic && !weighted) ||
      disk.duplicates > kMostDuplicates || disk.reserved != 0)
    refuse_log(path, "header: it contradicts itself");
  LogHeader header;
  header.kind.directed = (disk.flags & kDirectedFlag) != 0;
  header.kind.edges = semantic   ? EdgeKind::Semantic
                      : weighted ? EdgeKind::Weighted
                                 : EdgeKind::Simple;
  header.kind.strings = (disk.flags & kStringsFlag) != 0;
  header.kind.duplicates = static_cast<DuplicatePolicy>(disk.duplicates);
  header.run = disk.run;
  header.graph = disk.graph;
  header.base = disk.base;
  header.sequence = disk.sequence;
  header.position = {disk.line, disk.lines_hash};
  return header;
}

std::uint64_t Frame::bytes() const {
  return kFrameBytes + (kind == FrameKind::Batch ? payload_bytes + kSumBytes : 0);
}

std::uint64_t frame_sum(std::uint64_t run, std::uint64_t offset, std::span<const std::byte> bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), run + offset);
}

FrameBytes encoded(const Frame& frame, std::uint64_t run, std::uint64_t offset) {
  DiskFrame disk{static_cast<std::uint32_t>(frame.kind), 0, frame.sequence, frame.payload_bytes, 0};
  FrameBytes bytes;
  std::memcpy(bytes.data(), &disk, sizeof disk);
  disk.sum = frame_sum(run, offset, std::span(bytes).first(sizeof disk - sizeof disk.sum));
  std::memcpy(bytes.data(), &disk, sizeof disk);
  return bytes;
}

bool decode_frame(std::span<const std::byte> bytes, std::uint64_t run, std::uint64_t offset,
                  Frame& frame) {
  DiskFrame disk{};
  std::memcpy(&disk, bytes.data(), sizeof disk);
  const bool batch = disk.kind == static_cast<std::uint32_t>(FrameKind::Batch);
  const bool mark = disk.kind == static_cast<std::uint32_t>(FrameKind::Mark) && disk.bytes == 0;
  if ((!batch && !mark) || disk.reserved != 0 ||
      disk.sum != frame_sum(run, offset, bytes.first(sizeof disk - sizeof disk.sum)))
    return false;
  frame = {batch ? FrameKind::Batch : FrameKind::Mark, disk.sequence, disk.bytes};
  return true;
}

}  // namespace fathom::dynamic
