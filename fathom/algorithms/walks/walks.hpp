// Random walks, drawn step by step for many walkers at a time (Yang et al., "KnightKing: a fast
// distributed graph random walk engine", SOSP 2019): walks of the first order, with restart
// (section 2), and of the second, node2vec's (Grover and Leskovec, "node2vec: scalable feature
// learning for networks", KDD 2016, section 3.2), by rejection (KnightKing, section 4).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct WalkOptions {
  static constexpr std::uint64_t kAllWalks = ~std::uint64_t{0};

  std::uint32_t length = 10;     // steps at most, below 2^20
  std::uint64_t per_source = 1;  // walks from each source
  bool weighted = false;         // edges in proportion to their weights, those of 0 never
  // From t a walk came to v: an edge from v to x goes by its weight times 1 / p if x is t, 1 if
  // there is an edge from t to x, 1 / q otherwise. From 0.001 to 1000; where both are 1, of the
  // first order.
  double p = 1, q = 1;
  double restart = 0;  // the probability, in [0, 1), that a step leads to the source
  std::uint64_t seed = 0;
  std::uint64_t first = 0, walks = kAllWalks;  // only those numbered first and so on, so many
  std::uint32_t batch = 0;  // walks at a time, a power of 2; 0: as many as there is memory for
  /// What a vertex is called where something is wrong with it; its id unless the caller knows more.
  std::function<std::string(VertexId)> label_of = nullptr;

  bool second_order() const { return p != 1 || q != 1; }
};

struct WalksResult {
  std::uint64_t walks = 0;
  std::uint64_t steps = 0;  // of all of them
  std::uint64_t ended = 0;  // walks that ended early
  RunReport report;         // its seconds without those of the consumer
};

/// Where walks begin; nothing: at every vertex.
using WalkSources = std::optional<std::span<const VertexId>>;

/// Called with rows of length + 1 vertices, of walks `first`, first + 1 and so on: walk w begins at
/// source w / per_source. Behind the end of one that ended early there is kNoVertex.
using WalkConsumer = std::function<void(std::uint64_t first, std::span<const VertexId> rows)>;

/// Walks from each source along out-edges, and shows the walks to `consume`, if given, a batch at a
/// time and in order; of several ranks all give one or none, and each is shown all walks. A walk
/// ends early at a vertex that has no out-edges, by weight at one that has none of a weight above
/// 0; a restart comes before that. The step behind a restart is of the first order, as the first
/// one is. Parallel edges count each.
///
/// @return  a function of the lists, the sources and the options but `batch`: a step depends on
///          (seed, walk, step) and the way so far alone, whatever the residency, the executor, the
///          number of threads and which walks are drawn. Lists ascend, but for those of graphs that
///          change.
/// @throws Error(Usage) for an option or a source out of range, or weights that the graph does not
///         have; Error(BadInput) for a weight that is negative or not finite; Error(DoesNotFit);
///         Error(Interrupted).
/// Cost: on the host a read of each step's edge, by weight twice of each edge of the lists that the
/// walks of a batch are at. Where the host does not reach the lists, for each step of a batch a
/// sweep over those of its vertices. A step of the second order is tried until it is accepted, in
/// the mean at most max(1, 1/q) / min(1, 1/p, 1/q) times, by weight max(1, 1/p, 1/q) / ...: each
/// time an edge is read, and the list before it is searched unless the draw settles it (by sweeps:
/// two a round, of several tries for each, and one beforehand where p < 1). Ranks whose hosts reach
/// the lists draw batches by turns, and are sent those of others where they are shown them;
/// elsewhere each batch is drawn by all of them together. Memory: walk_memory(),
/// per walk of a batch 4 bytes per step and some 100; where the host does not reach the lists some
/// 500 at most, by weight 2 KiB, and a bit per vertex on each device.
FATHOM_API WalksResult random_walks(const Context& ctx, const Graph& graph,
                                    const WalkSources& sources, const WalkOptions& options,
                                    const WalkConsumer& consume = nullptr);

/// Checks rows that a consumer was shown: they begin at their sources, each step is along an edge
/// (by weight, one of a weight above 0) or, with restart, to the source, and a walk ends early only
/// where there is no edge to go along. How often each is gone along is not checked.
/// @throws Error(VerificationFailed) saying what is wrong; Error(Usage) where the host cannot read
///         the lists one at a time (EdgeSource::read_lists()).
/// Cost: a read of each list that some 4 million steps leave, and 8 bytes for each of these.
FATHOM_API void verify_walks(const Graph& graph, const WalkSources& sources,
                             const WalkOptions& options, std::uint64_t first,
                             std::span<const VertexId> rows);

}  // namespace fathom
