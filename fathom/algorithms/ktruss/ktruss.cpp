#include "fathom/algorithms/ktruss/ktruss.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/ktruss/functors.hpp"
#include "fathom/algorithms/ktruss/rows.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

using detail::PeeledEdges;

// Edges whose triangles are counted between two looks at the task.
constexpr VertexId kEdgesAtATime = VertexId{1} << 22;

// Slots of them are numbered by ids of 32 bits, and no edge is then in 2^31 triangles.
constexpr EdgeId kMostEdges = 0xfffffffe;

VertexId number_of_edges(const EdgeSource& oriented) {
  if (oriented.edges() > kMostEdges)
    throw Error(ErrorCode::DoesNotFit, "ktruss: " + std::to_string(oriented.edges()) +
                                           " edges are more than the " +
                                           std::to_string(kMostEdges) + " that it can number");
  return static_cast<VertexId>(oriented.edges());
}

/// Peels the edges of a graph off, those in the fewest triangles first.
class TrussPeeling {
 public:
  TrussPeeling(const Context& ctx, EdgeSource& oriented)
      : ctx_(ctx),
        oriented_(oriented),
        vertices_(oriented.vertices()),
        edges_(number_of_edges(oriented)),
        in_begin_(ctx, vertices_),
        in_size_(ctx, vertices_, 0),
        degree_(ctx, vertices_, 0),
        head_(ctx, edges_, 0),
        tail_(ctx, edges_),
        support_(ctx, edges_, 0),
        left_(ctx, edges_),
        now_(ctx, edges_),
        next_(ctx, edges_) {
    left_.fill();
  }

  VertexId edges() const { return edges_; }
  bool done() const { return left_.empty(); }

  void read_lists() {
    Frontier all(ctx_, vertices_);
    all.fill();
    advance(ctx_, oriented_, all, nullptr, [&](const Device& d) {
      return PutEdgeInSlot{oriented_.offsets(d), head_.on(d), degree_.on(d)};
    });
    merge(head_, degree_);
    place_tails();
    compute(ctx_, edges_, [&](const Device& d) {
      return PutTail{slots_on(d), tail_.on(d), in_size_.on(d)};
    });
    all_in_lists_ = edges_;
  }

  void count_support() {
    for (VertexId first = 0, some; first < edges_; first += some) {
      some = std::min<VertexId>(kEdgesAtATime, edges_ - first);
      compute(ctx_, some, [&](const Device& d) {
        return CountSupport{slots_on(d), support_.on(d), first};
      });
      ctx_.task().check();
    }
  }

  /// Finds the edges that go first at a level of at least `level`, and that level.
  std::uint32_t next_level(std::uint32_t level) {
    find_first(level);
    if (!now_.empty()) return level;
    // The levels in between are empty.
    level = reduce(
        ctx_, edges_, kPeeledEdge, [&](const Device& d) { return SupportOf{support_.on(d)}; },
        MergeMin{});
    find_first(level);
    return level;
  }

  /// Peels what next_level() has found, and on until all support that is left is above `level`.
  /// @returns how many edges.
  VertexId peel(std::uint32_t level) {
    VertexId peeled = 0;
    for (; !now_.empty(); std::swap(now_, next_)) {
      level_.push_back(level);
      const auto round = static_cast<std::uint32_t>(level_.size());
      compute(ctx_, now_, [&](const Device& d) { return PeelEdge{support_.on(d), round}; });
      next_.begin_bitmap();
      compute(ctx_, now_, [&](const Device& d) {
        return LoseTriangles{slots_on(d), support_.on(d), next_.bits(d), kPeeledEdge | round,
                             level};
      });
      next_.end_bitmap(true);
      peeled += now_.size();
      ctx_.task().check();
    }
    filter(ctx_, left_, next_, [&](const Device& d) { return EdgeIsLeft{support_.on(d)}; });
    std::swap(left_, next_);
    forget_tails();
    return peeled;
  }

  PeeledEdges take() && {
    return {std::move(head_).take(), std::move(support_).take(), std::move(level_)};
  }

