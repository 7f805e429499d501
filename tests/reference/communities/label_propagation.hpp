// Communities by label propagation, as fathom/algorithms/cdlp/cdlp.hpp specifies them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Propagated {
  std::vector<Vertex> label;  // per vertex, a vertex
  std::uint32_t iterations = 0;
  bool stable = false;
};

/// `row`: which labels are smaller; empty: ids are.
Propagated propagate_labels(const Graph& g, std::uint32_t iterations,
                            const std::vector<Vertex>& row = {});

/// Block after block, with vertices that sit out by `seed`.
Propagated propagate_labels_by_blocks(const Graph& g, std::uint32_t iterations, std::uint64_t seed,
                                      const std::vector<Vertex>& row = {});

}  // namespace reference
