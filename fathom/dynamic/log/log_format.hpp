// The bytes of a log of updates (docs/formats.md, "Logs of updates"): a header, then frames, which
// are batches and marks. All numbers are little-endian.
//
// A checksum is seeded with the log's random number and the place of its frame: bytes of another
// log, or from elsewhere in this one, are not taken for a frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fathom/core/platform.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"

namespace fathom::dynamic {

/// What a graph has to be for the batches of a log to mean the same.
struct LogKind {
  bool directed = true;
  EdgeKind edges = EdgeKind::Simple;
  bool strings = false;  // labels
  DuplicatePolicy duplicates = DuplicatePolicy::Ignore;

  friend bool operator==(const LogKind&, const LogKind&) = default;
};

/// How far updates have come.
struct UpdatePosition {
  std::uint64_t line = 0;  // how many lines were taken
  std::uint64_t hash = 0;  // of all of them, in their order

  /// Takes a line, without its end.
  FATHOM_API void add(std::string_view text);
  friend bool operator==(const UpdatePosition&, const UpdatePosition&) = default;
};

struct LogHeader {
  LogKind kind;
  std::uint64_t run = 0;       // random; the same for all logs of a directory
  std::uint64_t graph = 0;     // header checksum of the store that the first log followed; 0: none
  std::uint64_t base = 0;      // the same of the one that this log follows
  std::uint64_t sequence = 0;  // of the last batch that the base has
  UpdatePosition position;     // of the base
};

inline constexpr std::size_t kLogHeaderBytes = 80;
using LogHeaderBytes = std::array<std::byte, kLogHeaderBytes>;

LogHeaderBytes encoded(const LogHeader& header);
/// `path` is for messages. @throws Error(BadInput) for bytes that are no header of a log, those of
///         a newer version included.
LogHeader decoded_log_header(const std::string& path, std::span<const std::byte> bytes);

enum class FrameKind : std::uint32_t { Batch = 1, Mark = 2 };

/// What begins a frame.
struct Frame {
  FrameKind kind = FrameKind::Batch;
  std::uint64_t sequence = 0;
  std::uint64_t payload_bytes = 0;  // of a batch; its checksum follows

  /// All of it.
  std::uint64_t bytes() const;
};

inline constexpr std::size_t kFrameBytes = 32;  // of what begins it
inline constexpr std::size_t kSumBytes = 8;
using FrameBytes = std::array<std::byte, kFrameBytes>;

/// The checksum of bytes of the frame at `offset`.
std::uint64_t frame_sum(std::uint64_t run, std::uint64_t offset, std::span<const std::byte> bytes);

FrameBytes encoded(const Frame& frame, std::uint64_t run, std::uint64_t offset);
/// Whether `bytes`, kFrameBytes of them, begin a frame at `offset`; then which.
bool decode_frame(std::span<const std::byte> bytes, std::uint64_t run, std::uint64_t offset,
                  Frame& frame);

}  // namespace fathom::dynamic
