// What the descriptions of methods that find communities by modularity share.
#pragma once

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/louvain/louvain.hpp"

namespace fathom::detail {

/// Options, columns and facts; what else there is to say is left to fill in.
Algorithm describe_communities();

/// What these options say.
LouvainOptions options_of_communities(const OptionValues& values);

/// The facts, the column and the summary of a result. `name`: what the summary begins with.
void fill_in(Answer& answer, const char* name, const LouvainResult& result);

}  // namespace fathom::detail
