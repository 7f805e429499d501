#include "fathom/algorithms/reciprocity/reciprocity.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fathom/algorithms/in_lists.hpp"
#include "fathom/algorithms/reciprocity/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Answers {
 public:
  Answers(const Context& ctx, const Graph& graph, EdgeSource& in)
      : ctx_(ctx),
        n_(graph.vertices()),
        out_(graph.out()),
        in_(in),
        answered_(ctx, n_, 0),
        slot_(ctx, slots_for(n_), 0),
        cell_(ctx, slot_table(slots_for(n_)), 0),
        of_long_(ctx, 1, 0),
        window_(ctx, n_) {}

  void run() {
    const std::vector<SlotWindow> windows = plan_slot_windows(ctx_, out_, &in_, slots_for(n_));
    ctx_.task().begin("compare", windows.size(), "blocks");
    std::uint64_t done = 0;
    for (const SlotWindow& window : windows) {
      select_window(ctx_, window, window_);
      window.no_room ? count_by_ranges(window.first) : count_in_slots(window);
      ctx_.task().check();
      ctx_.task().at(++done);
    }
    ctx_.task().end();
  }

  EdgeId total() const {
    return reduce(
        ctx_, n_, EdgeId{0}, [&](const Device& d) { return AnsweredOf{answered_.on(d)}; },
        MergeSum{});
  }
  Array<EdgeId> take() { return std::move(answered_).take(); }

 private:
  void fill_cells(EdgeId size, VertexId value) {
    for (const Device& d : ctx_.devices()) ctx_.fill(d, cell_.on(d), size, &value, sizeof value);
  }

  void count_in_slots(const SlotWindow& window) {
    const EdgeId slots = window.slots();
    if (slots == 0) return;
    const auto places = [&](const Device& d) {
      return SlotPlaces{out_.offsets(d), in_.offsets(d), window.begin};
    };
    // Each device puts what it sees: the sum is then what all of them saw.
    if (ctx_.replicas() > 1) slot_.fill(0);
    advance(ctx_, out_, window_, nullptr, [&](const Device& d) {
      return PutNeighbor{slot_.on(d), places(d), false};
    });
    advance(ctx_, in_, window_, nullptr, [&](const Device& d) {
      return PutNeighbor{slot_.on(d), places(d), true};
    });
    merge(slot_);
    fill_cells(slot_table(slots), kNoVertex);
    const auto segments = [&](const Device& d) {
      return SlotSegments{places(d), window.first, window.last, slots};
    };
    compute(ctx_, window.segments(), [&](const Device& d) {
      return EnterNeighbors{slot_.on(d), {cell_.on(d), places(d)}, segments(d)};
    });
    compute(ctx_, window.segments(), [&](const Device& d) {
      return CountAnswered{slot_.on(d), {cell_.on(d), places(d)}, segments(d), answered_.on(d)};
    });
  }

  /// Neighbours of one vertex, as many at a time as there are cells.
  void count_by_ranges(VertexId v) {
    const EdgeId cells = slot_table(slots_for(n_));
    of_long_.fill(0);
    for (EdgeId base = 0; base < n_; base += cells) {
      const auto low = static_cast<VertexId>(base);
      const auto size = static_cast<VertexId>(std::min<EdgeId>(cells, n_ - base));
      fill_cells(cells, 0);
      advance(ctx_, in_, window_, nullptr, [&](const Device& d) {
        return MarkInRange{cell_.on(d), low, size};
      });
      merge(cell_);  // above 0 where any device has marked
      advance(ctx_, out_, window_, nullptr, [&](const Device& d) {
        return CountMarked{cell_.on(d), of_long_.on(d), low, size};
      });
    }
    merge(of_long_);
    answered_.set(v, of_long_.get(0));
  }

  const Context& ctx_;
  const VertexId n_;
  EdgeSource &out_, &in_;
  VertexArray<EdgeId> answered_;
  VertexArray<VertexId, MergeSum> slot_;
  VertexArray<VertexId, MergeSum> cell_;
  VertexArray<EdgeId, MergeSum> of_long_;
  Frontier window_;
};

}  // namespace

ReciprocityResult reciprocity(const Context& ctx, const Graph& graph) {
  if (!graph.directed())
    throw Error(
        ErrorCode::Usage,
        "reciprocity is of directed graphs: every edge of an undirected one goes both ways");
  const detail::InLists in_lists(graph);
  EdgeSource& in = *in_lists.get();
  const RunLists lists(ctx, reciprocity_state(), {{graph.out()}, {in}});
  Recorder record(ctx, in_lists.traffic());
  Answers answers(ctx, graph, in);
  answers.run();
  ReciprocityResult result;
  result.edges = answers.total();
  record.step(graph.vertices(), 2 * graph.edges(), "compare", in_lists.traffic());
  result.report = record.finish();
  result.answered = answers.take();
  result.reciprocity = graph.edges() == 0
                           ? std::numeric_limits<double>::quiet_NaN()
                           : static_cast<double>(result.edges) / static_cast<double>(graph.edges());
  return result;
}

}  // namespace fathom
