// Whether lists in one direction have the edges of those in the other, for certificates.
#pragma once

#include <cstdint>

#include "fathom/core/random.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom::detail {

/// A sum over the edges, which go from u to v or, reversed, from v to u.
inline std::uint64_t sum_of_edges(ListReader& lists, VertexId vertices, bool reversed) {
  const RandomStream random(11, 0);
  std::uint64_t sum = 0;
  for (VertexId u = 0; u < vertices; ++u)
    lists.read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i)
        sum += reversed ? random.at(span.target(i), u) : random.at(u, span.target(i));
    });
  return sum;
}

}  // namespace fathom::detail
