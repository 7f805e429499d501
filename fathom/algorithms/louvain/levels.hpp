// What the Louvain and the Leiden method share: level after level, until none gains.
#pragma once

#include "fathom/algorithms/louvain/louvain.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom::detail {

struct LevelMethod {
  const char* name;  // of messages
  bool refines;      // parts of communities become vertices (Leiden), not communities (Louvain)
  StateSize state;
};

/// @throws what louvain() does, in the name of the method.
LouvainResult run_levels(const Context& ctx, const Graph& graph, const LouvainOptions& options,
                         const LevelMethod& method);

/// verify_louvain(), in the name of a method.
void verify_communities(const Context& ctx, const Graph& graph, const LouvainOptions& options,
                        const LouvainResult& result, const char* name);

}  // namespace fathom::detail
