// Bisection of vertices whose queries do not fit memory: all parts of a depth at once, in passes
// over the lists of a graph, which are the queries.
//
// A query, the list of a vertex, is seen whole in a pass: how many of it are in each half of each
// part tells what its vertices gain by moving, which is added up per vertex. Nothing is kept per
// query.
#pragma once

#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/reorder/bisection_moves.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

class BisectionPasses {
 public:
  /// Splits vertices of `order` in passes.
  BisectionPasses(const Context& ctx, const Graph& graph, const BisectionCosts& costs,
                  std::span<VertexId> order);
  /// What it takes beside the order, for lists of at most `longest` vertices.
  static std::size_t bytes(std::size_t vertices, std::size_t longest) {
    return vertices * kVertexBytes + longest * sizeof(VertexId) + kFixedBytes;
  }

  /// Splits each part, none of which is a leaf; they are ascending.
  /// Cost: up to 20 reads of each edge.
  void split(const std::vector<Part>& parts);

 private:
  /// What a worker knows of a query: for each half of a part how many are in it, and what one of
  /// them gains.
  struct HalfOfQuery {
    std::uint32_t count = 0;
    std::int32_t gain = 0;
  };
  static constexpr std::size_t kHalfBytes = sizeof(HalfOfQuery) + sizeof(VertexId);
  static constexpr std::size_t kTableBytes = 4;  // per vertex; at least one worker's: 2 / 9 halves
  static_assert(kTableBytes * (kBisectionLeaf + 1) >= 2 * kHalfBytes);
  // Half, gain, move and scratch, tables, and 6 for vectors of parts, which are more than leaves.
  static constexpr std::size_t kVertexBytes =
      sizeof(VertexId) + sizeof(std::int64_t) + 13 * sizeof(Move) / 8 + kTableBytes + 6;
  static constexpr std::size_t kBlock = std::size_t{1} << 15;  // targets handled at once
  static constexpr std::size_t kLists = std::size_t{1} << 13;  // and lists
  static constexpr std::size_t kFixedBytes =
      kBlock * sizeof(VertexId) + kLists * sizeof(std::size_t) + (std::size_t{1} << 16);
  static constexpr VertexId kNoHalf = kNoVertex;

  void find_gains(const std::vector<Part>& parts);
  void add_gains(std::span<const VertexId> query, HalfOfQuery* half, std::vector<VertexId>& met,
                 const std::vector<Part>& parts);
  std::size_t exchange(const Part& part, std::size_t number, int workers);

  const Context& ctx_;
  const Graph& graph_;
  const BisectionCosts& costs_;
  std::span<VertexId> order_;
  Array<VertexId> half_;      // [vertex]: 2 * part, + 1 in its right half
  Array<std::int64_t> gain_;  // [vertex]: of moving to the other half
  Array<Move> move_, scratch_;
};

}  // namespace fathom::reorder
