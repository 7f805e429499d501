// What the descriptions of the betweenness of vertices and of edges share.
#pragma once

#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::detail {

std::vector<OptionInfo> betweenness_option_infos();

/// What these options say.
BetweennessOptions betweenness_options_of(const OptionValues& values);

/// How many vertices are searched from.
double betweenness_searches(const Algorithm::Where& where, const OptionValues& values);

}  // namespace fathom::detail
