// What suites share that run every algorithm on several ranks.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/every_algorithm.hpp"

namespace fathom::testing {

/// Graphs on which ranks have much and little to do: a hub whose list one rank has, pieces that no
/// rank shares with another, more ranks than vertices, edges one way and both.
inline std::vector<zoo::RawGraph> graphs_of_ranks() {
  std::vector<zoo::RawGraph> chosen;
  for (const zoo::RawGraph& raw : zoo::all_graphs())
    for (const char* const name : {"Empty", "OneLoop", "Star", "RmatDirected", "GridWeighted",
                                   "DisconnectedPiecesFraction", "PageBorders"})
      if (raw.name == name) chosen.push_back(raw);
  return chosen;
}

/// body(rank, graph in place) on every rank, each a host with so many threads.
template <class Body>
void on_hosts(int ranks, const zoo::RawGraph& raw, int threads, const Body& body) {
  run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
    Configuration where = plain_host();
    where.cpu.threads = threads;
    where.cpu.group = group;
    const PlacedGraph placed(where, raw);
    body(static_cast<std::size_t>(group->rank()), placed);
  });
}

/// What ranks found: what one process did, and the same bit by bit on all of them.
inline void expect_found(const EveryAlgorithm& algorithm, const std::vector<Answer>& found,
                         const Answer& expected) {
  EXPECT_EQ(difference(algorithm, found[0], expected), "") << "other than alone";
  EveryAlgorithm exactly = algorithm;
  exactly.slack = 0;
  for (const Answer& its : found)
    EXPECT_EQ(difference(exactly, its, found[0]), "") << "other than on the first rank";
}

}  // namespace fathom::testing
