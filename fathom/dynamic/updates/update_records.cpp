#include "fathom/dynamic/updates/update_records.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/dynamic/updates/update_lines.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::dynamic {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr unsigned char kRecordsMagic[8] = {0x89, 'F', 'U', 0x0d, 0x0a, 0x1a, 0x0a, 0};
constexpr std::uint32_t kRecordsVersion = 1;
constexpr std::uint32_t kWeightedRecords = 1, kSemanticRecords = 2, kWideRecords = 4;
constexpr std::uint32_t kAllRecordFlags = 7;

struct DiskRecordsHeader {
  unsigned char magic[8];
  std::uint32_t version, flags;
  std::uint64_t updates, sum;
};
static_assert(sizeof(DiskRecordsHeader) == kRecordsHeaderBytes);

std::uint64_t sum_of(const DiskRecordsHeader& header) {
  return XXH3_64bits(&header, sizeof header - sizeof header.sum);
}

/// What the target of a record about a vertex is, beside the highest bit.
enum class VertexRecord : std::uint64_t { Plain = 0, WithFields = 1 };

/// A record as it stands: the highest bit of the source is set in deletions, that of the target in
/// updates of a vertex, the source.
template <class Id>
struct RecordIds {
  static constexpr Id kHighest = Id{1} << (8 * sizeof(Id) - 1);
  Id source, target;

  bool deletion() const { return (source & kHighest) != 0; }
  bool vertex() const { return (target & kHighest) != 0; }
  std::uint64_t label() const { return source & ~kHighest; }
  std::uint64_t what() const { return target & ~kHighest; }
};

template <class T>
T read_as(const char*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}
template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// What a record has beside its labels.
struct RecordFields {
  Weight weight = 1;
  EdgeFields fields;
};

template <bool Weighted, bool Semantic>
RecordFields read_fields(const char*& at) {
  RecordFields its;
  if constexpr (Weighted) its.weight = read_as<Weight>(at) + Weight{0};  // lines have no -0 either
  if constexpr (Semantic) {
    its.fields.type = read_as<std::uint32_t>(at);
    its.fields.t1 = read_as<std::uint64_t>(at);
    its.fields.t2 = read_as<std::uint64_t>(at);
  }
  return its;
}
RecordFields read_fields(const char*& at, const RecordsHeader& header) {
  return header.semantic   ? read_fields<true, true>(at)
         : header.weighted ? read_fields<true, false>(at)
                           : RecordFields{};
}

template <class Id, bool Weighted, bool Semantic>
void read_all(UpdatePiece& piece, std::size_t record_bytes, const UpdateKind& kind) {
  const std::size_t n = piece.text.size() / record_bytes;
  piece.edges.reserve(n);
  const char* at = piece.text.data();
  for (std::size_t i = 0; i < n; ++i) {
    const char* const record = at;
    const auto ids = read_as<RecordIds<Id>>(at);
    const RecordFields its = read_fields<Weighted, Semantic>(at);
    const bool fits = (kind.weighted ? std::isfinite(its.weight) : its.weight == 1) &&
                      (kind.semantic || its.fields == EdgeFields{});
    if (ids.vertex() || !(fits || ids.deletion())) {
      piece.put_odd({record, record_bytes});
      continue;
    }
    const bool deletion = ids.deletion();
    piece.edges.push_back({ids.label(), ids.target, deletion ? Weight{1} : its.weight, deletion});
    if (kind.semantic) piece.fields.push_back(deletion ? EdgeFields{} : its.fields);
  }
}

void check_finite(Weight weight) {
  if (!std::isfinite(weight)) throw io::LineError{"a finite weight", fmt::format("{}", weight), ""};
}

/// A record of an edge that is odd.
[[noreturn]] void refuse_edge(const RecordFields& its, const DynamicGraph& graph) {
  check_finite(its.weight);
  if (!graph.weighted() && its.weight != 1)
    throw io::LineError{"no weight but 1, as this graph has none", fmt::format("{}", its.weight),
                        ""};
  throw io::LineError{"no type and no timestamps but 0, as the edges of this graph have none",
                      fmt::format("{} {} {}", its.fields.type, its.fields.t1, its.fields.t2), ""};
}

template <class Id>
void add_odd(UpdateBatch& batch, std::string_view record, const RecordsHeader& header) {
  const char* at = record.data();
  const auto ids = read_as<RecordIds<Id>>(at);
  const RecordFields its = read_fields(at, header);
  if (!ids.vertex()) refuse_edge(its, batch.graph());
  const std::uint64_t most = header.semantic && !ids.deletion() ? 1 : 0;
  if (ids.what() > most)
    throw io::LineError{fmt::format("a vertex whose record says no more than {}", most),
                        std::to_string(ids.what()), ""};
  if (ids.deletion()) return batch.remove_vertex(ids.label());
  const bool with_fields = ids.what() == static_cast<std::uint64_t>(VertexRecord::WithFields);
  if (with_fields) check_finite(its.weight);
  const VertexFields fields{its.weight, its.fields.type};
  batch.insert_vertex(ids.label(), with_fields ? &fields : nullptr);
}

/// The label of a line, an integer that leaves the highest bit free.
template <class Id>
std::uint64_t record_label(std::string_view label) {
  std::uint64_t value = 0;
  if (io::parse_id(label, value) != io::IdText::Id || value >= RecordIds<Id>::kHighest ||
      (label.size() > 1 && label.front() == '0'))
    throw io::LineError{fmt::format("a label that is an integer below 2^{} without zeros before "
                                    "it, as records have them",
                                    8 * sizeof(Id) - 1),
                        std::string(label), ""};
  return value;
}

