// Directed graphs in layers, in which lists that are long and lists that are short alternate: fused
// supersteps (ops/run_small.hpp) end at every second layer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/core/random.hpp"

namespace fathom::testing {

inline constexpr std::uint32_t kNoDepth = ~std::uint32_t{0};

struct LayeredGraph {
  static constexpr std::uint32_t kLongFrom = 129;  // more than kSmallList

  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;

  /// Layers of vertices with a few edges to the next one. In every second layer one vertex in four
  /// has a long list, in the others none has.
  LayeredGraph(std::uint32_t layers, std::uint32_t width, std::uint64_t seed) {
    const RandomStream random(seed, 0);
    std::uint64_t at = 0;
    const auto draw = [&](std::uint32_t below) {
      return static_cast<std::uint32_t>(bounded(random.at(at++), below));
    };
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      for (std::uint32_t i = 0; i < width; ++i) {
        const bool is_long = layer % 2 == 1 && draw(4) == 0;
        const std::uint32_t degree = is_long ? kLongFrom + draw(9) : 1 + draw(3);
        if (layer + 1 < layers)
          for (std::uint32_t k = 0; k < degree; ++k)
            target.push_back((layer + 1) * width + draw(width));
        std::sort(target.begin() + static_cast<std::ptrdiff_t>(offset.back()), target.end());
        offset.push_back(target.size());
      }
  }
  VertexId vertices() const { return static_cast<VertexId>(offset.size() - 1); }
  EdgeId degree(VertexId v) const { return offset[v + 1] - offset[v]; }
};

/// Depths from vertex 0, one superstep after the other.
inline std::vector<std::uint32_t> depths_of(const LayeredGraph& graph) {
  std::vector<std::uint32_t> depth(graph.vertices(), kNoDepth);
  depth[0] = 0;
  std::vector<VertexId> queue{0};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (EdgeId e = graph.offset[queue[i]]; e < graph.offset[queue[i] + 1]; ++e)
      if (depth[graph.target[e]] == kNoDepth) {
        depth[graph.target[e]] = depth[queue[i]] + 1;
        queue.push_back(graph.target[e]);
      }
  return depth;
}

}  // namespace fathom::testing
