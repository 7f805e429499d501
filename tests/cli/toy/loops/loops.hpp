// Loops: how many edges lead from a vertex back to itself. Small, to see what an algorithm that
// describes itself takes.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct Algorithm;

struct LoopsResult {
  Array<std::uint64_t> loops;  // [vertices]
  std::uint64_t total = 0;
  RunReport report;
};

/// Counts at most `most` loops of a vertex. Cost: one read of each edge; 8 bytes per vertex.
LoopsResult count_loops(const Context& ctx, const Graph& graph, std::uint64_t most);

/// Reads every list on the host. @throws Error(VerificationFailed)
void verify_loops(const Graph& graph, std::uint64_t most, const LoopsResult& result);

const Algorithm& describe_loops();

}  // namespace fathom
