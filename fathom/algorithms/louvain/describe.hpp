// What the descriptions of methods that find communities by modularity share.
#pragma once

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/louvain/louvain.hpp"

namespace fathom::detail {

using FindCommunities = LouvainResult (*)(const Context&, const Graph&, const LouvainOptions&);
using VerifyCommunities = void (*)(const Context&, const Graph&, const LouvainOptions&,
                                   const LouvainResult&);

/// Options, columns and facts; what else there is to say is left to fill in.
Algorithm describe_communities();

/// Runs it with the values of these options. `name`: what its summary begins with.
Answer answer_communities(const char* name, const Context& ctx, const Graph& graph,
                          const OptionValues& values, FindCommunities find,
                          VerifyCommunities verify);

}  // namespace fathom::detail
