// The bytes of a .fg file: header page, section table, checksums (docs/formats.md, ".fg").
//
//   [header page: 4096][section][section]...[block checksums]
//
// Sections follow each other without gaps, each zero-padded to a multiple of 4096 bytes, so that
// every byte of the file is covered by exactly one checksum. All numbers are little-endian.
#pragma once

#include <bit>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/store/parts/part_layout.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

static_assert(std::endian::native == std::endian::little, ".fg files are mapped as they are");

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::uint32_t kFormatVersionCoded = 2;  // of files whose lists are coded
inline constexpr std::uint32_t kFormatVersionPart = 3;   // of parts of a graph
inline constexpr std::uint32_t kPageBytes = 4096;        // alignment of sections; O_DIRECT's too
inline constexpr std::uint32_t kBlockBytes = 1u << 20;   // what one checksum covers
inline constexpr std::uint32_t kMostSlottedPage = 64u << 20;
inline constexpr char kMagic[8] = {'\x89', 'F', 'G', '\r', '\n', '\x1a', '\n', '\0'};

enum class SectionId : std::uint32_t {
  OutOffsets,         // u64[vertices + 1]
  OutTargets,         // id[edges]
  OutWeights,         // f32[edges]
  OutPairs,           // {id, f32}[edges], twice as wide as an id
  InOffsets,          // u64[vertices + 1]
  InTargets,          // id[edges]
  InWeights,          // f32[edges]
  OrientedOffsets,    // u64[vertices + 1]
  OrientedTargets,    // id[...]
  LabelIntegers,      // u64[vertices]
  LabelOffsets,       // u64[vertices + 1]
  LabelBytes,         // u8[...]
  LabelIndexOffsets,  // u64[entries + 1]
  LabelIndexBytes,    // u8[...]
  Permutation,        // id[vertices]
  Degrees,            // DegreeSummary[1 or 2]
  Provenance,         // u8[...]
  Slotted,            // u32[4]: of SlottedLayout
  OutRvt,             // RvtEntry[pages]
  OutPages,           // u8[page_bytes][pages]
  InRvt,              // RvtEntry[pages]
  InPages,            // u8[page_bytes][pages]
  OutTypes,           // u32[edges]
  OutTimes,           // EdgeTimes[edges]
  VertexWeights,      // f32[vertices]
  VertexTypes,        // u32[vertices]
  Packed,             // u32[4]: of PackedLayout
  OutPacked,          // u32[...]: words of groups
  OutPackedIndex,     // u64[groups + 1]
  OutCodes,           // u8 or u16[edges]
  InPacked,           // u32[...]
  InPackedIndex,      // u64[groups + 1]
  InCodes,            // u8 or u16[edges]
  Narrow,             // u32[4]: of NarrowLayout
  OutEntries,         // u64[...]
  InEntries,          // u64[...]
  WeightValues,       // f32[...]: what codes stand for
  Part,               // u64[10]: of PartLayout
};
inline constexpr std::size_t kSections = 38;

/// Every label whose id is a multiple of this is repeated in the label index: 10^8 labels of 20
/// bytes have an index of 3 MiB, and a search ends in about 30 KiB of labels.
inline constexpr VertexId kLabelIndexStride = 1024;

FATHOM_API std::string_view name_of(SectionId);
/// 0 for slotted pages and codes, whose size the file says.
FATHOM_API std::uint32_t element_bytes(SectionId);

/// One line of the section table.
struct SectionEntry {
  char name[24];                 // ASCII, padded with zeros
  std::uint64_t offset;          // of the first byte in the file; a multiple of kPageBytes
  std::uint64_t bytes;           // without the padding
  std::uint32_t element_bytes;   // size of one element
  std::uint32_t reserved;        // 0
  std::uint64_t first_checksum;  // index of its first block's checksum in the checksum table
  std::uint64_t checksum_hash;   // XXH3-64 of its part of the checksum table
};
static_assert(sizeof(SectionEntry) == 64);

