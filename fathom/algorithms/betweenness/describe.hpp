// What the descriptions of the betweenness of vertices and of edges share.
#pragma once

#include <string_view>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::detail {

std::vector<OptionInfo> betweenness_option_infos();

/// What these options say.
BetweennessOptions betweenness_options_of(const OptionValues& values);

/// How many vertices are searched from, and times by that: a batch of few searches reads what one
/// of them reads at least, and takes no longer than one of as many as are measured.
/// @param reads  of a search: reads of each edge.
/// @param hops, weights  what the runs are called that are measured.
Reads betweenness_reads(const Algorithm::Where& where, const OptionValues& values, double reads,
                        std::string_view hops, std::string_view weights);

// Of runs that are measured.
void choose_hops(OptionValues& values);
void choose_weights(OptionValues& values);

}  // namespace fathom::detail
