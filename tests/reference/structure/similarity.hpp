// Similarities of neighbourhoods as sets, of every pair of vertices.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Similar {
  Vertex u, v;
  double value;
};

class Neighborhoods {
 public:
  /// Loops, directions and the multiplicity of edges are ignored.
  explicit Neighborhoods(const Graph& g);

  /// By "jaccard", "overlap", "adamic-adar", "resource-allocation" or "common".
  double similarity(const std::string& measure, Vertex u, Vertex v) const;
  /// The k best of u that have a common neighbour with it; `row` decides ties unless it is empty.
  std::vector<Similar> best(const std::string& measure, Vertex u, std::size_t k,
                            const std::vector<Vertex>& row = {}) const;

 private:
  std::set<Vertex> common(Vertex u, Vertex v) const;

  std::vector<std::set<Vertex>> around_;
};

}  // namespace reference
