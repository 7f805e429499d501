#include "fathom/algorithms/assortativity/assortativity.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "fathom/algorithms/assortativity/correlation.hpp"
#include "fathom/algorithms/assortativity/functors.hpp"
#include "fathom/algorithms/assortativity/rich_clubs.hpp"
#include "fathom/algorithms/degrees/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Comparison {
 public:
  Comparison(const Context& ctx, const Graph& graph, bool rich_club, Recorder& record)
      : ctx_(ctx),
        graph_(graph),
        record_(record),
        entries_(ctx, graph.vertices()),
        degree_(ctx, graph.vertices(), 0),
        sum_(ctx, graph.vertices(), 0),
        mean_(ctx, graph.vertices()),
        loops_(ctx, 1, 0),
        all_(ctx, graph.vertices()) {
    all_.fill();
    if (rich_club) twice_.emplace(ctx, graph.vertices(), 0);
  }

  AssortativityResult run() && {
    find_degrees();
    ctx_.task().check();
    gather(ctx_, graph_.out(), all_, nullptr, [&](const Device& d) {
      return SumDegrees{degree_.on(d), sum_.on(d), loops_.on(d)};
    });
    merge(sum_, loops_);
    record_.step(graph_.vertices(), graph_.edges(), "gather", graph_.traffic());
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return FindMean{entries_.on(d), sum_.on(d), mean_.on(d)};
    });
    if (twice_) count_richer();
    AssortativityResult result;
    result.loops = loops_.get(0);
    result.report = record_.finish();
    result.neighbor_degree = std::move(mean_).take();
    const Array<EdgeId> degree = std::move(degree_).take();
    result.coefficient = detail::correlation(add_up(degree));
    if (twice_) result.rich_club = detail::rich_clubs(degree, std::move(*twice_).take());
    return result;
  }

 private:
  /// entries_: of lists. degree_: where edges end.
  void find_degrees() {
    const VertexId n = graph_.vertices();
    EdgeSource& lists = graph_.directed() && graph_.has_in() ? graph_.in() : graph_.out();
    compute(ctx_, n, [&](const Device& d) {
      return ListLength{graph_.out().offsets(d), entries_.on(d)};
    });
    EdgeId read = graph_.edges();
    if (graph_.directed() && !graph_.has_in())
      advance(ctx_, graph_.out(), all_, nullptr,
              [&](const Device& d) { return CountArrivals{degree_.on(d)}; });
    else if (!graph_.directed())
      advance(ctx_, graph_.out(), all_, nullptr,
              [&](const Device& d) { return CountLoop{degree_.on(d)}; });
    else
      read = 0;
    merge(degree_);
    if (!graph_.directed() || graph_.has_in()) add_lengths(lists);
    record_.step(n, read, "degrees", graph_.traffic());
  }
  void add_lengths(EdgeSource& lists) {
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return AddListLength{lists.offsets(d), degree_.on(d)};
    });
  }

  void count_richer() {
    ctx_.task().check();
    gather(ctx_, graph_.out(), all_, nullptr, [&](const Device& d) {
      return CountRicher{degree_.on(d), twice_->on(d)};
    });
    merge(*twice_);
    record_.step(graph_.vertices(), graph_.edges(), "rich club", graph_.traffic());
  }

  /// Over all entries of lists: degrees at their beginning and end.
  detail::PairSums add_up(const Array<EdgeId>& degree) {
    const Array<EdgeId> entries = std::move(entries_).take();
    const Array<std::uint64_t> sum = std::move(sum_).take();
    detail::PairSums sums;
    for (std::size_t v = 0; v < degree.size(); ++v) {
      const detail::WideCount from = graph_.directed() ? entries[v] : degree[v], to = degree[v];
      const detail::WideCount leave = entries[v], arrive = graph_.directed() ? to : leave;
      sums.pairs += leave;
      sums.a += leave * from;
      sums.aa += leave * from * from;
      sums.b += arrive * to;
      sums.bb += arrive * to * to;
      sums.ab += from * sum[v];
    }
    return sums;
  }

  const Context& ctx_;
  const Graph& graph_;
  Recorder& record_;
  VertexArray<EdgeId> entries_;
  VertexArray<EdgeId, MergeSum> degree_;
  VertexArray<std::uint64_t, MergeSum> sum_;
  VertexArray<double> mean_;
  std::optional<VertexArray<std::uint64_t, MergeSum>> twice_;
  VertexArray<std::uint64_t, MergeSum> loops_;
  Frontier all_;
};

}  // namespace

AssortativityResult degree_assortativity(const Context& ctx, const Graph& graph,
                                         const AssortativityOptions& options) {
  if (options.rich_club && graph.directed())
    throw Error(ErrorCode::Usage, "assortativity: rich clubs are of undirected graphs");
  const RunLists lists(ctx, assortativity_state(options.rich_club), {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  return Comparison(ctx, graph, options.rich_club, record).run();
}

}  // namespace fathom
