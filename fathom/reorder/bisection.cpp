#include "fathom/reorder/bisection.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fathom/reorder/bisection_memory.hpp"
#include "fathom/reorder/bisection_moves.hpp"
#include "fathom/reorder/bisection_passes.hpp"
#include "fathom/reorder/queries.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {
namespace {

/// Takes parts from the whole graph down to leaves: those whose queries fit memory there, others a
/// depth at a time in passes.
class NeighbourBisection {
  using InMemory = MemoryBisection<NeighbourQueries>;

 public:
  NeighbourBisection(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        vertices_(graph.vertices()),
        pages_(graph.residency() == "stream" ? kPages : 0) {
    const std::size_t either = std::min(in_passes(0), in_memory(whole(), graph.out().edges()));
    require(2 * vertices_ * sizeof(VertexId) + either);
    order_ = natural_order(ctx, graph.vertices());
    counts_ = count_queries(ctx, graph);
  }

  Array<VertexId> run() && {
    std::vector<Part> parts{{0, vertices_}};
    while (!(parts = bisect_in_memory(parts)).empty()) {
      bisect_in_passes(parts);
      parts = halves_of(parts);
    }
    return std::move(order_);
  }

 private:
  /// Neighbouring parts whose queries are in memory at the same time.
  struct Group {
    Part range;
    std::size_t largest = 0;  // part
    EdgeId entries = 0;

    Group with(const Group& next) const {
      return {
          {range.first, next.range.last}, std::max(largest, next.largest), entries + next.entries};
    }
  };

  Group whole() const { return {{0, vertices_}, vertices_}; }

  Group group_of(const Part& p) const {
    EdgeId entries = 0;
    for (std::size_t i = p.first; i < p.last; ++i) entries += counts_.of[order_[i]];
    return {p, p.size(), entries};
  }

  // Bytes beside the order and the counts, with pages of edges where those are in host memory.
  std::size_t in_passes(std::size_t longest) const {
    return BisectionPasses::bytes(vertices_, longest) + pages_;
  }
  std::size_t in_memory(const Group& g, EdgeId entries) const {
    const std::size_t members = g.range.size();
    return NeighbourQueries::bytes(members, entries) + 2 * members * sizeof(VertexId) +
           std::max({vertices_ * sizeof(VertexId) + pages_,
                     InMemory::team_bytes(vertices_, g.largest),
                     InMemory::bytes(vertices_, g.largest, entries)});
  }
  std::size_t in_memory(const Group& g) const { return in_memory(g, g.entries); }

  void require(std::size_t bytes) const {
    ctx_.host_memory()->reserve(bytes);
    ctx_.host_memory()->unreserve(bytes);
  }

  /// Bisects those that fit. Returns the others, but for leaves.
  std::vector<Part> bisect_in_memory(const std::vector<Part>& parts) {
    std::vector<Part> left, grouped;
    Group group;
    const auto fits = [&](const Group& g) {
      const std::size_t bytes = in_memory(g);
      if (bytes > most_) return false;
      if (has_room(*ctx_.host_memory(), bytes)) return true;
      most_ = bytes - 1;  // no more will be free
      return false;
    };
    const auto flush = [&] {
      if (!grouped.empty() && !bisect_group(group, grouped))
        left.insert(left.end(), grouped.begin(), grouped.end());
      grouped.clear();
    };
    for (const Part& p : parts) {
      if (p.is_leaf()) continue;
      const Group one = group_of(p);
      const bool follows = !grouped.empty() && group.range.last == p.first;
      if (follows && fits(group.with(one))) {
        group = group.with(one);
      } else {
        flush();
        if (!fits(one)) {
          left.push_back(p);
          continue;
        }
        group = one;
      }
      grouped.push_back(p);
    }
    flush();
    return left;
  }

  /// False when it did not fit after all: then nothing has changed.
  bool bisect_group(const Group& group, std::vector<Part> parts) {
    const std::size_t needed = in_memory(group);
    const auto order = order_.span().subspan(group.range.first, group.range.size());
    for (Part& p : parts) p = {p.first - group.range.first, p.last - group.range.first};
    try {
      Array<VertexId> slots = natural_order(ctx_, static_cast<VertexId>(order.size()));
      const Array<VertexId> member =
          Array<VertexId>::copy_of(std::span<const VertexId>(order), ctx_.host_memory());
      NeighbourQueries queries(ctx_, graph_, member.span(), counts_.of.span());
      InMemory(ctx_, queries, costs_).run(slots.span(), std::move(parts));
      for (std::size_t i = 0; i < slots.size(); ++i) order[i] = member[slots[i]];
      return true;
    } catch (const Error& e) {
      // Pages of edges can take more than is known here.
      if (e.code() != ErrorCode::DoesNotFit) throw;
      most_ = needed / 4 * 3;
      return false;
    }
  }

  void bisect_in_passes(const std::vector<Part>& parts) {
    // What does not fit is said at once, and for all of it.
    std::size_t bytes = in_passes(counts_.longest);
    if (parts.front().size() == vertices_) bytes = std::min(bytes, in_memory(group_of(parts[0])));
    require(bytes);
    BisectionPasses(ctx_, graph_, costs_, order_.span()).split(parts);
  }

  // Two pages of 1 MiB, one of targets and one of weights, each with the next one: what a stream
  // from a disk takes at least.
  static constexpr std::size_t kPages = std::size_t{4} << 20;

  const Context& ctx_;
  const Graph& graph_;
  const BisectionCosts costs_;
  std::size_t vertices_, pages_;
  Array<VertexId> order_;
  QueryCounts counts_;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();  // more did not fit
};

}  // namespace

Array<VertexId> bisect_by_neighbours(const Context& ctx, const Graph& graph) {
  return NeighbourBisection(ctx, graph).run();
}

Array<VertexId> bisect_by_levels(const Context& ctx, const Graph& graph,
                                 std::span<const VertexId> sources) {
  const LevelQueries levels(ctx, graph, sources);
  const BisectionCosts costs;
  Array<VertexId> order = natural_order(ctx, graph.vertices());
  levels.view([&](auto queries) {
    MemoryBisection(ctx, queries, costs).run(order.span(), {{0, order.size()}});
  });
  return order;
}

}  // namespace fathom::reorder
