// Updates as binary records of one size (docs/formats.md, "Updates in binary").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "fathom/core/task.hpp"
#include "fathom/dynamic/updates/update_text.hpp"

namespace fathom::dynamic {

struct RecordsHeader {
  static constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();

  bool weighted = false;
  bool semantic = false;  // types and timestamps; weighted too
  bool wide = false;      // labels of 64 bits, else 32
  /// That follow; kToTheEnd: as many as there are.
  std::uint64_t updates = kToTheEnd;

  std::size_t record_bytes() const;
};

inline constexpr std::size_t kRecordsHeaderBytes = 32;
using RecordsHeaderBytes = std::array<std::byte, kRecordsHeaderBytes>;

RecordsHeaderBytes encoded(const RecordsHeader& header);
/// Whether bytes begin as a header does, as far as they go.
bool begins_records(std::string_view bytes);
/// `path` is for messages. @throws Error(BadInput) for bytes that are no header, those of a newer
///         version included.
RecordsHeader decoded_records_header(const std::string& path, std::string_view bytes);

/// Reads whole records, piece.text. Updates of vertices, and what is not right, are odd.
void read_records(UpdatePiece& piece, const RecordsHeader& header, const UpdateKind& kind);

/// Adds an odd record to the batch. @throws io::LineError, and the batch is as before.
void add_record(UpdateBatch& batch, std::string_view record, const RecordsHeader& header);

/// Writes lines of updates as records, to a file that appears whole or not at all. Weights, types
/// and timestamps are kept if a line has them, labels take 64 bits if one needs them: `lines` is
/// read twice. Returns how many updates there are.
/// @throws Error(Usage) for standard input; Error(BadInput), naming the line, also for labels that
///         are not integers below 2^63 as they would be printed; Error(Io); Error(Interrupted)
FATHOM_API std::uint64_t write_records(const std::string& lines, const std::string& output,
                                       const Task& task);

}  // namespace fathom::dynamic
