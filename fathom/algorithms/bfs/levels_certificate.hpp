// What is claimed of one search, and the check of it: verify_bfs() and verify_multi_bfs() share it.
#pragma once

#include <span>
#include <string>

#include "fathom/residency/graph.hpp"

namespace fathom {

struct BfsClaim {
  std::span<const VertexId> sources;
  std::span<const std::uint32_t> depth;
  std::span<const VertexId> parent;  // empty: none are claimed
  VertexId reached = 0;
  std::uint32_t max_depth = 0;
  std::uint32_t depth_limit = 0;
};

/// `name` begins messages. @throws Error(VerificationFailed)
void check_bfs_claim(const Context& ctx, const Graph& graph, const BfsClaim& claim,
                     const std::string& name);

}  // namespace fathom
