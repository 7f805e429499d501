#include "fathom/algorithms/sssp/sssp.hpp"

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/algorithms/sssp/parts.hpp"
#include "fathom/algorithms/sssp/rank_buckets.hpp"
#include "fathom/algorithms/sssp/width.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/bucket.hpp"
#include "fathom/residency/paged/split_run.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

void check_arguments(const Context& ctx, const Graph& graph, VertexId source,
                     const SsspOptions& options) {
  check_sources(graph, {&source, 1});
  if (!(options.delta >= 0))
    throw Error(ErrorCode::Usage, "delta must be positive, or 0 to have it chosen, not " +
                                      std::to_string(options.delta));
  check_callers_weights(ctx, graph, options);
}

template <class Length>
class DeltaStepping {
 public:
  DeltaStepping(Split& split, const Graph& graph, VertexId source, Recorder& record)
      : split_(split),
        graph_(graph),
        source_(source),
        record_(record),
        distance_(split, graph.vertices(), kInfinity, Use::AtSourceToo),
        bad_weight_(split.context(), 1, 0),
        pending_(split.context(), graph.vertices()) {
    distance_.set(source, 0);
    assign(split, pending_, std::array{source});
  }

  void run(Length delta) {
    if (!split_.on() && detail::finds_paths_by_rank(split_.context(), graph_))
      run_by_rank(delta);
    else
      run_together(delta);
    check_weights(bad_weight_, graph_);
  }
  void run_along(std::span<const double> weights, Length delta) {
    bucket(
        split_.context(), graph_.out(), distance_.whole(), pending_, delta,
        [&](const Device& d) {
          return AlongWeights<Relax<Length>>{relax(d), weights.data(), graph_.out().offsets(d)};
        },
        record_);
    check_given_weights(bad_weight_);
  }

  VertexId reached() {
    return reduce(
        split_, graph_.vertices(), VertexId{0},
        [&](const Device& d) { return CountReached<Length>{distance_.on(d)}; }, MergeSum{});
  }
  Array<Length> take() && { return std::move(distance_).take(); }

 private:
  void run_together(Length delta) {
    bucket(
        split_, graph_.out(), distance_, pending_, delta, [&](const Device& d) { return relax(d); },
        [&](const Device& d) {
          return RelaxApart<Length>{distance_.at_source(d), distance_.on(d), bad_weight_.on(d)};
        },
        record_);
  }
  void run_by_rank(Length delta) {
    const Context& ctx = split_.context();
    const detail::RankWork work = detail::shortest_paths_by_rank(
        ctx, graph_.out(), source_, delta, distance_.whole(), bad_weight_.on(ctx.devices()[0]));
    record_.step(work.vertices, work.edges, "local", graph_.traffic());
  }
  Relax<Length> relax(const Device& d) { return {distance_.on(d), bad_weight_.on(d)}; }

  Split& split_;
  const Graph& graph_;
  VertexId source_;
  Recorder& record_;
  SplitArray<Length, MergeMin> distance_;
  VertexArray<std::uint32_t, MergeOr> bad_weight_;
  Frontier pending_;
};

template <class Length>
Length bucket_width(Split& split, const Graph& graph, const SsspOptions& options) {
  if (const auto given = static_cast<Length>(options.delta); given > 0) return given;
  return static_cast<Length>(options.weights.empty()
                                 ? automatic_delta(split, graph)
                                 : automatic_delta(options.weights, graph.vertices()));
}

template <class Length>
SsspResult search(const Context& ctx, const Graph& graph, VertexId source,
                  const SsspOptions& options) {
  const bool along = !options.weights.empty();
  StateSize state = sssp_state(sizeof(Length));
  if (along) state.chunk = 0;
  SplitRun split_run(ctx, graph, state);
  Split& split = split_run.split();
  if (split.on() && along)
    split_run.refuse("sssp does not follow weights of the caller where vertex state is split");
  std::vector<RunLists::Lists> read;
  if (!split.on()) read.push_back({graph.out(), {kWholeList, !along}});
  const RunLists lists(ctx, state, read);
  Recorder record(ctx, graph.traffic());
  SsspResult result;
  const auto delta = bucket_width<Length>(split, graph, options);
  result.delta = delta;

  DeltaStepping<Length> search(split, graph, source, record);
  if constexpr (std::is_same_v<Length, double>) {
    if (along)
      search.run_along(options.weights, delta);
    else
      search.run(delta);
  } else {
    search.run(delta);
  }
  result.reached = search.reached();
  result.report = record.finish();
  result.report.chunks = split.chunks();
  distances_of<Length>(result) = std::move(search).take();
  return result;
}

}  // namespace

void check_callers_weights(const Context& ctx, const Graph& graph, const SsspOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::Usage, "sssp: " + what);
  };
  if (options.weights.empty()) return;
  if (options.weights.size() != graph.edges())
    refuse(std::to_string(options.weights.size()) + " weights of the caller for " +
           std::to_string(graph.edges()) + " edges");
  if (options.precision != SsspPrecision::Double)
    refuse("weights of the caller are followed in double precision alone");
  if (ctx.on_gpu()) refuse("weights of the caller are followed on hosts alone, not on a GPU");
  const std::optional<AnyEdges> whole = graph.out().whole({});
  if (whole && std::holds_alternative<DynamicEdges>(*whole))
    refuse(
        "weights of the caller go with lists in order, and those of a graph that changes are not");
}

SsspResult sssp(const Context& ctx, const Graph& graph, VertexId source,
                const SsspOptions& options) {
  check_arguments(ctx, graph, source, options);
  return options.precision == SsspPrecision::Double ? search<double>(ctx, graph, source, options)
                                                    : search<Weight>(ctx, graph, source, options);
}

}  // namespace fathom
