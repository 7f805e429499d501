#include "fathom/store/format.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fathom/core/printable.hpp"
#include "fathom/store/packed/packed_format.hpp"

namespace fathom::store {
namespace {

struct SectionKind {
  std::string_view name;
  std::uint32_t element_bytes;
};

constexpr std::array<SectionKind, kSections> kKinds{{{"out.offsets", 8},
                                                     {"out.targets", sizeof(VertexId)},
                                                     {"out.weights", 4},
                                                     {"out.pairs", 2 * sizeof(VertexId)},
                                                     {"in.offsets", 8},
                                                     {"in.targets", sizeof(VertexId)},
                                                     {"in.weights", 4},
                                                     {"oriented.offsets", 8},
                                                     {"oriented.targets", sizeof(VertexId)},
                                                     {"labels.integers", 8},
                                                     {"labels.offsets", 8},
                                                     {"labels.bytes", 1},
                                                     {"labels.index.offsets", 8},
                                                     {"labels.index.bytes", 1},
                                                     {"permutation", sizeof(VertexId)},
                                                     {"degrees", 8},
                                                     {"provenance", 1},
                                                     {"slotted", 4},
                                                     {"out.rvt", sizeof(RvtEntry)},
                                                     {"out.pages", 0},
                                                     {"in.rvt", sizeof(RvtEntry)},
                                                     {"in.pages", 0},
                                                     {"out.types", 4},
                                                     {"out.times", sizeof(EdgeTimes)},
                                                     {"vertices.weights", 4},
                                                     {"vertices.types", 4},
                                                     {"packed", 4},
                                                     {"out.packed", 4},
                                                     {"out.packed.index", 8},
                                                     {"out.codes", 0},
                                                     {"in.packed", 4},
                                                     {"in.packed.index", 8},
                                                     {"in.codes", 0},
                                                     {"narrow", 4},
                                                     {"out.entries", 8},
                                                     {"in.entries", 8},
                                                     {"weights.values", 4},
                                                     {"part", 8}}};

const SectionKind& kind(SectionId id) {
  return kKinds[static_cast<std::size_t>(id)];
}

// Fields that every version of the format keeps at their place come first: a newer file is named
// as such even though the rest of its header cannot be understood.
DiskHeader check_identity(const std::string& path, std::span<const std::byte> page) {
  DiskHeader h{};
  if (page.size() < sizeof(kMagic) || std::memcmp(page.data(), kMagic, sizeof(kMagic)) != 0)
    throw_bad_store(path, "not a .fg file (the first 8 bytes are not its signature)");
  if (page.size() < kPageBytes)
    throw_bad_store(path, fmt::format("truncated: the header is {} bytes, the file has {}",
                                      kPageBytes, page.size()));
  std::memcpy(&h, page.data(), sizeof h);
  if (h.version > kFormatVersionPart)
    throw_bad_store(path, fmt::format("written by a newer Fathom: format {}, this program reads "
                                      "up to {}",
                                      h.version, kFormatVersionPart));
  std::uint64_t stored = 0;
  std::memcpy(&stored, page.data() + kPageBytes - sizeof stored, sizeof stored);
  if (stored != checksum(page.first(kPageBytes - sizeof stored)))
    throw_bad_store(path, "header: bytes 0 to 4095 do not match their checksum");
  return h;
}

void check_fields(const std::string& path, const DiskHeader& h, std::uint64_t file_bytes) {
  auto require = [&](bool ok, const std::string& what) {
    if (!ok) throw_bad_store(path, "header: " + what);
  };
  require(h.version >= kFormatVersion && h.version <= kFormatVersionPart,
          fmt::format("unknown format version {}", h.version));
  require(h.header_bytes == kPageBytes, fmt::format("header size {}", h.header_bytes));
  if (h.id_bits != kIdBits && (h.id_bits == 32 || h.id_bits == 64))
    throw_bad_store(
        path, fmt::format("has {}-bit vertex ids, this build of Fathom reads {}-bit ids", h.id_bits,
                          kIdBits));
  if (h.file_bytes != file_bytes)
    throw_bad_store(path, fmt::format("{}: it should have {} bytes and has {}",
                                      file_bytes < h.file_bytes ? "truncated" : "too long",
                                      h.file_bytes, file_bytes));
  require(h.id_bits == kIdBits, fmt::format("vertex ids of {} bits", h.id_bits));
  require(h.vertices < kNoVertex,
          fmt::format("{} vertices do not fit {}-bit ids", h.vertices, kIdBits));
  // Of 32 bits, or the shortest record of a slotted page. Sections of coded lists say more of
  // theirs; of packed ones there is a place for each group.
  constexpr std::uint64_t kLeastEntryBytes = 4, kGroupBytes = 8;
  const std::uint64_t most_edges =
      h.version == kFormatVersionCoded  ? h.file_bytes / kGroupBytes * packed::kGroup
      : h.version == kFormatVersionPart ? std::uint64_t{1} << 59  // most are in other files
                                        : h.file_bytes / kLeastEntryBytes;
  require(h.edges <= most_edges,
          fmt::format("{} edges cannot be in {} bytes", h.edges, h.file_bytes));
  require((h.flags & ~kKnownFlags) == 0, fmt::format("unknown flags {:#x}", h.flags));
  require((h.flags & kFlagDirected) || (h.flags & kFlagSymmetric),
          "undirected, but not marked as symmetric");
  require(h.label_kind <= static_cast<std::uint32_t>(LabelKind::Strings),
          fmt::format("unknown kind of labels {}", h.label_kind));
  require(h.label_base <= ~std::uint64_t{0} - (h.vertices > 0 ? h.vertices - 1 : 0),
          fmt::format("labels from {} on are not {} numbers of 64 bits", h.label_base, h.vertices));
  require(h.duplicates <= static_cast<std::uint32_t>(graph::Duplicates::Keep) &&
              h.loops <= static_cast<std::uint32_t>(graph::Loops::Drop),
          "unknown policy");
  require(h.section_count <= kMaxSections, fmt::format("{} sections", h.section_count));
}

std::string_view name_in(const SectionEntry& s) {
  return {s.name, strnlen(s.name, sizeof s.name)};
}

// Graphic ASCII, then zeros: names are shown as they are.
bool is_name(const SectionEntry& s) {
  const std::size_t length = strnlen(s.name, sizeof s.name);
  return length > 0 && length < sizeof s.name &&
         std::all_of(s.name, s.name + length, [](char c) { return c > ' ' && c <= '~'; }) &&
         std::all_of(s.name + length, std::end(s.name), [](char c) { return c == '\0'; });
}

// Sections must tile the file from the header page to the checksum table, in table order.
void check_table(const std::string& path, const Layout& layout) {
  std::uint64_t end = kPageBytes;
  std::uint64_t checksums = 0;
  for (const SectionEntry& s : layout.sections) {
    auto require = [&](bool ok, std::string_view what) {
      if (!ok)
        throw_bad_store(path, fmt::format("section table: section '{}' (offset {}, {} bytes): {}",
                                          name_of(s), s.offset, s.bytes, what));
    };
    require(is_name(s), "not a name");
    require(s.reserved == 0, "reserved field is not 0");
    require(s.offset == end, "does not begin where its predecessor ends");
    require(s.bytes <= layout.checksums_offset && s.offset <= layout.checksums_offset - s.bytes,
            "reaches beyond the sections");
    require(s.element_bytes > 0 && s.bytes % s.element_bytes == 0,
            "not a whole number of elements");
    require(s.first_checksum == checksums, "its checksums are not where they belong");
    const std::string_view name = name_in(s);
    for (const SectionEntry& t : layout.sections)
      require(&s == &t || name != name_in(t), "occurs twice");
    end = s.offset + padded(s.bytes);
    checksums += blocks_of(s.bytes);
  }
  if (end != layout.checksums_offset)
    throw_bad_store(path, "section table: the checksums do not follow the last section");
  // The file's size bounds both terms, so the sum cannot wrap around.
  if (checksums > layout.file_bytes / sizeof(std::uint64_t) ||
      layout.checksums_offset + checksums * sizeof(std::uint64_t) != layout.file_bytes)
    throw_bad_store(path, "section table: the checksums do not end the file");
}

// What the counts and flags promise must be there, in the right size; and nothing else.
void check_contents(const std::string& path, const Layout& layout) {
  const Header& h = layout.header;
  const std::uint64_t n = h.vertices;
  auto expect = [&](SectionId id, bool wanted, std::optional<std::uint64_t> elements) {
    const SectionEntry* s = layout.find(id);
    if (!s && wanted)
      throw_bad_store(path, fmt::format("section table: section '{}' is missing", name_of(id)));
    if (!s) return;
    if (!wanted)
      throw_bad_store(
          path, fmt::format("section table: section '{}' contradicts the header", name_of(id)));
    const bool codes = id == SectionId::OutCodes || id == SectionId::InCodes;
    const bool pages = element_bytes(id) == 0 && !codes;
    if (codes && s->element_bytes != 1 && s->element_bytes != 2)
      throw_bad_store(path, fmt::format("section table: section '{}' has codes of {} bytes",
                                        name_of(id), s->element_bytes));
    if (pages && (!std::has_single_bit(s->element_bytes) || s->element_bytes < kPageBytes ||
                  s->element_bytes > kMostSlottedPage))
      throw_bad_store(path, fmt::format("section table: section '{}' has pages of {} bytes",
                                        name_of(id), s->element_bytes));
    if (!pages && !codes && s->element_bytes != element_bytes(id))
      throw_bad_store(path, fmt::format("section table: section '{}' has elements of {} bytes, "
                                        "expected {}",
                                        name_of(id), s->element_bytes, element_bytes(id)));
    // Divided: what a header counts may be as large as to wrap around when multiplied.
    if (elements && s->bytes / s->element_bytes != *elements)
      throw_bad_store(path, fmt::format("section table: section '{}' has {} elements, expected {}",
                                        name_of(id), s->bytes / s->element_bytes, *elements));
  };
  const bool strings = h.labels == LabelKind::Strings;
  const bool pairs = layout.find(SectionId::OutPairs) != nullptr;
  const bool oriented = layout.find(SectionId::OrientedOffsets) != nullptr;
  const bool permuted = layout.find(SectionId::Permutation) != nullptr;
  expect(SectionId::OutOffsets, true, n + 1);
  const bool slotted = layout.slotted(), has_packed = layout.packed(), narrow = layout.narrow();
  // Of a part the section says how many edges there are: StoreFile reads it.
  const bool part = layout.is_part(), csr = layout.csr();
  const auto edges = part ? std::nullopt : std::optional(h.edges);
  const bool plain = layout.plain(), coded = layout.find(SectionId::OutCodes) != nullptr;
  if (int{slotted} + int{has_packed} + int{narrow} > 1)
    throw_bad_store(path, "section table: lists are in more than one layout");
  if (h.version != format_version_of(layout))
    throw_bad_store(
        path, fmt::format("section table: the sections are not those of format {}", h.version));
  expect(SectionId::Part, part && csr, kPartNumbers);
  expect(SectionId::OutTargets, csr, edges);
  const bool plain_weights = h.weighted && (csr || (has_packed && !coded));
  expect(SectionId::OutWeights, plain_weights, edges);
  expect(SectionId::OutPairs, pairs && plain && h.weighted, h.edges);
  for (const SectionId id : {SectionId::OutTypes, SectionId::OutTimes})
    expect(id, h.semantic && plain && h.weighted, h.edges);
  for (const SectionId id : {SectionId::VertexWeights, SectionId::VertexTypes})
    expect(id, h.vertex_fields, n);
  expect(SectionId::InOffsets, h.has_in_edges, n + 1);
  expect(SectionId::InTargets, csr && h.has_in_edges, edges);
  expect(SectionId::InWeights, plain_weights && h.has_in_edges, edges);
  expect(SectionId::Narrow, narrow, 4);  // which says how long the entries are
  expect(SectionId::OutEntries, narrow, {});
  expect(SectionId::InEntries, narrow && h.has_in_edges, {});
  const bool codes = has_packed && h.weighted && coded;
  const std::uint64_t groups = packed::groups_of(h.edges) + 1;
  expect(SectionId::Packed, has_packed, 4);
  expect(SectionId::OutPacked, has_packed, {});
  expect(SectionId::OutPackedIndex, has_packed, groups);
  expect(SectionId::OutCodes, codes, h.edges);
  expect(SectionId::InPacked, has_packed && h.has_in_edges, {});
  expect(SectionId::InPackedIndex, has_packed && h.has_in_edges, groups);
  expect(SectionId::InCodes, codes && h.has_in_edges, h.edges);
  expect(SectionId::WeightValues, codes || (narrow && h.weighted), {});
  if (codes && h.has_in_edges &&
      layout.find(SectionId::InCodes)->element_bytes !=
          layout.find(SectionId::OutCodes)->element_bytes)
    throw_bad_store(path, "section table: codes of two sizes");
  expect(SectionId::Slotted, slotted, 4);
  auto pages_of = [&](SectionId rvt) -> std::uint64_t {
    const SectionEntry* s = layout.find(rvt);
    return s ? s->bytes / sizeof(RvtEntry) : 0;
  };
  expect(SectionId::OutRvt, slotted, {});
  expect(SectionId::OutPages, slotted, pages_of(SectionId::OutRvt));
  expect(SectionId::InRvt, slotted && h.has_in_edges, {});
  expect(SectionId::InPages, slotted && h.has_in_edges, pages_of(SectionId::InRvt));
  if (slotted && h.has_in_edges &&
      layout.find(SectionId::InPages)->element_bytes !=
          layout.find(SectionId::OutPages)->element_bytes)
    throw_bad_store(path, "section table: pages of two sizes");
  expect(SectionId::OrientedOffsets, oriented && !part, n + 1);
  expect(SectionId::OrientedTargets, oriented, {});
  expect(SectionId::LabelIntegers, h.labels == LabelKind::Integers, n);
  expect(SectionId::LabelOffsets, strings, n + 1);
  expect(SectionId::LabelBytes, strings, {});
  expect(SectionId::LabelIndexOffsets, strings,
         (n + kLabelIndexStride - 1) / kLabelIndexStride + 1);
  expect(SectionId::LabelIndexBytes, strings, {});
  expect(SectionId::Permutation, permuted, n);
  expect(SectionId::Degrees, true, (h.has_in_edges ? 2 : 1) * sizeof(DegreeSummary) / 8);
  expect(SectionId::Provenance, layout.find(SectionId::Provenance) != nullptr, {});
}

Header header_of(const DiskHeader& d) {
  Header h;
  auto flag = [&](std::uint32_t bit) { return (d.flags & bit) != 0; };
  h.version = d.version;
  h.vertices = static_cast<VertexId>(d.vertices);
  h.edges = d.edges;
  h.directed = flag(kFlagDirected);
  h.weighted = flag(kFlagWeighted);
  h.symmetric = flag(kFlagSymmetric);
  h.has_in_edges = flag(kFlagInEdges);
  h.labels = static_cast<LabelKind>(d.label_kind);
  h.label_base = d.label_base;
  h.policies.undirected = flag(kFlagPolicyUndirected);
  h.policies.in_edges = flag(kFlagPolicyInEdges);
  h.policies.weighted = flag(kFlagPolicyWeighted);
  h.policies.duplicates = static_cast<graph::Duplicates>(d.duplicates);
  h.policies.loops = static_cast<graph::Loops>(d.loops);
  h.report = {d.report[0],
              d.report[1],
              d.report[2],
              d.report[3],
              d.report[4],
              d.report[5],
              flag(kFlagHappensSymmetric)};
  h.fingerprint = d.fingerprint;
  return h;
}

DiskHeader disk_header_of(const Layout& layout) {
  const Header& h = layout.header;
  DiskHeader d{};
  std::memcpy(d.magic, kMagic, sizeof d.magic);
  d.version = format_version_of(layout);
  d.header_bytes = kPageBytes;
  d.file_bytes = layout.file_bytes;
  d.id_bits = kIdBits;
  d.section_count = static_cast<std::uint32_t>(layout.sections.size());
  d.vertices = h.vertices;
  d.edges = h.edges;
  auto flag = [&](std::uint32_t bit, bool on) { d.flags |= on ? bit : 0u; };
  flag(kFlagDirected, h.directed);
  flag(kFlagWeighted, h.weighted);
  flag(kFlagSymmetric, h.symmetric);
  flag(kFlagInEdges, h.has_in_edges);
  flag(kFlagPolicyUndirected, h.policies.undirected);
  flag(kFlagPolicyInEdges, h.policies.in_edges);
  flag(kFlagPolicyWeighted, h.policies.weighted);
  flag(kFlagHappensSymmetric, h.report.happens_symmetric);
  d.label_kind = static_cast<std::uint32_t>(h.labels);
  d.label_base = h.label_base;
  d.fingerprint = h.fingerprint;
  d.duplicates = static_cast<std::uint32_t>(h.policies.duplicates);
  d.loops = static_cast<std::uint32_t>(h.policies.loops);
  d.checksums_offset = layout.checksums_offset;
  const graph::BuildReport& r = h.report;
  const std::uint64_t report[6] = {r.input_edges,       r.loops_seen,          r.loops_dropped,
                                   r.duplicates_merged, r.reverse_edges_added, r.missing_weights};
  std::memcpy(d.report, report, sizeof report);
  return d;
}

}  // namespace

std::string_view name_of(SectionId id) {
  return kind(id).name;
}
std::uint32_t element_bytes(SectionId id) {
  return kind(id).element_bytes;
}
std::string name_of(const SectionEntry& s) {
  return std::string(name_in(s));
}

const SectionEntry* Layout::find(SectionId id) const {
  const std::string_view name = name_of(id);
  for (const SectionEntry& s : sections)
    if (name_in(s) == name) return &s;
  return nullptr;
}

Layout decode_header(const std::string& path, std::span<const std::byte> page,
                     std::uint64_t file_bytes) {
  const DiskHeader disk = check_identity(path, page);
  check_fields(path, disk, file_bytes);
  Layout layout;
  layout.header = header_of(disk);
  layout.file_bytes = disk.file_bytes;
  layout.checksums_offset = disk.checksums_offset;
  layout.sections.resize(disk.section_count);
  if (disk.section_count > 0)
    std::memcpy(layout.sections.data(), page.data() + sizeof disk,
                disk.section_count * sizeof(SectionEntry));
  check_table(path, layout);
  note_fields(layout);
  check_contents(path, layout);
  if (layout.plain() && layout.header.fingerprint != fingerprint_of(layout))
    throw_bad_store(path, "header: the fingerprint does not match the sections");
  return layout;
}

std::vector<std::byte> encode_header(const Layout& layout) {
  std::vector<std::byte> page(kPageBytes);
  const DiskHeader disk = disk_header_of(layout);
  std::memcpy(page.data(), &disk, sizeof disk);
  if (!layout.sections.empty())
    std::memcpy(page.data() + sizeof disk, layout.sections.data(),
                layout.sections.size() * sizeof(SectionEntry));
  const std::uint64_t sum = checksum(std::span(page).first(kPageBytes - sizeof(std::uint64_t)));
  std::memcpy(page.data() + kPageBytes - sizeof sum, &sum, sizeof sum);
  return page;
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint32_t format_version_of(const Layout& layout) {
  if (layout.is_part()) return kFormatVersionPart;
  return layout.narrow() || layout.packed() ? kFormatVersionCoded : kFormatVersion;
}

std::uint64_t fingerprint_of(const Layout& layout) {
  auto hash = [&](SectionId id) -> std::uint64_t {
    const SectionEntry* s = layout.find(id);
    return s ? s->checksum_hash : 0;
  };
  return fingerprint_of(layout, hash(SectionId::OutTargets), hash(SectionId::OutWeights));
}

std::uint64_t fingerprint_of(const Layout& layout, std::uint64_t targets_hash,
                             std::uint64_t weights_hash) {
  const SectionEntry* offsets = layout.find(SectionId::OutOffsets);
  const std::array<std::uint64_t, 5> content{layout.header.vertices, layout.header.edges,
                                             offsets ? offsets->checksum_hash : 0, targets_hash,
                                             weights_hash};
  return checksum(std::as_bytes(std::span(content)));
}

void note_fields(Layout& layout) {
  const auto any = [&](SectionId a, SectionId b) { return layout.find(a) || layout.find(b); };
  layout.header.semantic = any(SectionId::OutTypes, SectionId::OutTimes);
  layout.header.vertex_fields = any(SectionId::VertexWeights, SectionId::VertexTypes);
}

void throw_bad_store(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::BadInput, path + ": " + printable(what));
}

}  // namespace fathom::store
