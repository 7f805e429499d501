#include "fathom/algorithms/matching/matching.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/matching/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Suitors {
 public:
  Suitors(const Context& ctx, const Graph& graph, const MatchingOptions& options)
      : ctx_(ctx),
        graph_(graph),
        random_(options.seed, 0),
        proposal_(ctx, graph.vertices()),
        suitor_(ctx, graph.vertices(), kNoVertex),
        looking_(ctx, graph.vertices()),
        rivals_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()) {
    looking_.fill();
  }

  VertexId looking() const { return looking_.size(); }

  /// Who looks for a place proposes. @returns their edges.
  EdgeId round() {
    const EdgeId edges = graph_.out().degree_sum(ctx_, looking_);
    compute(ctx_, looking_, [&](const Device& d) { return ForgetProposal{proposal_.on(d)}; });
    gather(ctx_, graph_.out(), looking_, nullptr, [&](const Device& d) {
      return FindProposal{proposal_.on(d), suitor_.on(d), random_};
    });
    merge(proposal_);
    rivals_.begin_bitmap();
    compute(ctx_, looking_, [&](const Device& d) {
      return MarkRivals{proposal_.on(d), suitor_.on(d), rivals_.bits(d)};
    });
    rivals_.end_bitmap(true);
    compute(ctx_, looking_, [&](const Device& d) {
      return Propose{proposal_.on(d), suitor_.on(d)};
    });
    filter(ctx_, rivals_, next_, [&](const Device& d) {
      return IsRejected{proposal_.on(d), suitor_.on(d)};
    });
    std::swap(looking_, next_);
    return edges;
  }

  void take(MatchingResult& result) && {
    VertexArray<Weight> weight(ctx_, suitor_.size());
    const VertexId v = compute_reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) {
          return TakePartner{proposal_.on(d), suitor_.on(d), weight.on(d)};
        },
        MergeMin{});
    if (v != kNoVertex)
      throw Error(ErrorCode::BadInput,
                  "matching: the edge between vertices " + std::to_string(v) + " and " +
                      std::to_string(suitor_.get(v)) +
                      " of an undirected graph does not have one weight in both directions");
    result.partner = std::move(suitor_).take();
    result.weight = std::move(weight).take();
  }

 private:
  const Context& ctx_;
  const Graph& graph_;
  const RandomStream random_;
  VertexArray<Proposal, MergeFirst> proposal_;  // of each vertex that looks or has a place
  VertexArray<VertexId> suitor_;                // who has the place at a vertex
  Frontier looking_, rivals_, next_;
};

}  // namespace

bool MergeFirst::on_gpus(const Context& ctx, std::span<Proposal* const> replica, std::size_t n) {
  if constexpr (has_device_code<KeepFirst>()) {
    const std::vector<void*> at(replica.begin(), replica.end());
    return merge_into_first(
        ctx, at, n, sizeof(Proposal),
        [&](const Device& first, const void* from, std::size_t begin, std::size_t count) {
          const auto size = static_cast<VertexId>(count);
          cuda::compute(first, {FrontierRef::Form::All, size, size, nullptr, nullptr}, {0, size},
                        KeepFirst{replica[0], static_cast<const Proposal*>(from),
                                  static_cast<VertexId>(begin)});
        });
  }
  return false;
}

MatchingResult maximal_matching(const Context& ctx, const Graph& graph,
                                const MatchingOptions& options) {
  if (graph.directed())
    throw Error(ErrorCode::Usage,
                "matching: the graph is directed, and matchings are those of undirected graphs: "
                "convert it with --undirected");
  const RunLists lists(ctx, matching_state(), {{graph.out(), {kWholeList, true}}});
  Recorder record(ctx, graph.traffic());
  MatchingResult result;
  {
    Suitors suitors(ctx, graph, options);
    ctx.task().begin("matching", graph.vertices(), "vertices");
    while (const VertexId looking = suitors.looking()) {
      const EdgeId edges = suitors.round();
      ++result.rounds;
      record.step(looking, edges, "propose", graph.traffic());
      ctx.task().at(graph.vertices() - suitors.looking());
    }
    ctx.task().end();
    result.report = record.finish();
    std::move(suitors).take(result);
  }
  for (VertexId v = 0; v < result.partner.size(); ++v) {
    if (result.partner[v] == kNoVertex || result.partner[v] < v) continue;
    ++result.edges;
    result.total += static_cast<double>(result.weight[v]);
  }
  return result;
}

}  // namespace fathom
