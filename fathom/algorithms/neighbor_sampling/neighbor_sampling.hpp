// Neighbour sampling: some neighbours of the seeds, some neighbours of those, and so on: the
// batches that graph neural networks are trained with (Hamilton, Ying and Leskovec, "Inductive
// representation learning on large graphs", NeurIPS 2017: GraphSAGE, section 3.1 and appendix A).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// Which lists neighbours are taken from.
enum class SampleAlong {
  InEdges,  // messages flow from what is sampled to the seeds
  OutEdges,
};

/// Of the edges that are not too late.
enum class TemporalChoice {
  Any,   // as without times
  Last,  // the latest ones; of equal times those further back in the list
};

/// How lists are read.
enum class SampleReads {
  Auto,       // Host where the host has the lists in reach, else Operators
  Host,       // entry by entry
  Operators,  // a sweep over the lists of a hop's vertices, wherever they are
};

/// The fan-out of a hop that takes every neighbour.
inline constexpr std::int64_t kAllNeighbors = -1;

struct NeighborSamplingOptions {
  std::vector<std::int64_t> fan_out;  // by hop, below 2^31: at most so many edges of each vertex
  SampleAlong along = SampleAlong::InEdges;
  bool replace = false;   // an edge may be drawn several times
  bool weighted = false;  // edges are drawn in proportion to their weights, those of 0 never
  bool disjoint = false;  // a tree per seed: vertices are the same only within a tree
  std::uint64_t seed = 0;
  /// [edges of the lists], by position; outlives the sampler. If given, of the tree of a seed only
  /// edges whose time is at most the seed's are drawn, which needs `disjoint`.
  std::optional<std::span<const std::int64_t>> edge_times = {};
  TemporalChoice temporal = TemporalChoice::Any;
  int threads = 0;  // 0: the context's
  SampleReads reads = SampleReads::Auto;
  /// What a vertex is called where something is wrong with it; its id unless the caller knows more.
  std::function<std::string(VertexId)> label_of = nullptr;
};

/// Lies in the sampler, until it samples again. Local indices are places in `nodes`.
struct NeighborSample {
  std::span<const VertexId> nodes;  // the seeds as they were given, then others as they are found
  /// By hop, then by the vertex whose list it is of, then by position. Edges lead from row to col:
  /// along in-edges col is the vertex whose neighbour row is, along out-edges the other way round.
  std::span<const std::uint32_t> row, col;
  std::span<const EdgeId> edge;                  // positions in the lists
  std::span<const std::uint32_t> tree;           // of nodes: the place of its seed; if disjoint
  std::span<const std::uint32_t> nodes_per_hop;  // [hops + 1], the seeds first
  std::span<const EdgeId> edges_per_hop;         // [hops]
};

/// Draws batches. Memory is kept from one to the next. One thread at a time may use a sampler. The
/// samplers of a graph may work at the same time where reads_on_host(), once they are made;
/// elsewhere, as algorithms do, they take turns.
class FATHOM_API NeighborSampler {
 public:
  /// The context outlives the sampler. Of several ranks all make it; where not reads_on_host() they
  /// sample together, the same batches in the same order.
  /// @throws Error(Usage) for a fan-out out of range, weights or in-edges that the graph does not
  ///         have, times that are not one per edge or go without `disjoint`, the last edges with
  ///         replacement or by weight, or reads that this graph does not allow.
  NeighborSampler(const Context& ctx, const Graph& graph, NeighborSamplingOptions options);
  ~NeighborSampler();
  NeighborSampler(NeighborSampler&&) noexcept;
  NeighborSampler& operator=(NeighborSampler&&) noexcept;

  /// Draws for each hop up to fan_out[hop] edges of each vertex that the hop before has found. The
  /// first hop draws for each of the seeds, which may repeat; other vertices are found once (per
  /// tree). Without replacement a vertex that has fewer edges to draw from gives all of them. By
  /// weight, draws without replacement are successive (Efraimidis and Spirakis, "Weighted random
  /// sampling with a reservoir", Information Processing Letters 97, 2006).
  ///
  /// The result is a function of the lists, the options, `batch`, `seeds` and `times`: what is
  /// drawn of a list depends on (seed, batch, hop, vertex, and the tree if disjoint) and positions
  /// alone, whatever the residency, the executor and the number of threads. Lists ascend, but for
  /// those of graphs that change: linked ones are in no order, parallel edges not by weight.
  ///
  /// @param seeds  vertices in [0, graph.vertices()).
  /// @param batch  another number, other draws.
  /// @param times  [seeds], exactly where there are edge times.
  /// @throws Error(Usage) for a seed out of range or another number of times; Error(BadInput) for
  ///         a weight that is negative or not finite; Error(DoesNotFit); Error(Interrupted).
  /// Cost: on the host a read of each drawn edge, with weights or times of each edge of the lists
  /// drawn from. By operators a sweep for each hop over the lists of its vertices, with weights or
  /// for all neighbours several, of 8 MiB or one list at least. About 24 bytes of host memory per
  /// edge drawn and 20 per vertex found; by operators also a bit per vertex of the graph and, per
  /// vertex and edge of a hop, 28 and 12 bytes on each device.
  NeighborSample sample(std::span<const VertexId> seeds, std::uint64_t batch = 0,
                        std::span<const std::int64_t> times = {});

  const NeighborSamplingOptions& options() const;
  /// Whether lists are read by the host, entry by entry: of several ranks by all of them or none.
  bool reads_on_host() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Checks what does not depend on chance: each edge is the one at its position, of a vertex that
/// was found in the hop before; each of these has as many as it should, none twice without
/// replacement, none of weight 0 or too late, or too early for the last ones; and nodes are those
/// that edges lead to. Positions are those of ascending lists.
/// @throws Error(VerificationFailed) saying what is wrong; Error(Usage) where the host cannot read
///         the lists one at a time (EdgeSource::read_lists()).
/// Cost: a read of each edge of the lists drawn from.
FATHOM_API void verify_neighbor_sample(const Context& ctx, const Graph& graph,
                                       const NeighborSamplingOptions& options,
                                       std::span<const VertexId> seeds,
                                       std::span<const std::int64_t> times,
                                       const NeighborSample& sample);

}  // namespace fathom
