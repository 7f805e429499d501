// The lists that breadth-first searches read.
#pragma once

#include <vector>

#include "fathom/residency/graph.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

/// A search that may pull does so where most lists are read: those are cached first.
inline std::vector<RunLists::Lists> search_lists(const Graph& graph, bool may_pull, bool hints) {
  constexpr double kPulled = 2;
  std::vector<RunLists::Lists> lists;
  if (may_pull)
    lists.push_back(
        {graph.in(), {kWholeList, false, hints ? Hints::Always : Hints::None}, kPulled});
  if (!may_pull || graph.directed()) lists.push_back({graph.out()});
  return lists;
}

}  // namespace fathom
