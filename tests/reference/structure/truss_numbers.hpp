// Truss numbers and layers by taking edges off one round at a time.
#pragma once

#include <map>
#include <utility>

#include "tests/reference/graph.hpp"

namespace reference {

struct Truss {
  std::uint32_t number;
  std::uint32_t layer;  // from 1 on
  bool operator==(const Truss&) const = default;
};
/// By the ends of an edge, the smaller one first.
using Trusses = std::map<std::pair<Vertex, Vertex>, Truss>;

/// Of the simple graph without directions. The first round takes all edges off that are in no more
/// than `level` triangles.
Trusses truss_numbers(const Graph& g, std::uint32_t level = 0);

}  // namespace reference
