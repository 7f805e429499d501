// From one level to the next: communities become vertices, or their parts where they were refined.
#pragma once

#include <memory>
#include <optional>

#include "fathom/algorithms/louvain/moves.hpp"
#include "fathom/graph/stream_build.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::detail {

/// Weights of such graphs are units times this.
inline constexpr double kCoarseWeight = 0x1p-61;

/// The number of each vertex's community; numbers go by the communities' names.
struct Numbering {
  Array<VertexId> of;        // [vertices]; kNoVertex: a vertex without edges is alone for good
  VertexId communities = 0;  // without those
  VertexId alone = 0;
};

/// The share of all edges that are inside communities, and what is to be expected.
struct Modularity {
  double inside = 0, expected = 0;
  double value() const { return inside - expected; }
};

class Contraction {
 public:
  /// Ends the rounds of `moves`, and reads all lists. Where communities were refined, numbers are
  /// those of their parts, which are what becomes a vertex.
  /// `state`: bytes per vertex that the next level takes beside its lists.
  Contraction(const Context& ctx, Moves& moves, double state);

  const Numbering& numbering() const { return numbering_; }
  Numbering take_numbering() { return std::move(numbering_); }
  /// [communities]: units of their vertices' edges.
  Array<std::uint64_t> take_strength() { return std::move(strength_); }
  /// Of each part of a refined community the first one: those that no edges inside connect are
  /// communities of their own, by which modularity grows. Empty: nothing was refined.
  Array<VertexId> take_whole() { return std::move(whole_); }
  /// Of the communities, not of their parts. `inside`: up to what the weights of the level's graph
  /// were rounded to.
  Modularity modularity(double resolution) const;

  /// Whether there are edges between communities, or parts of them.
  bool has_edges() const { return builder_->records() > 0 || !edge_.empty(); }

  /// A loop has the weight of the edges inside a community, an edge that of the edges between two.
  /// In memory where there is room beside a level's state, else in a file without a name, which is
  /// mapped. Once. @throws Error(Io); Error(Interrupted).
  Graph graph();

 private:
  void number(const Array<VertexId>& community, const Array<std::uint64_t>& total);
  void begin_whole(const Array<VertexId>& whole);
  VertexId find(VertexId part);
  void unite(VertexId a, VertexId b);
  void read_lists(Moves& moves);
  void push();

  const Context& ctx_;
  const std::uint64_t all_;
  const double state_;
  Numbering numbering_;
  Array<std::uint64_t> strength_, inside_;  // [communities]; inside_: loops and edges, once
  Array<VertexId> name_;                    // [parts]: of what each is a part; while lists are read
  Array<VertexId> whole_;  // [parts]: one before it that it is connected with there, or itself
  std::uint64_t between_parts_ = 0;      // units of the edges between parts of a community, once
  std::shared_ptr<const void> sorting_;  // memory, reserved
  std::optional<graph::StreamBuilder> builder_;
  std::vector<Edge> edge_;
  std::vector<Weight> weight_;
};

}  // namespace fathom::detail