 private:
  EdgeSlots slots_on(const Device& d) const {
    return {oriented_.offsets(d), head_.on(d),   in_begin_.on(d), tail_.on(d),
            in_size_.on(d),       degree_.on(d), vertices_};
  }

  /// Room for the tails of each vertex: as many as its list has not.
  void place_tails() {
    Array<EdgeId> begin(vertices_, ctx_.host_memory());
    {
      const Array<EdgeId> offset = detail::offsets_on_host(ctx_, oriented_);
      Array<VertexId> degree(vertices_, ctx_.host_memory());
      if (vertices_ > 0)
        ctx_.copy(degree.data(), degree_.on(ctx_.devices()[0]), vertices_ * sizeof(VertexId));
      EdgeId sum = 0;
      for (std::size_t v = 0; v < vertices_; ++v) {
        begin[v] = sum;
        sum += degree[v] - (offset[v + 1] - offset[v]);
      }
      if (sum != edges_)
        throw Error(ErrorCode::BadInput, "ktruss: the oriented lists are not as long as they say");
    }
    in_begin_.assign(begin.span());
  }

  void find_first(std::uint32_t level) {
    filter(ctx_, left_, now_, [&](const Device& d) {
      return SupportAtMost{support_.on(d), level};
    });
  }

  /// Once half of the edges are gone, where those that are left are searched.
  void forget_tails() {
    if (left_.size() > all_in_lists_ / 2 || left_.empty()) return;
    all_in_lists_ = left_.size();
    compute(ctx_, vertices_, [&](const Device& d) {
      return KeepTails{slots_on(d), support_.on(d), tail_.on(d), in_size_.on(d)};
    });
  }

  const Context& ctx_;
  EdgeSource& oriented_;
  const VertexId vertices_, edges_;
  VertexArray<EdgeId> in_begin_;
  VertexArray<VertexId> in_size_;
  VertexArray<VertexId, MergeSum> degree_, head_;
  VertexArray<VertexId> tail_;
  VertexArray<std::uint32_t> support_;
  Frontier left_, now_, next_;        // of edges
  std::vector<std::uint32_t> level_;  // of each round
  VertexId all_in_lists_ = 0;         // edges whose tails are known to their heads
};

PeeledEdges peel_all(const Context& ctx, const Graph& graph, EdgeSource& oriented,
                     std::uint32_t least, Recorder& record) {
  TrussPeeling peeling(ctx, oriented);
  peeling.read_lists();
  record.step(graph.vertices(), oriented.edges(), "read", graph.traffic());
  peeling.count_support();
  record.step(graph.vertices(), 0, "support", graph.traffic());
  ctx.task().begin("peeling", peeling.edges(), "edges");
  VertexId peeled = 0;
  for (std::uint32_t level = least > 2 ? least - 3 : 0; !peeling.done(); ++level) {
    level = peeling.next_level(level);
    const VertexId its = peeling.peel(level);
    record.step(its, 0, "peel", graph.traffic());
    ctx.task().at(peeled += its);
  }
  ctx.task().end();
  return std::move(peeling).take();
}

}  // namespace

KtrussResult truss_decomposition(const Context& ctx, const Graph& graph,
                                 const KtrussOptions& options) {
  check_rows("ktruss", options.row, graph.vertices());
  graph.prepare_oriented();
  Recorder record(ctx, graph.traffic());
  const std::shared_ptr<EdgeSource> oriented = graph.oriented();
  const RunLists lists(
      ctx, ktruss_state(graph.vertices(), number_of_edges(*oriented), options.per_vertex),
      {{*oriented}});
  record.step(graph.vertices(), 0, "orient", graph.traffic());
  PeeledEdges peeled = peel_all(ctx, graph, *oriented, options.least, record);
  RunReport report = record.finish();
  KtrussResult result =
      detail::truss_rows(ctx, detail::offsets_on_host(ctx, *oriented), std::move(peeled), options);
  result.report = std::move(report);
  return result;
}

}  // namespace fathom
