#include "fathom/algorithms/color/color.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/color/functors.hpp"
#include "fathom/algorithms/levels/functors.hpp"
#include "fathom/algorithms/mis/mis.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

bool both_lists(const Graph& graph) {
  return graph.directed() && graph.has_in();
}
/// Only one end of each edge knows of it.
bool half_lists(const Graph& graph) {
  return graph.directed() && !graph.has_in();
}

class Colouring {
 public:
  Colouring(const Context& ctx, const Graph& graph, const ColorOptions& options)
      : ctx_(ctx),
        graph_(graph),
        one_device_(ctx.replicas() == 1),
        key_(detail::color_keys(ctx, graph, options)),
        word_(ctx, graph.vertices(), 0),
        used_(ctx, graph.vertices(), 0),
        arrived_(ctx, one_device_ ? 0 : graph.vertices(), 0),
        left_(ctx, graph.vertices()),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        picked_(ctx, graph.vertices()),
        more_(ctx, graph.vertices()) {
    left_.fill();
  }

  /// Counts whom each vertex waits for.
  void begin() {
    if (half_lists(graph_)) {
      advance(ctx_, graph_.out(), left_, nullptr, [&](const Device& d) {
        return AwaitEarlier{key_.on(d), word_.on(d)};
      });
    } else {
      const auto count = [&](const Device& d) { return CountEarlier{key_.on(d), word_.on(d)}; };
      gather(ctx_, graph_.out(), left_, nullptr, count);
      if (both_lists(graph_)) gather(ctx_, graph_.in(), left_, nullptr, count);
    }
    merge(word_);
    find_ready(left_);
  }

  bool done() const { return now_.empty(); }
  VertexId ready() const { return now_.size(); }

  /// Colours those that wait for nobody, and tells who waits for them. @returns the edges of the
  /// vertices that were looked at.
  EdgeId round() {
    EdgeId edges = edges_of(now_);
    if (half_lists(graph_)) edges += collect(0);
    edges += pick();
    if (half_lists(graph_)) left_.subtract(now_);
    tell();
    if (half_lists(graph_)) edges += graph_.out().degree_sum(ctx_, left_);
    return edges;
  }

  Array<std::uint32_t> take() { return std::move(word_).take(); }

 private:
  EdgeId edges_of(const Frontier& vertices) const {
    return graph_.out().degree_sum(ctx_, vertices) +
           (both_lists(graph_) ? graph_.in().degree_sum(ctx_, vertices) : 0);
  }

  /// now_: those of `among` that wait for nobody.
  void find_ready(Frontier& among) {
    filter(ctx_, among, now_, [&](const Device& d) { return WaitsForNone{word_.on(d)}; });
    if (!half_lists(graph_)) return;
    left_.make_bitmap();
    gather(ctx_, graph_.out(), now_, &more_, [&](const Device& d) {
      return FindEarlier{left_.on(d).bits, key_.on(d)};
    });
    now_.subtract(more_);
  }

  /// Adds the colours of a window that neighbours of now_ have, as its own lists know them.
  EdgeId collect(std::uint32_t base) {
    const auto window = [&](const Device& d) {
      return CollectColors{key_.on(d), word_.on(d), used_.on(d), base};
    };
    gather(ctx_, graph_.out(), now_, nullptr, window);
    if (both_lists(graph_)) gather(ctx_, graph_.in(), now_, nullptr, window);
    const EdgeId edges = edges_of(now_);
    if (!half_lists(graph_) || base == 0) {
      used_.merge();
      return edges;
    }
    Frontier& all = more_;
    all.fill();
    advance(ctx_, graph_.out(), all, nullptr, [&](const Device& d) {
      return TellWindow{now_.on(d).bits, window(d)};
    });
    used_.merge();
    return edges + graph_.edges();
  }

