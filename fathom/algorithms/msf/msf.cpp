#include "fathom/algorithms/msf/msf.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/algorithms/components/giant.hpp"
#include "fathom/algorithms/msf/functors.hpp"
#include "fathom/algorithms/scc/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Trees {
 public:
  Trees(const Context& ctx, const Graph& graph, const MsfOptions& options)
      : ctx_(ctx),
        graph_(graph),
        options_(options),
        label_(ctx, graph.vertices()),
        best_(ctx, graph.vertices()),
        chosen_(ctx, graph.vertices()),
        parent_(ctx, graph.vertices()),
        weight_(ctx, graph.vertices(), 0),
        all_(ctx, graph.vertices()),
        again_(ctx, graph.vertices()) {
    all_.fill();
    compute(ctx, all_, [&](const Device& d) {
      return StartTrees{label_.on(d), best_.on(d), parent_.on(d)};
    });
  }

  struct Reading {
    VertexId vertices;
    EdgeId edges;
  };
  /// Each tree, but for one that is likely to be the largest, chooses its lightest edge that leads
  /// out: that one the others find.
  Reading choose() {
    chosen_.fill(kNoVertex);
    waits_ = probable_giant(label_);
    const auto offer = [&](const Device& d) {
      return OfferEdge{label_.on(d), best_.on(d), chosen_.on(d), waits_};
    };
    compute(ctx_, all_, offer);
    filter(ctx_, all_, again_, [&](const Device& d) { return MayKnowBetter{offer(d)}; });
    if (again_.empty()) return {};
    compute(ctx_, again_, [&](const Device& d) { return ForgetEdge{best_.on(d)}; });
    options_.weighted ? find_lightest<true>() : find_lightest<false>();
    merge(best_);
    compute(ctx_, again_, offer);
    return {again_.size(), graph_.out().degree_sum(ctx_, again_)};
  }

  /// Trees hang on the edges they chose. @returns how many there are.
  VertexId join() {
    refuse_uneven();
    compute(ctx_, all_, [&](const Device& d) {
      return LetGo{label_.on(d), best_.on(d), chosen_.on(d)};
    });
    const VertexId edges = compute_reduce(
        ctx_, graph_.vertices(), VertexId{0},
        [&](const Device& d) {
          return HangTree{label_.on(d),  best_.on(d),   chosen_.on(d),
                          parent_.on(d), weight_.on(d), options_.maximum};
        },
        MergeSum{});
    compute(ctx_, all_, [&](const Device& d) { return Compress{label_.on(d)}; });
    return edges;
  }

  void root_at_first() {
    chosen_.fill(kNoVertex);
    compute(ctx_, all_, [&](const Device& d) { return FindFirst{label_.on(d), chosen_.on(d)}; });
    compute(ctx_, all_, [&](const Device& d) {
      return RootAtFirst{label_.on(d), chosen_.on(d), parent_.on(d), weight_.on(d)};
    });
  }

  void take(MsfResult& result) && {
    result.parent = std::move(parent_).take();
    result.weight = std::move(weight_).take();
  }

 private:
  template <bool kWeighted>
  void find_lightest() {
    gather(ctx_, graph_.out(), again_, nullptr, [&](const Device& d) {
      return FindLightest<kWeighted>{label_.on(d), best_.on(d), options_.maximum};
    });
  }
  void refuse_uneven() {
    const VertexId u = reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) {
          return FirstUneven{label_.on(d), best_.on(d), chosen_.on(d), waits_};
        },
        MergeMin{});
    if (u != kNoVertex)
      throw Error(ErrorCode::BadInput,
                  "msf: the edge between vertices " + std::to_string(u) + " and " +
                      std::to_string(best_.get(u).to) +
                      " of an undirected graph does not have one weight in both directions");
  }

  const Context& ctx_;
  const Graph& graph_;
  const MsfOptions options_;
  VertexId waits_ = 0;                          // the representative of a tree that does not choose
  VertexArray<VertexId> label_;                 // towards the tree's representative
  VertexArray<LightEdge, MergeLightest> best_;  // known of each vertex; kNoEdge: none leads out
  VertexArray<VertexId> chosen_;                // by representative: whose edge its tree hangs on
  VertexArray<VertexId> parent_;
  VertexArray<Weight> weight_;
  Frontier all_, again_;
};

}  // namespace

bool MergeLightest::on_gpus(const Context& ctx, std::span<LightEdge* const> replica,
                            std::size_t n) {
  if constexpr (has_device_code<KeepLighter>()) {
    const std::vector<void*> at(replica.begin(), replica.end());
    return merge_into_first(
        ctx, at, n, sizeof(LightEdge),
        [&](const Device& first, const void* from, std::size_t begin, std::size_t count) {
          const auto size = static_cast<VertexId>(count);
          cuda::compute(first, {FrontierRef::Form::All, size, size, nullptr, nullptr}, {0, size},
                        KeepLighter{replica[0], static_cast<const LightEdge*>(from),
                                    static_cast<VertexId>(begin)});
        });
  }
  return false;
}

MsfResult minimum_spanning_forest(const Context& ctx, const Graph& graph,
                                  const MsfOptions& options) {
  if (graph.directed())
    throw Error(ErrorCode::Usage,
                "msf: the graph is directed, and spanning forests are those of undirected graphs: "
                "convert it with --undirected");
  const VertexId n = graph.vertices();
  const RunLists lists(ctx, msf_state(), {{graph.out(), {kWholeList, options.weighted}}});
  Recorder record(ctx, graph.traffic());
  MsfResult result;
  {
    Trees trees(ctx, graph, options);
    ctx.task().begin("trees", n, "vertices");
    for (VertexId joined = n > 0 ? 1 : 0; joined > 0; result.edges += joined) {
      const auto [vertices, edges] = trees.choose();
      joined = trees.join();
      if (joined > 0) ++result.rounds;
      record.step(vertices, edges, "choose", graph.traffic());
      ctx.task().at(result.edges + joined);
    }
    ctx.task().end();
    trees.root_at_first();
    result.report = record.finish();
    std::move(trees).take(result);
  }
  result.trees = n - result.edges;
  for (const Weight w : result.weight) result.total += static_cast<double>(w);
  return result;
}

}  // namespace fathom
