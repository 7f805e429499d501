#include "fathom/algorithms/cdlp/cdlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/cdlp/functors.hpp"
#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/in_lists.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/exec/checkpoint/run.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Propagation {
 public:
  Propagation(const Context& ctx, const Graph& graph, EdgeSource* in, const CdlpOptions& options)
      : ctx_(ctx),
        async_(options.async),
        seed_(options.seed),
        n_(graph.vertices()),
        out_(graph.out()),
        in_(in),
        words_{std::max(1u, static_cast<std::uint32_t>(std::bit_width(
                                std::uint64_t{n_} > 0 ? std::uint64_t{n_} - 1 : 0)))},
        label_(ctx, n_),
        next_(ctx, n_),
        slot_(ctx, slots_for(n_), 0),
        table_(ctx, slot_table(slots_for(n_))),
        window_(ctx, n_),
        windows_(plan_slot_windows(ctx, out_, in_, slots_for(n_))) {
    check_entries();
    has_long_ = first_with_more(kShortLabelList) != kNoVertex;
  }

  void start(std::span<const VertexId> row) {
    if (row.empty())
      compute(ctx_, n_, [&](const Device& d) { return StartLabels{label_.on(d)}; });
    else
      label_.assign(row);
  }

  void save_to(CheckpointRun& saved) { saved.add("label", label_); }

  /// @returns whether any label has changed, or would have if nobody had sat out.
  bool iterate(std::uint32_t iteration, CheckpointRun& saved) {
    if (async_) saved.changes();
    for (const SlotWindow& window : windows_) {
      select_window(ctx_, window, window_);
      window.no_room ? count_by_ranges(window) : count_in_slots(window);
      if (async_) move_labels(iteration);
      ctx_.task().check();
    }
    // A label that was moved has been exchanged with the one before.
    const std::uint64_t changed = reduce(
        ctx_, n_, std::uint64_t{0},
        [&](const Device& d) {
          return IsOtherLabel{label_.on(d), next_.on(d)};
        },
        MergeSum{});
    saved.changes();
    if (!async_) std::swap(label_, next_);
    return changed != 0;
  }

  Array<VertexId> take() { return std::move(label_).take(); }
  Array<VertexId> take_before() { return std::move(next_).take(); }

 private:
  SlotPlaces places(const Device& d, EdgeId first = 0) const {
    return {out_.offsets(d), in_ ? in_->offsets(d) : nullptr, first};
  }

  VertexId first_with_more(EdgeId limit) const {
    return reduce(
        ctx_, n_, kNoVertex,
        [&](const Device& d) {
          return HasMoreEntries{places(d), limit};
        },
        MergeMin{});
  }
  void check_entries() const {
    const VertexId refused = first_with_more(words_.most());
    if (refused != kNoVertex)
      throw VertexError(ErrorCode::DoesNotFit,
                        "cdlp: vertex {} has more than " + std::to_string(words_.most()) + " edges",
                        {refused});
  }

  template <class Make>
  void read_lists(const Make& make) {
    advance(ctx_, out_, window_, nullptr, [&](const Device& d) { return make(d, false); });
    if (in_) advance(ctx_, *in_, window_, nullptr, [&](const Device& d) { return make(d, true); });
  }
  void clear_table(EdgeId size) {
    const std::uint64_t zero = 0;
    for (const Device& d : ctx_.devices()) ctx_.fill(d, table_.on(d), size, &zero, sizeof zero);
  }

  void count_in_slots(const SlotWindow& window) {
    const EdgeId slots = window.slots();
    if (slots > 0) {
      // Each device puts what it sees: the sum is then what all of them saw.
      if (ctx_.replicas() > 1) slot_.fill(0);
      read_lists([&](const Device& d, bool in_list) {
        return PutLabel{label_.on(d), slot_.on(d), places(d, window.begin), in_list};
      });
      merge(slot_);
    }
    if (has_long_ && slots > kShortLabelList) {
      clear_table(slot_table(slots));
      compute(ctx_, window.segments(), [&](const Device& d) {
        return CountLabels{slot_.on(d),
                           table_.on(d),
                           {places(d, window.begin), window.first, window.last, slots},
                           words_};
      });
    }
    compute(ctx_, window_, [&](const Device& d) {
      return PickLabel{
          label_.on(d), next_.on(d), slot_.on(d), table_.on(d), places(d, window.begin),
          words_,       async_};
    });
  }
  /// Of the window's vertices, which have found what they want.
  void move_labels(std::uint32_t iteration) {
    const RandomStream random(seed_, iteration);
    compute(ctx_, window_, [&](const Device& d) {
      return MoveLabel{label_.on(d), next_.on(d), random, iteration % 2 == 1};
    });
  }

  /// Labels of one vertex, as many at a time as the table has words.
  void count_by_ranges(const SlotWindow& window) {
    const VertexId own = label_.get(window.first);
    std::uint64_t best = 0, times_of_own = 0;
    const EdgeId words = slot_table(slots_for(n_));
    for (EdgeId base = 0; base < n_; base += words) {
      const auto low = static_cast<VertexId>(base);
      const auto size = static_cast<VertexId>(std::min<EdgeId>(words, n_ - base));
      clear_table(words);
      read_lists([&](const Device& d, bool) {
        return CountInRange{label_.on(d), table_.on(d), low, size};
      });
      merge(table_);
      if (async_ && own >= low && own - low < size) times_of_own = table_.get(own - low);
      best = std::max(best, reduce(
                                ctx_, size, std::uint64_t{0},
                                [&](const Device& d) {
                                  return WordInRange{table_.on(d), low, words_};
                                },
                                GreaterWord{}));
    }
    const bool stays = async_ && words_.times_of(best) == times_of_own;
    next_.set(window.first, stays ? own : words_.label_of(best));
  }

  const Context& ctx_;
  const bool async_;
  const std::uint64_t seed_;
  const VertexId n_;
  EdgeSource& out_;
  EdgeSource* const in_;  // null: undirected
  const LabelWords words_;
  VertexArray<VertexId> label_, next_;
  VertexArray<VertexId, MergeSum> slot_;
  VertexArray<std::uint64_t, MergeSum> table_;
  Frontier window_;
  const std::vector<SlotWindow> windows_;
  bool has_long_ = false;
};

