// Core numbers and onion layers by taking vertices off one round at a time.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

struct Cores {
  std::vector<std::uint32_t> core;   // per vertex
  std::vector<std::uint32_t> layer;  // per vertex, from 1 on
};

/// Degrees count the edges of both directions, parallel ones each, but no loops.
Cores core_numbers(const Graph& g);

}  // namespace reference
