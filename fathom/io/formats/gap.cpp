// Serialised graphs of the GAP benchmark suite: directed (1 byte), edges and vertices (int64), CSR
// offsets (int64) and neighbours: int32 ids (.sg) or {int32 id, int32 weight} pairs (.wsg).
// Directed graphs go on with the offsets and neighbours of their transpose, which is not read.

#include <fmt/format.h>

#include <cstring>

#include "fathom/io/formats/csr_file.hpp"
#include "fathom/io/formats/formats.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::io {
namespace {

constexpr std::uint64_t kGapHeaderBytes = 17, kOffsetBytes = 8;
constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 31, kMostEdges = std::uint64_t{1} << 48;

struct GapHeader {
  bool directed = false;
  std::uint64_t edges = 0, vertices = 0;
};

std::optional<GapHeader> parse_gap_header(const Head& head) {
  if (head.content.size() < kGapHeaderBytes) return std::nullopt;
  const auto number_at = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, head.content.data() + at, sizeof value);
    return value;
  };
  const GapHeader header{head.content[0] == 1, number_at(1), number_at(9)};
  const bool valid =
      (head.content[0] == 0 || head.content[0] == 1) && header.edges < kMostEdges &&
      header.vertices <= kMostVertices &&
      (head.content.size() < kGapHeaderBytes + kOffsetBytes || number_at(kGapHeaderBytes) == 0);
  if (!valid) return std::nullopt;
  return header;
}

std::uint64_t size_with(const GapHeader& header, std::uint64_t neighbour_bytes) {
  const std::uint64_t csr = kOffsetBytes * (header.vertices + 1) + neighbour_bytes * header.edges;
  return kGapHeaderBytes + csr * (header.directed ? 2 : 1);
}

}  // namespace

bool looks_like_gap(const Head& head) {
  return parse_gap_header(head).has_value();
}

ReaderPtr open_gap(const Head& head, const ReadOptions& options) {
  constexpr std::uint64_t kPlain = 4, kWeighted = 8;
  const std::optional<GapHeader> header = parse_gap_header(head);
  if (!header)
    fail_byte(head.file.name, 0, "the header of a GAP graph (.sg or .wsg)",
              in_quotes(std::string_view(head.content).substr(0, kGapHeaderBytes)));
  const std::uint64_t size = content_bytes(head, options);
  const bool weighted = size == size_with(*header, kWeighted) && header->edges > 0;
  if (!weighted && size != size_with(*header, kPlain))
    fail_file(head.file.name,
              fmt::format("expected {} bytes (.sg) or {} bytes (.wsg) for {} vertices and {} "
                          "edges, found {}",
                          size_with(*header, kPlain), size_with(*header, kWeighted),
                          header->vertices, header->edges, size));
  InputTraits traits;
  traits.format = Format::Gap;
  traits.compression = head.compression;
  traits.weighted = weighted;
  traits.directed = header->directed;
  traits.declared_vertices = header->vertices;
  traits.declared_edges = header->edges;
  traits.bytes = head.bytes;
  const std::uint64_t neighbours = kGapHeaderBytes + kOffsetBytes * (header->vertices + 1);
  CsrLayout layout;
  layout.file = head.file;
  layout.rows = header->vertices;
  layout.entries = header->edges;
  layout.row_ends = column_at(head.file, "offsets", NumberType::Int64, kGapHeaderBytes);
  layout.targets = column_at(head.file, "neighbours", NumberType::Int32, neighbours);
  if (weighted) {
    layout.targets.stride = kWeighted;
    layout.weights = column_at(head.file, "weights", NumberType::Int32, neighbours);
    layout.weights->stride = kWeighted;
    layout.weights->skip = sizeof(std::int32_t);
  }
  return std::make_unique<CsrFileReader>(traits, std::move(layout), options);
}

}  // namespace fathom::io
