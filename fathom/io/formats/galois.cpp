// Galois binary graphs (.gr): version, bytes of an edge's data, vertices, edges (u64 each), the end
// of each vertex's list (u64), targets (u32 padded to 8 bytes in version 1, u64 in version 2), edge
// data. The file does not say whether 4 or 8 bytes of data are an integer or a float, so the bits
// of the first of them decide: what is a small integer is an implausibly tiny float.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "fathom/io/formats/csr_file.hpp"
#include "fathom/io/formats/formats.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::io {
namespace {

constexpr std::uint64_t kGaloisHeaderBytes = 32;

struct GaloisHeader {
  std::uint64_t version = 0, data_bytes = 0, vertices = 0, edges = 0;

  std::uint64_t targets_at() const { return kGaloisHeaderBytes + 8 * vertices; }
  std::uint64_t data_at() const {
    return targets_at() + (version == 1 ? (4 * edges + 7) / 8 * 8 : 8 * edges);
  }
  std::uint64_t size() const { return data_at() + data_bytes * edges; }
};

std::optional<GaloisHeader> parse_galois_header(const Head& head) {
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 48, kMostDataBytes = 4096;
  GaloisHeader header;
  if (head.content.size() < kGaloisHeaderBytes) return std::nullopt;
  std::memcpy(&header, head.content.data(), kGaloisHeaderBytes);
  const bool valid = (header.version == 1 || header.version == 2) &&
                     header.data_bytes <= kMostDataBytes && header.vertices < kMostCount &&
                     header.edges < kMostCount;
  if (!valid) return std::nullopt;
  return header;
}

[[noreturn]] void refuse_data(const Head& head, const GaloisHeader& header,
                              const std::string& found) {
  fail_byte(head.file.name, header.data_at(), "weights (integers or floats of 4 or 8 bytes)",
            found + " (--third-column ignore reads the structure alone)");
}

/// The type that the beginning of the edge data can be, told by the bits.
template <class Bits>
std::optional<NumberType> data_type(std::span<const Bits> data, Bits smallest_float,
                                    NumberType integer, NumberType real) {
  constexpr Bits kLargestInteger = Bits{1} << 24;
  bool integers = true, floats = true;
  for (const Bits bits : data) {
    integers = integers && bits <= kLargestInteger;
    floats = floats && (bits == 0 || bits >= smallest_float);
  }
  if (integers) return integer;
  if (floats) return real;
  return std::nullopt;
}

NumberType data_type(const Head& head, const GaloisHeader& header) {
  constexpr std::size_t kLookedAt = std::size_t{16} << 10;  // bytes
  constexpr std::uint32_t kTinyFloat = 0x20000000;          // about 1e-19
  constexpr std::uint64_t kTinyDouble = 0x3c00000000000000;
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kLookedAt / 8, header.edges));
  const std::unique_ptr<ByteSource> source = open_bytes(head.file, header.data_at());
  std::optional<NumberType> type;
  if (header.data_bytes == 4) {
    std::vector<std::uint32_t> data(n);
    source->read(std::as_writable_bytes(std::span(data)));
    type = data_type<std::uint32_t>(data, kTinyFloat, NumberType::Uint32, NumberType::Float32);
  } else if (header.data_bytes == 8) {
    std::vector<std::uint64_t> data(n);
    source->read(std::as_writable_bytes(std::span(data)));
    type = data_type<std::uint64_t>(data, kTinyDouble, NumberType::Uint64, NumberType::Float64);
  } else {
    refuse_data(head, header, fmt::format("{} bytes for an edge", header.data_bytes));
  }
  if (!type) refuse_data(head, header, "values that are neither");
  return *type;
}

}  // namespace

bool looks_like_galois(const Head& head) {
  const std::optional<GaloisHeader> header = parse_galois_header(head);
  // An edgeless GAP graph can begin with the same bytes; then the size tells.
  return header && (header->edges > 0 || (head.whole && head.content.size() == header->size()) ||
                    (head.compression.empty() && head.bytes == header->size()));
}

ReaderPtr open_galois(const Head& head, const ReadOptions& options) {
  const std::optional<GaloisHeader> header = parse_galois_header(head);
  if (!header)
    fail_byte(head.file.name, 0, "the header of a Galois graph, version 1 or 2",
              in_quotes(std::string_view(head.content).substr(0, kGaloisHeaderBytes)));
  const std::uint64_t size = content_bytes(head, options);
  // Version 1 writers may leave out the padding when nothing follows it.
  const bool unpadded = header->data_bytes == 0 && header->version == 1 &&
                        size == header->targets_at() + 4 * header->edges;
  if (size != header->size() && !unpadded)
    fail_file(head.file.name,
              fmt::format("expected {} bytes for {} vertices and {} edges, found {}",
                          header->size(), header->vertices, header->edges, size));
  InputTraits traits;
  traits.format = Format::Galois;
  traits.compression = head.compression;
  traits.weighted =
      header->data_bytes > 0 && header->edges > 0 && options.third_column != ThirdColumn::Ignore;
  traits.declared_vertices = header->vertices;
  traits.declared_edges = header->edges;
  traits.bytes = head.bytes;
  CsrLayout layout;
  layout.file = head.file;
  layout.rows = header->vertices;
  layout.entries = header->edges;
  layout.row_ends = column_at(head.file, "list ends", NumberType::Uint64, kGaloisHeaderBytes);
  layout.leading_zero = false;
  layout.targets = column_at(head.file, "targets",
                             header->version == 1 ? NumberType::Uint32 : NumberType::Uint64,
                             header->targets_at());
  if (traits.weighted)
    layout.weights = column_at(head.file, "weights", data_type(head, *header), header->data_at());
  return std::make_unique<CsrFileReader>(traits, std::move(layout), options);
}

}  // namespace fathom::io
