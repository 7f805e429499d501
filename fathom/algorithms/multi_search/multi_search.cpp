#include "fathom/algorithms/multi_search/multi_search.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/multi_search/functors.hpp"
#include "fathom/algorithms/multi_search/search_lists.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

// Frontiers with a smaller share of the edges are pushed without further thought.
constexpr EdgeId kFewEdges = 64;
// Pull when the lists of open vertices have fewer than this times the frontier's edges. A host
// pulls without atomics and stops early (4 beats 2 by 1.7 on a uniform graph of scale 18, and is no
// worse on R-MAT); over a link whole lines cross, which stopping early saves less of.
constexpr EdgeId kPullGain = 4;
constexpr EdgeId kPullGainOnGpu = 2;

}  // namespace

bool MultiSearch::pulls(const Graph& graph, const MultiBfsOptions& options) {
  if (options.direction == Direction::Pull && !graph.has_in())
    throw Error(ErrorCode::Usage, "pulling needs in-edges, and the graph was stored without them");
  return graph.has_in() && options.direction != Direction::Push;
}

MultiSearch::MultiSearch(const Context& ctx, const Graph& graph, const MultiBfsOptions& options,
                         const StateSize& state)
    : ctx_(ctx),
      graph_(graph),
      options_(options),
      lists_(std::make_unique<RunLists>(ctx, state,
                                        search_lists(graph, pulls(graph, options), options.hints))),
      seen_(ctx, graph.vertices()),
      arrived_(ctx, graph.vertices()),
      arriving_(ctx, graph.vertices()),
      under_way_(ctx, 1),
      now_(ctx, graph.vertices()),
      next_(ctx, graph.vertices()),
      open_(ctx, graph.vertices()),
      hinted_(ctx, graph.vertices()) {
  hints_ = pulls(graph, options) && options.hints && graph.in().hints(ctx.devices()[0]);
}

void MultiSearch::start(std::span<const VertexId> sources) {
  if (sources.empty() || sources.size() > kMost)
    throw Error(ErrorCode::Usage, "a search from many sources at once takes 1 to " +
                                      std::to_string(kMost) + " of them, not " +
                                      std::to_string(sources.size()));
  check_sources(graph_, sources);
  std::map<VertexId, SearchSet> at;
  for (std::size_t i = 0; i < sources.size(); ++i) at[sources[i]] |= SearchSet{1} << i;
  std::vector<VertexId> vertex;
  std::vector<SearchSet> searches;
  for (const auto& [v, set] : at) {
    vertex.push_back(v);
    searches.push_back(set);
  }
  start(vertex, searches);
}

void MultiSearch::start(std::span<const VertexId> vertex, std::span<const SearchSet> searches) {
  for (auto* sets : {&arrived_, &arriving_}) sets->fill(0);
  seen_.fill(0);
  VertexArray<VertexId> places(ctx_, vertex.size());
  VertexArray<SearchSet> sets(ctx_, vertex.size());
  places.assign(vertex);
  sets.assign(searches);
  compute(ctx_, static_cast<VertexId>(vertex.size()), [&](const Device& d) {
    return MultiBfsPlace{places.on(d), sets.on(d), arrived_.on(d), seen_.on(d)};
  });
  now_.assign(vertex);
  level_ = 0;
  alive_ = 0;
  for (const SearchSet set : searches) alive_ |= set;
}

bool MultiSearch::pulls(EdgeId frontier_edges) {
  if (options_.direction == Direction::Push || !graph_.has_in()) return false;
  const bool must = options_.direction == Direction::Pull;
  if (!must && frontier_edges <= graph_.edges() / kFewEdges) return false;
  Frontier all(ctx_, graph_.vertices());
  all.fill();
  filter(ctx_, all, open_, [&](const Device& d) {
    return MultiBfsOpen{seen_.on(d), graph_.in().offsets(d), alive_};
  });
  if (must) return true;
  const EdgeId gain = ctx_.on_gpu() ? kPullGainOnGpu : kPullGain;
  return graph_.in().degree_sum(ctx_, open_) / gain < frontier_edges;
}

void MultiSearch::push() {
  now_.make_list();
  advance(ctx_, graph_.out(), now_, &next_, [&](const Device& d) {
    return MultiBfsPush{arrived_.on(d), seen_.on(d), arriving_.on(d)};
  });
}

void MultiSearch::pull() {
  // A well-chosen neighbour of each vertex lies next to it: late in the searches most need no list.
  if (hints_) {
    filter(ctx_, open_, hinted_, [&](const Device& d) {
      return MultiBfsHint{arrived_.on(d), graph_.in().hints(d), seen_.on(d), arriving_.on(d),
                          alive_};
    });
    open_.subtract(hinted_);
  }
  gather(ctx_, graph_.in(), open_, &next_, [&](const Device& d) {
    return MultiBfsPull{arrived_.on(d), seen_.on(d), arriving_.on(d), alive_};
  });
  if (hints_) next_.unite(hinted_);
}

void MultiSearch::step(Recorder& record) {
  if (level_ == options_.depth_limit) {
    now_.clear();
    alive_ = 0;
    return;
  }
  const EdgeId edges = graph_.out().degree_sum(ctx_, now_);
  const bool pulling = pulls(edges);
  pulling ? pull() : push();
  merge(arriving_);
  compute(ctx_, now_, [&](const Device& d) { return MultiBfsRetire{arrived_.on(d)}; });
  under_way_.fill(0);
  compute(ctx_, next_, [&](const Device& d) {
    return MultiBfsSettle{arriving_.on(d), seen_.on(d), under_way_.on(d)};
  });
  const VertexId frontier = now_.size();
  std::swap(now_, next_);
  std::swap(arrived_, arriving_);
  alive_ = under_way_.get(0);
  ++level_;
  record.step(frontier, edges, pulling ? "pull" : "push", graph_.traffic());
}

}  // namespace fathom
