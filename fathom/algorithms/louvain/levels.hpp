// What the Louvain and the Leiden method share: level after level, until none gains.
#pragma once

#include "fathom/algorithms/louvain/louvain.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom::detail {

struct LevelMethod {
  const char* name;  // of messages
  bool refines;      // parts of communities become vertices (Leiden), not communities (Louvain)
  StateSize state;
  std::uint32_t passes = 1;  // at most: again from the vertices and the communities found so far
};

/// @throws what louvain() does, in the name of the method.
LouvainResult run_levels(const Context& ctx, const Graph& graph, const LouvainOptions& options,
                         const LevelMethod& method);

/// verify_louvain(), in the name of a method, with so many passes.
void verify_communities(const Context& ctx, const Graph& graph, const LouvainOptions& options,
                        const LouvainResult& result, const char* name, std::uint32_t passes = 1);

}  // namespace fathom::detail
