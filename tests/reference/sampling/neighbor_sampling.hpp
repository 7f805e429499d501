// Neighbour sampling without chance: what a sample has to be, given which edges were drawn, and how
// likely each draw from a list is.
#pragma once

#include <map>

#include "tests/reference/graph.hpp"

namespace reference {

struct SampleRequest {
  std::vector<std::int64_t> fan_out;  // by hop; -1: all
  bool in_edges = true, replace = false, weighted = false, disjoint = false;
  std::vector<std::int64_t> edge_times;  // by position in the lists; empty: none
  bool last = false;                     // the latest edges
};

struct Sample {
  std::vector<Vertex> nodes;
  std::vector<std::uint32_t> row, col, tree, nodes_per_hop;
  std::vector<std::uint64_t> edge, edges_per_hop;

  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Follows the request with the edges that `got` says were drawn. Empty when nothing is wrong, else
/// what is. Lists are ordered by target and weight; positions count through all of them.
std::string fault(const Graph& g, const SampleRequest& request, const std::vector<Vertex>& seeds,
                  const std::vector<std::int64_t>& times, const Sample& got);

/// The outcomes of k draws from items in proportion to their weights, one after the other: sorted
/// items, and the probability of having drawn these.
std::map<std::vector<std::uint32_t>, double> draw_probabilities(const std::vector<double>& weights,
                                                                std::size_t k, bool replace);

/// Whether outcomes were seen as often as is likely: Pearson's chi-square test, which a fair draw
/// fails once in ten thousand times. An outcome that cannot be is never plausible.
bool plausible(const std::map<std::vector<std::uint32_t>, std::uint64_t>& seen,
               const std::map<std::vector<std::uint32_t>, double>& probability);

}  // namespace reference
