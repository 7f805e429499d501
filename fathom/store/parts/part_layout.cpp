#include "fathom/store/parts/part_layout.hpp"

#include <fmt/format.h>

#include "fathom/store/format.hpp"

namespace fathom::store {
namespace {

/// Of the first part at the beginning of all lists, of the last one at their end.
void check_range(const std::string& path, const Layout& layout, const PartLayout& part,
                 const PartRange& range, SectionId targets, SectionId weights) {
  const Header& header = layout.header;
  const auto require = [&](bool ok, const std::string& what) {
    if (!ok)
      throw_bad_store(path,
                      fmt::format("section 'part': the lists of '{}' {}", name_of(targets), what));
  };
  const SectionEntry* const target = layout.find(targets);
  if (!target) return require(range == PartRange(), "are not there");
  require(range.first <= range.last && range.last <= header.vertices && range.begin <= range.end &&
              range.end <= header.edges,
          fmt::format("are of vertices {} to {} and edges {} to {}, of {} and {}", range.first,
                      range.last, range.begin, range.end, header.vertices, header.edges));
  require(part.index > 0 || (range.first == 0 && range.begin == 0), "do not begin with vertex 0");
  require(
      part.index + 1 < part.parts || (range.last == header.vertices && range.end == header.edges),
      "do not end with the last vertex");
  for (const SectionId id : {targets, weights})
    if (const SectionEntry* const entry = layout.find(id))
      if (const std::uint64_t count = entry->bytes / entry->element_bytes; count != range.edges())
        throw_bad_store(path,
                        fmt::format("section table: section '{}' has {} elements, expected {}",
                                    name_of(id), count, range.edges()));
}

}  // namespace

std::array<std::uint64_t, kPartNumbers> encode_part(const PartLayout& part) {
  const PartRange &out = part.out, &in = part.in;
  return {part.index, part.parts, out.first, out.last, out.begin,
          out.end,    in.first,   in.last,   in.begin, in.end};
}

PartLayout decode_part(const std::string& path, const Layout& layout,
                       const std::array<std::uint64_t, kPartNumbers>& n) {
  if (n[1] == 0 || n[1] > kMostParts || n[0] >= n[1])
    throw_bad_store(path, fmt::format("section 'part': there is no part {} of {}", n[0], n[1]));
  for (const std::size_t i : {2u, 3u, 6u, 7u})
    if (n[i] > layout.header.vertices)
      throw_bad_store(path,
                      fmt::format("section 'part': vertex {} of {}", n[i], layout.header.vertices));
  const auto vertex = [&](std::size_t i) { return static_cast<VertexId>(n[i]); };
  const PartLayout part{static_cast<std::uint32_t>(n[0]),
                        static_cast<std::uint32_t>(n[1]),
                        {vertex(2), vertex(3), n[4], n[5]},
                        {vertex(6), vertex(7), n[8], n[9]}};
  check_range(path, layout, part, part.out, SectionId::OutTargets, SectionId::OutWeights);
  check_range(path, layout, part, part.in, SectionId::InTargets, SectionId::InWeights);
  return part;
}

}  // namespace fathom::store