/// The fixed part of the header page.
struct DiskHeader {
  char magic[8];
  std::uint32_t version;       // kFormatVersion, ...Coded or ...Part
  std::uint32_t header_bytes;  // kPageBytes
  std::uint64_t file_bytes;
  std::uint32_t id_bits;  // kIdBits of the build that wrote it
  std::uint32_t section_count;
  std::uint64_t vertices;
  std::uint64_t edges;
  std::uint32_t flags;  // kFlag...
  std::uint32_t label_kind;
  std::uint64_t label_base;
  std::uint64_t fingerprint;
  std::uint32_t duplicates;
  std::uint32_t loops;
  std::uint64_t checksums_offset;  // of the checksum table; it ends the file
  std::uint64_t report[6];  // input_edges .. missing_weights, in the order of graph::BuildReport
};
static_assert(sizeof(DiskHeader) == 136);

inline constexpr std::uint32_t kFlagDirected = 1, kFlagWeighted = 2, kFlagSymmetric = 4,
                               kFlagInEdges = 8, kFlagPolicyUndirected = 16,
                               kFlagPolicyInEdges = 32, kFlagPolicyWeighted = 64,
                               kFlagHappensSymmetric = 128;
inline constexpr std::uint32_t kKnownFlags = 255;
inline constexpr std::size_t kMaxSections =
    (kPageBytes - sizeof(DiskHeader) - sizeof(std::uint64_t)) / sizeof(SectionEntry);

constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}
constexpr std::uint64_t blocks_of(std::uint64_t bytes) {
  return (padded(bytes) + kBlockBytes - 1) / kBlockBytes;
}

/// The header page, decoded and found consistent.
struct Layout {
  Header header;  // without the provenance
  std::uint64_t file_bytes = 0;
  std::uint64_t checksums_offset = 0;
  std::vector<SectionEntry> sections;
  std::optional<PartLayout> part;  // of a part; StoreFile reads it

  bool slotted() const { return find(SectionId::Slotted) != nullptr; }
  bool packed() const { return find(SectionId::Packed) != nullptr; }
  bool narrow() const { return find(SectionId::Narrow) != nullptr; }
  bool is_part() const { return find(SectionId::Part) != nullptr; }
  bool csr() const { return !slotted() && !packed() && !narrow(); }
  /// Whether lists are all there, in CSR as they are, and the fingerprint follows from their
  /// sections.
  bool plain() const { return csr() && !is_part(); }
  /// The section of that name; null when absent.
  FATHOM_API const SectionEntry* find(SectionId) const;
};

/// Decodes a header page and checks everything in it against itself and the size of the file:
/// magic, version, checksum, widths, counts, section table.
/// @throws Error(BadInput) naming what is wrong.
FATHOM_API Layout decode_header(const std::string& path, std::span<const std::byte> page,
                                std::uint64_t file_bytes);

/// The header page of a layout, checksum included.
FATHOM_API std::vector<std::byte> encode_header(const Layout&);

FATHOM_API std::uint64_t checksum(std::span<const std::byte>);

/// The version of the format that files with these sections have.
FATHOM_API std::uint32_t format_version_of(const Layout&);

/// The content of a graph: its counts and the hashes of its out sections. Labels, policies and
/// provenance do not enter. Slotted, packed and narrow graphs have the fingerprint of the same
/// lists in CSR, which their sections do not tell: see the second form.
FATHOM_API std::uint64_t fingerprint_of(const Layout&);
FATHOM_API std::uint64_t fingerprint_of(const Layout&, std::uint64_t targets_hash,
                                        std::uint64_t weights_hash);

/// Says in the header which fields the sections have.
void note_fields(Layout&);

/// The name of a table entry.
FATHOM_API std::string name_of(const SectionEntry&);

/// @throws Error(BadInput): path, what is wrong.
[[noreturn]] void throw_bad_store(const std::string& path, const std::string& what);

}  // namespace fathom::store
