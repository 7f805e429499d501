// Breadth-first searches from up to 64 sources at once, a level at a time: what multi_bfs() is made
// of, for algorithms that want to know who arrives where but not every depth.
//
//   MultiSearch search(ctx, graph);
//   for (search.start(sources); search.alive() != 0; search.step(record))
//     compute(ctx, search.frontier(), [&](const Device& d) {
//       return AddHarmonic{search.arrived(d), sum.on(d), search.level()};
//     });
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/multi_search/search_set.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

struct MultiBfsOptions {
  Direction direction = Direction::Auto;
  std::uint32_t depth_limit = kUnreached;  // searches go no farther than this
  bool hints = true;  // when pulling, try each vertex's hint first, where the source has hints
};

/// Searches that share every list they fetch.
///
/// Invariants between calls: arrived() is zero outside frontier(); arrived(v) is part of seen(v);
/// alive() is the union of arrived() over frontier().
/// Cost: per level and as a whole at most one read of each edge of the union of the searches'
/// frontiers, instead of one per search. 24 bytes per vertex and device plus frontiers.
/// Source: Then et al., "The more the merrier: efficient multi-source graph traversal", PVLDB 8(4),
/// 2014.
class FATHOM_API MultiSearch {
 public:
  static constexpr std::size_t kMost = 64;

  /// @throws Error(Usage) for Direction::Pull without in-edges; Error(DoesNotFit).
  /// `state`: of the algorithm that searches, with multi_search_state() in it.
  MultiSearch(const Context& ctx, const Graph& graph, const MultiBfsOptions& options = {},
              const StateSize& state = multi_search_state());

  /// Level 0: search i is at sources[i]. May be called again, for other sources.
  /// @param sources  1 to kMost vertices; a vertex given twice is searched from twice.
  /// @throws Error(Usage) for none, too many, or one out of range.
  void start(std::span<const VertexId> sources);
  /// The same, where searches[i] begin at vertex[i]: a search may begin at several vertices.
  /// @param vertex  distinct, each below vertices().  @param searches  as many, none empty.
  void start(std::span<const VertexId> vertex, std::span<const SearchSet> searches);

  /// To the next level. @throws Error(Interrupted).
  void step(Recorder& record);

  /// Hops from the sources to frontier().
  std::uint32_t level() const { return level_; }
  /// Searches that arrived anywhere at this level; none: all are over.
  SearchSet alive() const { return alive_; }
  /// Vertices where at least one search arrived at this level.
  const Frontier& frontier() const { return now_; }
  /// [vertices], in the memory of `device`: the searches that arrived at each at this level.
  const SearchSet* arrived(const Device& device) const { return arrived_.on(device); }
  /// [vertices]: the searches that arrived at each vertex by now.
  const SearchSet* seen(const Device& device) const { return seen_.on(device); }
  /// The same, in host memory; ends the search.
  Array<SearchSet> take_seen() && { return std::move(seen_).take(); }

 private:
  /// @throws Error(Usage)
  static bool pulls(const Graph& graph, const MultiBfsOptions& options);
  bool pulls(EdgeId frontier_edges);
  void push();
  void pull();

  const Context& ctx_;
  Graph graph_;
  MultiBfsOptions options_;
  std::unique_ptr<RunLists> lists_;  // before state is allocated
  std::uint32_t level_ = 0;
  SearchSet alive_ = 0;
  VertexArray<SearchSet> seen_;
  VertexArray<SearchSet, MergeOr> arrived_, arriving_;  // at this level, at the next one
  VertexArray<SearchSet> under_way_;                    // [1]
  Frontier now_, next_, open_, hinted_;
  bool hints_ = false;
};

}  // namespace fathom
