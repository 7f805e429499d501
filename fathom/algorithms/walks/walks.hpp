// Random walks, drawn step by step for many walkers at a time (Yang et al., "KnightKing: a fast
// distributed graph random walk engine", SOSP 2019, section 2: static walks, with restart).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct WalkOptions {
  std::uint32_t length = 10;     // steps at most, below 2^20
  std::uint64_t per_source = 1;  // walks from each source
  bool weighted = false;         // edges in proportion to their weights, those of 0 never
  double restart = 0;            // the probability, in [0, 1), that a step leads to the source
  std::uint64_t seed = 0;
  std::uint32_t batch = 0;  // walks at a time, a power of 2; 0: as many as take some 8 MiB
};

struct WalksResult {
  std::uint64_t walks = 0;
  std::uint64_t steps = 0;  // of all of them
  std::uint64_t ended = 0;  // walks that ended early
  RunReport report;
};

/// Where walks begin; nothing: at every vertex.
using WalkSources = std::optional<std::span<const VertexId>>;

/// Called with rows of length + 1 vertices, of walks `first`, first + 1 and so on: walk w begins at
/// source w / per_source. Behind the end of one that ended early there is kNoVertex.
using WalkConsumer = std::function<void(std::uint64_t first, std::span<const VertexId> rows)>;

/// Walks from each source along out-edges, and shows the walks to `consume`, if given, a batch at a
/// time and in order. A walk ends early at a vertex that has no out-edges, by weight at one that
/// has none of a weight above 0; a restart comes before that.
///
/// @return  a function of the lists, the sources and the options but `batch`: a step depends on
///          (seed, walk, step, vertex) alone, whatever the residency, the executor and the number
///          of threads. Lists ascend, but for those of graphs that change.
/// @throws Error(Usage) for an option or a source out of range, or weights that the graph does not
///         have; Error(BadInput) for a weight that is negative or not finite; Error(DoesNotFit);
///         Error(Interrupted).
/// Cost: on the host a read of each step's edge, by weight of each edge of the lists met. Where the
/// host does not reach the lists, for each step of a batch a sweep over those of its vertices. Per
/// walk of a batch 4 bytes per step and about 100, on each device 40; a bit per vertex.
FATHOM_API WalksResult random_walks(const Context& ctx, const Graph& graph,
                                    const WalkSources& sources, const WalkOptions& options,
                                    const WalkConsumer& consume = nullptr);

/// Checks rows that a consumer was shown: they begin at their sources, each step is along an edge
/// (by weight, one of a weight above 0) or, with restart, to the source, and a walk ends early only
/// where there is no edge to go along. How often each is gone along is not checked.
/// @throws Error(VerificationFailed) saying what is wrong; Error(Usage) where the host cannot read
///         the lists one at a time (EdgeSource::read_lists()).
/// Cost: a read of each list that the rows meet, and 16 bytes per step.
FATHOM_API void verify_walks(const Graph& graph, const WalkSources& sources,
                             const WalkOptions& options, std::uint64_t first,
                             std::span<const VertexId> rows);

}  // namespace fathom