template <class Id>
void put_record(std::string& to, const TextUpdate& u, const RecordsHeader& header) {
  constexpr Id kHighest = RecordIds<Id>::kHighest;
  const auto source = static_cast<Id>(record_label<Id>(u.source));
  put(to, static_cast<Id>(source | (u.deletion ? kHighest : 0)));
  if (u.vertex)
    put(to, static_cast<Id>(kHighest | (u.vertex_fields ? 1 : 0)));
  else
    put(to, static_cast<Id>(record_label<Id>(u.target)));
  const VertexFields its = u.vertex_fields.value_or(VertexFields{u.weight, u.fields.type});
  if (header.weighted) put(to, its.weight);
  if (!header.semantic) return;
  put(to, its.type);
  put(to, u.fields.t1);
  put(to, u.fields.t2);
}

/// Calls `take` with every update of a file of lines.
template <class Take>
void for_each_update(const std::string& path, const Task& task, const Take& take) {
  UpdateLines lines(path, task);
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1 && begins_records(line))
      io::fail_file(path, "it is updates in binary already");
    try {
      if (const auto update = parse_update(line, true, true)) take(*update);
    } catch (const io::LineError& e) {
      io::fail_line(lines.name(), lines.number(), e);
    }
  }
}

/// The least that has room for every line.
RecordsHeader header_for(const std::string& path, const Task& task) {
  RecordsHeader header;
  header.updates = 0;
  std::uint64_t most = 0;
  for_each_update(path, task, [&](const TextUpdate& u) {
    ++header.updates;
    most = std::max(most, record_label<std::uint64_t>(u.source));
    if (!u.vertex) most = std::max(most, record_label<std::uint64_t>(u.target));
    header.weighted = header.weighted || u.weight != 1;
    header.semantic = header.semantic || u.vertex_fields || u.fields != EdgeFields{};
  });
  header.weighted = header.weighted || header.semantic;
  header.wide = most >= RecordIds<std::uint32_t>::kHighest;
  return header;
}

}  // namespace

std::size_t RecordsHeader::record_bytes() const {
  return (wide ? 16 : 8) + (weighted ? 4 : 0) + (semantic ? 20 : 0);
}

RecordsHeaderBytes encoded(const RecordsHeader& header) {
  DiskRecordsHeader disk{};
  std::memcpy(disk.magic, kRecordsMagic, sizeof disk.magic);
  disk.version = kRecordsVersion;
  disk.flags = (header.weighted ? kWeightedRecords : 0) | (header.semantic ? kSemanticRecords : 0) |
               (header.wide ? kWideRecords : 0);
  disk.updates = header.updates;
  disk.sum = sum_of(disk);
  return std::bit_cast<RecordsHeaderBytes>(disk);
}

bool begins_records(std::string_view bytes) {
  const std::size_t n = std::min(bytes.size(), sizeof kRecordsMagic);
  return n > 0 && std::memcmp(bytes.data(), kRecordsMagic, n) == 0;
}

RecordsHeader decoded_records_header(const std::string& path, std::string_view bytes) {
  DiskRecordsHeader disk;
  if (!begins_records(bytes) || bytes.size() < sizeof disk)
    io::fail_file(path, "no header of updates in binary");
  std::memcpy(&disk, bytes.data(), sizeof disk);
  if (disk.version > kRecordsVersion)
    io::fail_file(path, fmt::format("updates in binary of version {}; this Fathom reads version {}",
                                    disk.version, kRecordsVersion));
  if (disk.sum != sum_of(disk)) io::fail_file(path, "the checksum of its header is another");
  if (disk.version != kRecordsVersion || (disk.flags & ~kAllRecordFlags) != 0 ||
      (disk.flags & (kWeightedRecords | kSemanticRecords)) == kSemanticRecords)
    io::fail_file(path, fmt::format("a header of version {} with flags {}, which there are not",
                                    disk.version, disk.flags));
  return {(disk.flags & kWeightedRecords) != 0, (disk.flags & kSemanticRecords) != 0,
          (disk.flags & kWideRecords) != 0, disk.updates};
}

void read_records(UpdatePiece& piece, const RecordsHeader& header, const UpdateKind& kind) {
  const auto read = [&]<class Id>(Id) {
    const std::size_t bytes = header.record_bytes();
    if (header.semantic)
      read_all<Id, true, true>(piece, bytes, kind);
    else if (header.weighted)
      read_all<Id, true, false>(piece, bytes, kind);
    else
      read_all<Id, false, false>(piece, bytes, kind);
  };
  if (header.wide)
    read(std::uint64_t{0});
  else
    read(std::uint32_t{0});
}

void add_record(UpdateBatch& batch, std::string_view record, const RecordsHeader& header) {
  if (header.wide)
    add_odd<std::uint64_t>(batch, record, header);
  else
    add_odd<std::uint32_t>(batch, record, header);
}

std::uint64_t write_records(const std::string& lines, const std::string& output, const Task& task) {
  if (lines == "-")
    throw Error(ErrorCode::Usage,
                "lines of updates are read twice, once to see what records need: standard input "
                "cannot be");
  const RecordsHeader header = header_for(lines, task);
  AtomicFile file(output);
  file.write(encoded(header));
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::string block;
  const auto write = [&] {
    file.write(std::as_bytes(std::span(block)));
    block.clear();
  };
  std::uint64_t written = 0;
  for_each_update(lines, task, [&](const TextUpdate& u) {
    if (header.wide)
      put_record<std::uint64_t>(block, u, header);
    else
      put_record<std::uint32_t>(block, u, header);
    ++written;
    if (block.size() >= kBlock) write();
  });
  write();
  if (written != header.updates) io::fail_file(lines, "it changed while it was read");
  file.commit();
  return written;
}

}  // namespace fathom::dynamic
