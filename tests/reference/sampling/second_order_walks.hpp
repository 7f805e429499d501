// The probability of each walk of node2vec (Grover and Leskovec, KDD 2016, section 3.2), by taking
// every way there is.
#pragma once

#include <map>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct SecondOrder {
  double p = 1, q = 1;
  bool weighted = false;
};

/// Of walks of `length` steps from `source`, which end early where no edge leads on.
std::map<std::vector<Vertex>, double> walk_probabilities(const Graph& g, Vertex source,
                                                         std::size_t length,
                                                         const SecondOrder& bias);

}  // namespace reference
