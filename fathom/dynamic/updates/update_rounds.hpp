// Rounds of updates for graphs that are in use for long: the tests of section 4.3.2 of Winter's
// thesis (Uniform, Random, Sweep).
#pragma once

#include <string_view>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"

namespace fathom::dynamic {

enum class RoundKind {
  Uniform,  // random edges come in one round and go in the next
  Random,   // a coin says whether edges come or go; up to four rounds' edges are there at a time
  Sweep,    // as Uniform, but from 100 vertices in a row, the next ones in every second round
};

inline constexpr VertexId kSweptVertices = 100;

/// uniform, random, sweep. @throws Error(Usage) for another name.
FATHOM_API RoundKind round_kind(std::string_view name);

/// Insertions of edges that are not there, once each, and deletions of what earlier rounds
/// inserted: the graph is as in the beginning when nothing of them is left. Deterministic.
class FATHOM_API UpdateRounds {
 public:
  /// At least two vertices; a round has about `updates` updates, fewer where edges are there
  /// already.
  UpdateRounds(RoundKind kind, std::uint64_t updates, std::uint64_t seed)
      : kind_(kind), updates_(updates), seed_(seed) {}

  /// The next round, for a graph that all rounds before were applied to.
  std::vector<EdgeUpdate> next(const DynamicGraph& graph);
  /// Edges of earlier rounds that are there.
  bool back_to_start() const { return there_.empty(); }

 private:
  std::vector<EdgeUpdate> insertions(const DynamicGraph& graph);

  RoundKind kind_;
  std::uint64_t updates_, seed_, rounds_ = 0, drawn_ = 0, swept_ = 0;
  std::vector<std::vector<EdgeUpdate>> there_;  // as deletions, by round
};

}  // namespace fathom::dynamic
