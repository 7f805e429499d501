#include "fathom/algorithms/ktruss/rows.hpp"

#include <algorithm>
#include <string>

#include "fathom/algorithms/ktruss/functors.hpp"

namespace fathom::detail {

Array<EdgeId> offsets_on_host(const Context& ctx, EdgeSource& lists) {
  Array<EdgeId> offset(std::size_t{lists.vertices()} + 1, ctx.host_memory());
  ctx.copy(offset.data(), lists.offsets(ctx.devices()[0]), offset.size() * sizeof(EdgeId));
  return offset;
}

namespace {

/// Sorts edges by their ends: a counting sort by the first one, then each of its ranges.
class RowsOfEdges {
 public:
  RowsOfEdges(const Context& ctx, const Array<EdgeId>& offset, PeeledEdges&& edges,
              const KtrussOptions& options)
      : ctx_(ctx),
        offset_(offset),
        edges_(std::move(edges)),
        options_(options),
        vertices_(static_cast<VertexId>(offset.size() - 1)),
        begin_(offset.size(), ctx.host_memory()) {
    const std::size_t edges_in_all = edges_.head.size();
    result_.u = Array<VertexId>(edges_in_all, ctx.host_memory());
    result_.v = Array<VertexId>(edges_in_all, ctx.host_memory());
    result_.truss = Array<std::uint32_t>(edges_in_all, ctx.host_memory());
    result_.layer = Array<std::uint32_t>(edges_in_all, ctx.host_memory());
  }

  KtrussResult make() && {
    check_rounds();
    result_.rows = put(true, 0);
    put(false, result_.rows);
    result_.layers = static_cast<std::uint32_t>(edges_.level.size());
    if (result_.rows > 0) result_.greatest = edges_.level.back() + 2;
    if (options_.per_vertex) find_vertices();
    return std::move(result_);
  }

 private:
  struct Entry {
    VertexId place, v;
    std::uint32_t layer;
  };

  VertexId place(VertexId v) const { return options_.row.empty() ? v : options_.row[v]; }
  std::uint32_t layer(EdgeId slot) const { return edges_.round[slot] & ~kPeeledEdge; }
  std::uint32_t truss(std::uint32_t layer) const {
    const std::uint32_t its = edges_.level[layer - 1] + 2;
    return its < options_.least ? 0 : its;
  }

  void check_rounds() const {
    for (const std::uint32_t round : edges_.round)
      if (round <= kPeeledEdge || (round & ~kPeeledEdge) > edges_.level.size())
        throw Error(ErrorCode::BadInput, "ktruss: the oriented lists are not in order");
  }

  /// Calls visit(its first end, the other one, layer) for those asked for, or all others.
  template <class Visit>
  void for_each(bool asked_for, const Visit& visit) const {
    for (VertexId u = 0; u < vertices_; ++u)
      for (EdgeId slot = offset_[u]; slot < offset_[u + std::size_t{1}]; ++slot) {
        if ((truss(layer(slot)) != 0) != asked_for) continue;
        const VertexId v = edges_.head[slot];
        const bool in_order = place(u) < place(v);
        visit(in_order ? u : v, in_order ? v : u, layer(slot));
      }
  }

  /// Puts them into rows from `first` on. @returns the row behind them.
  std::uint64_t put(bool asked_for, std::uint64_t first) {
    std::fill(begin_.begin(), begin_.end(), 0);
    for_each(asked_for, [&](VertexId u, VertexId, std::uint32_t) { ++begin_[place(u)]; });
    EdgeId longest = 0, at = first;
    for (std::size_t p = 0; p < vertices_; ++p) {
      longest = std::max(longest, begin_[p]);
      at += std::exchange(begin_[p], at);
    }
    for_each(asked_for, [&](VertexId u, VertexId v, std::uint32_t layer) {
      const EdgeId row = begin_[place(u)]++;
      result_.u[row] = u;
      result_.v[row] = v;
      result_.layer[row] = layer;
      result_.truss[row] = truss(layer);
    });
    sort_ranges(first, at, longest);
    return at;
  }

  /// begin_: where they end now.
  void sort_ranges(std::uint64_t first, std::uint64_t end, std::uint64_t longest) {
    Array<Entry> sorted(longest, ctx_.host_memory());
    for (std::uint64_t row = first; row < end;) {
      const std::uint64_t last = begin_[place(result_.u[row])], size = last - row;
      for (std::uint64_t i = 0; i < size; ++i)
        sorted[i] = {place(result_.v[row + i]), result_.v[row + i], result_.layer[row + i]};
      std::sort(sorted.data(), sorted.data() + size,
                [](const Entry& a, const Entry& b) { return a.place < b.place; });
      for (std::uint64_t i = 0; i < size; ++i, ++row) {
        result_.v[row] = sorted[i].v;
        result_.layer[row] = sorted[i].layer;
        result_.truss[row] = truss(sorted[i].layer);
      }
    }
  }

  void find_vertices() {
    result_.vertex = Array<std::uint32_t>(vertices_, 0, ctx_.host_memory());
    for (std::uint64_t row = 0; row < result_.rows; ++row)
      for (const VertexId v : {result_.u[row], result_.v[row]})
        result_.vertex[v] = std::max(result_.vertex[v], result_.truss[row]);
  }

  const Context& ctx_;
  const Array<EdgeId>& offset_;
  const PeeledEdges edges_;
  const KtrussOptions& options_;
  const VertexId vertices_;
  Array<EdgeId> begin_;  // by places
  KtrussResult result_;
};

}  // namespace

KtrussResult truss_rows(const Context& ctx, const Array<EdgeId>& offset, PeeledEdges&& edges,
                        const KtrussOptions& options) {
  return RowsOfEdges(ctx, offset, std::move(edges), options).make();
}

}  // namespace fathom::detail