  /// Gives the vertices of now_ their colours. @returns the edges that were read for it.
  EdgeId pick() {
    EdgeId edges = 0;
    std::uint32_t base = 0;
    const auto pick_in = [&](const Device& d) { return PickColor{used_.on(d), word_.on(d), base}; };
    const auto is_full = [&](const Device& d) { return IsWindowFull{used_.on(d)}; };
    compute(ctx_, now_, pick_in);
    filter(ctx_, now_, next_, is_full);
    if (next_.empty()) return 0;
    std::swap(picked_, now_);  // while now_ is those that need a further window
    while (!next_.empty()) {
      std::swap(now_, next_);
      base += kColorWindow;
      compute(ctx_, now_, [&](const Device& d) { return OpenWindow{used_.on(d)}; });
      edges += collect(base);
      compute(ctx_, now_, pick_in);
      filter(ctx_, now_, next_, is_full);
      ctx_.task().check();
    }
    std::swap(picked_, now_);
    return edges;
  }

  /// now_ becomes those that the vertices of now_ were the last to keep waiting.
  void tell() {
    const auto make = [&](const Device& d) {
      return TellColor{key_.on(d), word_.on(d), used_.on(d),
                       one_device_ ? word_.on(d) : arrived_.on(d), one_device_};
    };
    advance(ctx_, graph_.out(), now_, &next_, make, Emit::Often);
    if (both_lists(graph_)) {
      advance(ctx_, graph_.in(), now_, &more_, make, Emit::Often);
      next_.unite(more_);
    }
    if (!one_device_) {
      used_.merge(&next_);
      arrived_.merge(&next_);
      compute(ctx_, next_, [&](const Device& d) {
        return TakeArrivals{word_.on(d), arrived_.on(d)};
      });
    }
    if (half_lists(graph_))
      find_ready(left_);
    else if (one_device_)
      std::swap(now_, next_);
    else
      find_ready(next_);
  }

  const Context& ctx_;
  const Graph& graph_;
  bool one_device_;
  VertexArray<std::uint32_t, MergeSum> key_, word_;
  VertexArray<std::uint64_t, MergeOr> used_;
  VertexArray<std::uint32_t, MergeSum> arrived_;  // zero between supersteps
  Frontier left_;  // without a colour, where only one end of each edge knows of it
  Frontier now_, next_, picked_, more_;
};

void check_degrees(const Context& ctx, const Graph& graph) {
  const VertexId refused = reduce(
      ctx, graph.vertices(), kNoVertex,
      [&](const Device& d) {
        return TooManyNeighbors{graph.out().offsets(d),
                                both_lists(graph) ? graph.in().offsets(d) : nullptr};
      },
      MergeMin{});
  if (refused != kNoVertex)
    throw VertexError(
        ErrorCode::DoesNotFit,
        "color: vertex {} has more than " + std::to_string(~std::uint32_t{0} - 1) + " edges",
        {refused});
}

}  // namespace

VertexArray<std::uint32_t, MergeSum> detail::color_keys(const Context& ctx, const Graph& graph,
                                                        const ColorOptions& options) {
  VertexArray<std::uint32_t, MergeSum> key =
      detail::mis_keys(ctx, graph, {options.seed, MisOrder::Degree});
  compute(ctx, graph.vertices(), [&](const Device& d) { return TurnKey{key.on(d)}; });
  return key;
}

ColorResult color_vertices(const Context& ctx, const Graph& graph, const ColorOptions& options) {
  const VertexId n = graph.vertices();
  std::vector<RunLists::Lists> read{{graph.out()}};
  if (both_lists(graph)) read.push_back({graph.in()});
  const RunLists lists(ctx, color_state(graph.directed(), graph.has_in(), ctx.replicas() == 1),
                       read);
  Recorder record(ctx, graph.traffic());
  ColorResult result;
  check_degrees(ctx, graph);
  Colouring colouring(ctx, graph, options);
  colouring.begin();
  record.step(n, (graph.directed() ? 2 : 1) * graph.edges(), "count", graph.traffic());

  ctx.task().begin("colouring", n, "vertices");
  VertexId coloured = 0;
  while (!colouring.done()) {
    const VertexId ready = colouring.ready();
    const EdgeId edges = colouring.round();
    ++result.rounds;
    record.step(ready, edges, "color", graph.traffic());
    ctx.task().at(coloured += ready);
  }
  ctx.task().end();
  result.report = record.finish();
  result.color = colouring.take();
  for (const std::uint32_t color : result.color) result.colors = std::max(result.colors, color + 1);
  return result;
}

}  // namespace fathom
