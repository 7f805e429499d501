// One level: vertices move between communities until none gains by it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fathom/algorithms/louvain/refinement.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::detail {

/// The unit of a graph's weights, of which all edges together have fewer than 2^61.
/// @throws Error(BadInput) of the first weight that is below 0 or not finite, in the name of
///         `algorithm`. Cost: a read of each edge, where there are weights.
WeightUnits weight_units(const Context& ctx, const Graph& graph, const char* algorithm);

struct MoveOptions {
  WeightUnits units;
  double resolution = 1;
  bool refines = false;  // Leiden: vertices may leave for a community of their own, then refine()
};

/// What a level begins with.
struct MoveStart {
  // Of each vertex, the units of its edges, loops twice; empty: a read of each edge sums them up.
  std::span<const std::uint64_t> strength;
  // Of each vertex, called by one of its vertices; empty: every vertex is a community.
  std::span<const VertexId> community;
};

class Moves {
 public:
  Moves(const Context& ctx, EdgeSource& edges, const MoveOptions& options, const MoveStart& start);

  struct Round {
    VertexId vertices = 0;  // that chose
    EdgeId edges = 0;
    std::uint64_t moved = 0;
  };
  /// All that may gain choose once.
  Round round(std::uint64_t seed);

  /// Once, where options say so: rounds are then of vertices that are alone and join parts of the
  /// communities found so far, a part each at first. No vertex leaves one that others have joined.
  void refine();

  /// Units of all vertices' edges.
  std::uint64_t all() const { return all_; }
  WeightUnits units() const { return options_.units; }
  /// Memory of the host that reading lists takes.
  std::size_t sweep_memory() const { return edges_.least_sweep_memory(); }
  VertexId vertices() const { return n_; }

  struct Found {
    Array<VertexId> community;   // [vertices]; parts of communities where it was refined
    Array<VertexId> whole;       // [vertices]: the communities that they are parts of, or empty
    Array<std::uint64_t> total;  // by community, units of its vertices' edges
  };
  /// No more rounds: gives back what they need.
  Found end_rounds();

  /// Shows all lists, in pieces that the host reaches.
  using Visit = FunctionRef<void(VertexId, std::span<const VertexId>, std::span<const Weight>)>;
  void for_each_list(Visit visit);

 private:
  struct Table {
    VertexArray<VertexId> key;
    VertexArray<std::uint64_t, MergeSum> sum;
    VertexArray<VertexId> next;         // chosen
    VertexArray<std::uint64_t> active;  // a bit per vertex
    Frontier chooses;
    Table(const Context& ctx, VertexId n, EdgeId room);
  };

  SlotPlaces places(const Device& d, EdgeId first) const {
    return {edges_.offsets(d), nullptr, first};
  }
  SlotSegments segments(const Device& d, const SlotWindow& window) const {
    return {places(d, window.begin), window.first, window.last, window.slots()};
  }
  const VertexId* whole(const Device& d) const { return refining_ ? whole_->on(d) : nullptr; }
  Choosers choosers(const Device& d, const SlotWindow& window, std::uint64_t seed,
                    std::uint32_t now);
  void start_alone();
  void put_edges(Frontier& vertices, EdgeId first, EdgeId slots);
  void clear_table(EdgeId cells);
  void choose_in_slots(const SlotWindow& window, std::uint64_t seed);
  void choose_alone(const SlotWindow& window);
  void show_window(const SlotWindow& window, EdgeId first, EdgeId last, Visit visit);

  const Context& ctx_;
  EdgeSource& edges_;
  const VertexId n_;
  const EdgeId room_;
  const MoveOptions options_;
  Worth worth_;
  std::uint64_t all_ = 0;
  VertexArray<VertexId> community_;
  VertexArray<std::uint64_t> total_;  // by community
  VertexArray<std::uint64_t, MergeSum> strength_;
  VertexArray<VertexId, MergeSum> target_;
  VertexArray<Weight, MergeSum> weight_;
  VertexArray<std::uint64_t> moved_;
  Frontier window_;
  std::vector<SlotWindow> windows_;
  bool has_long_ = false;
  bool refining_ = false;
  std::optional<VertexArray<VertexId>> whole_;  // communities, while community_ has parts of them
  std::optional<Table> table_;
};

}  // namespace fathom::detail