/// The vertices that have these rows.
void name_vertices(const Context& ctx, std::span<const VertexId> row, Array<VertexId>& labels) {
  Array<VertexId> vertex(row.size(), ctx.host_memory());
  for (std::size_t v = 0; v < row.size(); ++v) vertex[row[v]] = static_cast<VertexId>(v);
  for (VertexId& label : labels) label = vertex[label];
}

VertexId count_labels(const Context& ctx, const Array<VertexId>& labels) {
  Array<std::uint64_t> met((labels.size() + 63) / 64, 0, ctx.host_memory());
  for (const VertexId label : labels) met[label / 64] |= std::uint64_t{1} << (label % 64);
  VertexId count = 0;
  for (const std::uint64_t word : met) count += static_cast<VertexId>(std::popcount(word));
  return count;
}

}  // namespace

CdlpResult label_propagation(const Context& ctx, const Graph& graph, const CdlpOptions& options) {
  const VertexId n = graph.vertices();
  check_rows("cdlp", options.row, n);
  const detail::InLists in_lists(graph);
  EdgeSource* const in = in_lists.get();
  std::vector<RunLists::Lists> read{{graph.out()}};
  if (in) read.push_back({*in});
  const RunLists lists(ctx, cdlp_state(graph.directed()), read);
  CdlpResult result;
  {
    Recorder record(ctx, in_lists.traffic());
    Propagation propagation(ctx, graph, in, options);
    propagation.start(options.row);
    CheckpointSettings settings;
    if (options.checkpoint)
      settings = {
          {"order of labels",
           options.row.empty() ? "that of ids" : checkpoint_digest(std::as_bytes(options.row))},
          {"async", fmt::format("{}", options.async)},
          {"seed", fmt::format("{}", options.seed)}};
    CheckpointRun saved(ctx, options.checkpoint, {"cdlp", n, graph.edges(), settings});
    propagation.save_to(saved);
    result.iterations = saved.resume(options.iterations - std::min(1u, options.iterations));
    const EdgeId entries = graph.edges() + (in ? in->edges() : 0);
    ctx.task().begin("labels", options.iterations, "iterations");
    saved.run([&] {
      while (result.iterations < options.iterations && !result.stable) {
        result.stable = !propagation.iterate(result.iterations, saved);
        ++result.iterations;
        // The last one is checked by the labels before it, which a checkpoint lacks.
        if (!result.stable && result.iterations < options.iterations)
          saved.reached(result.iterations);
        record.step(n, entries, "label", in_lists.traffic());
        ctx.task().at(result.iterations);
      }
    });
    ctx.task().end();
    result.report = record.finish();
    result.label = propagation.take();
    if (!options.async && !result.stable && result.iterations > 0)
      result.before = propagation.take_before();
  }
  if (!options.row.empty()) {
    name_vertices(ctx, options.row, result.label);
    name_vertices(ctx, options.row, result.before);
  }
  result.communities = count_labels(ctx, result.label);
  return result;
}

}  // namespace fathom
