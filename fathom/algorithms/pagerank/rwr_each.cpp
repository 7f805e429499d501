#include "fathom/algorithms/pagerank/rwr_each.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "fathom/algorithms/add_reports.hpp"
#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/pagerank/rank_pieces.hpp"
#include "fathom/algorithms/pagerank/rows_in_place.hpp"
#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/run_lists.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 14;

/// Chooses the rows of one source after the other.
class RowsOfSources {
 public:
  RowsOfSources(const Context& ctx, VertexId vertices, std::size_t sources,
                const RwrEachOptions& options, RwrEachResult& result)
      : row_(options.row),
        most_(std::min<std::uint64_t>(options.k, vertices)),
        candidate_(vertices, ctx.host_memory()),
        result_(result) {
    const std::uint64_t rows = most_ * sources;
    result.source = Array<VertexId>(rows, ctx.host_memory());
    result.vertex = Array<VertexId>(rows, ctx.host_memory());
    result.probability = Array<double>(rows, ctx.host_memory());
  }

  /// `probability`: [vertices].
  void add(VertexId source, std::span<const double> probability) {
    VertexId* const first = candidate_.data();
    VertexId* last = first;
    for (std::size_t v = 0; v < probability.size(); ++v)
      if (probability[v] > 0) *last++ = static_cast<VertexId>(v);
    const auto better = [&](VertexId a, VertexId b) {
      if (probability[a] != probability[b]) return probability[a] > probability[b];
      return row_.empty() ? a < b : row_[a] < row_[b];
    };
    VertexId* const end =
        first + std::min<std::uint64_t>(most_, static_cast<std::uint64_t>(last - first));
    if (end < last) std::nth_element(first, end, last, better);
    std::sort(first, end, better);
    for (const VertexId* v = first; v < end; ++v, ++result_.rows) {
      result_.source[result_.rows] = source;
      result_.vertex[result_.rows] = *v;
      result_.probability[result_.rows] = probability[*v];
    }
  }

 private:
  const std::span<const VertexId> row_;
  const std::uint64_t most_;  // of each source
  Array<VertexId> candidate_;
  RwrEachResult& result_;
};

/// K walks at once.
template <class Share, bool kWeighted, int K>
class BlockOfWalks {
 public:
  BlockOfWalks(const Context& ctx, const Graph& graph, const PagerankOptions& options)
      : ctx_(ctx),
        graph_(graph),
        n_(graph.vertices()),
        split_(ctx),
        walk_(split_, graph, options),
        all_(ctx, n_),
        pulls_(graph.has_in()),
        own_(pulls_ && !ctx.separate() ? seen_whole(graph.in(), kWeighted) : std::nullopt),
        in_place_(own_ && walk_.alpha < 1),
        rank_(ctx, n_),
        share_(ctx, n_),
        sum_(ctx, in_place_ ? 0 : n_),
        column_(n_, ctx.host_memory()) {
    all_.fill();
  }

  bool floats_do() const { return walk_.floats_do; }

  /// Until none of the walks changes by the tolerance. @returns how each ended.
  std::vector<RwrEachResult::End> run(std::span<const VertexId> sources, std::uint32_t most,
                                      Recorder& record) {
    sources_ = sources;
    last_ = {};
    last_ = compute_reduce(
        ctx_, n_, WalkTally<K>{},
        [&](const Device& d) { return GiveFirstRow<Share, K>{update_on(d)}; }, MergeSum{});
    std::vector<RwrEachResult::End> ends(K);
    for (RwrEachResult::End& end : ends) end.converged = false;
    for (std::uint32_t i = 1; i <= most; ++i) {
      last_ = in_place_ ? pull_in_place() : pull_or_push();
      bool converged = true;
      for (int k = 0; k < K; ++k) {
        const double residual = last_.change[k] / mass(k);
        ends[static_cast<std::size_t>(k)] = {i, residual < walk_.tolerance, residual};
        converged = converged && residual < walk_.tolerance;
      }
      record.step(n_, graph_.edges(), pulls_ ? "pull" : "push", graph_.traffic());
      if (converged) break;
    }
    if (in_place_) rank_.share(*own_);
    return ends;
  }

  /// Calls see(walk, its probabilities) for each.
  template <class See>
  void for_each_walk(const See& see) {
    const WalkRow<K>* rows = rank_.on(ctx_.devices()[0]);
    Array<WalkRow<K>> here;
    if (ctx_.separate()) {
      here = Array<WalkRow<K>>(n_, ctx_.host_memory());
      ctx_.copy(here.data(), rows, n_ * sizeof(WalkRow<K>));
      rows = here.data();
    }
    for (std::size_t k = 0; k < K; ++k) {
      const double sum = parallel_reduce(
          ctx_.threads(), n_, kGrain, 0.0,
          [&](std::size_t first, std::size_t last) {
            double part = 0;
            for (std::size_t v = first; v < last; ++v) part += rows[v].of[k];
            return part;
          },
          std::plus<>());
      parallel_for(ctx_.threads(), n_, kGrain, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t v = first; v < last; ++v) column_[v] = rows[v].of[k] / sum;
      });
      see(k, column_.span());
    }
  }

 private:
  /// See PowerIteration::mass() of pagerank.cpp.
  double mass(int k) const { return in_place_ && last_.mass[k] > 0 ? last_.mass[k] : 1; }

  WalkUpdate<Share, K> update_on(const Device& d) {
    WalkUpdate<Share, K> update{rank_.on(d), share_.on(d), walk_.total_on(d), walk_.alpha, {}, {}};
    for (int k = 0; k < K; ++k) {
      update.source[k] = sources_[static_cast<std::size_t>(k)];
      update.restarts[k] = walk_.alpha * last_.dangling[k] + (1 - walk_.alpha) * mass(k);
    }
    return update;
  }

  WalkTally<K> pull_in_place() {
    const auto make = [&](const Device& d) {
      return RowPullInPlace<Share, kWeighted, K>{share_.on(d), update_on(d)};
    };
    if (ctx_.ranks() == 1) return gather(ctx_, graph_.in(), all_, nullptr, make);
    if (!pieces_) pieces_.emplace(ctx_, graph_.in(), *own_);
    const Device& host = ctx_.devices()[0];
    return pieces_->gather(make(host), share_.on(host));
  }

  WalkTally<K> pull_or_push() {
    sum_.fill({});
    if (pulls_)
      gather(ctx_, graph_.in(), all_, nullptr, [&](const Device& d) {
        return RowPull<Share, kWeighted, K>{share_.on(d), sum_.on(d)};
      });
    else
      advance(ctx_, graph_.out(), all_, nullptr, [&](const Device& d) {
        return RowPush<Share, kWeighted, K>{share_.on(d), sum_.on(d)};
      });
    merge(sum_);
    return compute_reduce(
        ctx_, n_, WalkTally<K>{},
        [&](const Device& d) {
          return ApplyReceivedRow<Share, K>{update_on(d), sum_.on(d)};
        },
        MergeSum{});
  }

  const Context& ctx_;
  const Graph& graph_;
  const VertexId n_;
  Split split_;  // into nothing
  const RankWalk walk_;
  Frontier all_;
  const bool pulls_;
  const std::optional<VertexRange> own_;  // of ranks, which update theirs and tell the others then
  const bool in_place_;
  std::span<const VertexId> sources_;
  WalkTally<K> last_;
  VertexArray<WalkRow<K>> rank_;
  VertexArray<ShareRow<Share, K>> share_;
  VertexArray<WalkRow<K>, MergeSum> sum_;
  Array<double> column_;
  std::optional<RankPieces<ShareRow<Share, K>>> pieces_;  // where ranks update in place
};

struct Asked {
  const Context& ctx;
  const Graph& graph;
  PagerankOptions options;
  bool weighted, wide;  // edges are followed by weights; shares are doubles
};

StateSize block_state(const Asked& asked, int walks) {
  return pagerank_state({.share_bytes = asked.wide ? 8. : 4.,
                         .weights = asked.weighted,
                         .in_place = asked.graph.has_in() && !asked.ctx.separate(),
                         .walks = walks});
}

/// How many walks go together.
int block_size(const Asked& asked, std::size_t sources, int most) {
  const SplitEdges* const split = asked.graph.out().split_edges();
  if (split && split->strategy() == Strategy::Scalability) return 1;
  for (const int walks : {8, 4}) {
    if (walks > most || static_cast<std::size_t>(walks) > sources) continue;
    const auto each = static_cast<std::size_t>(block_state(asked, walks).whole);
    const auto roomy = [&](const Device& d) {
      return obtainable(*d.memory()) / 2 / each >= asked.graph.vertices();
    };
    if (fits_on_all(asked.ctx, roomy)) return walks;
  }
  return 1;
}

/// Takes sources from the front of `sources`, whole blocks of them. False: shares have to be
/// doubles.
template <class Share, bool kWeighted, int K>
bool walk_in_blocks(const Asked& asked, std::span<const VertexId>& sources, RowsOfSources& rows,
                    RwrEachResult& result) {
  if (sources.size() < K) return true;
  const Graph& graph = asked.graph;
  const RunLists lists(asked.ctx, block_state(asked, K),
                       {{graph.has_in() ? graph.in() : graph.out(), {kWholeList, kWeighted}}});
  Recorder record(asked.ctx, graph.traffic());
  BlockOfWalks<Share, kWeighted, K> block(asked.ctx, graph, asked.options);
  if (std::is_same_v<Share, float> && !block.floats_do()) return false;
  for (; sources.size() >= K; sources = sources.subspan(K)) {
    const auto ends = block.run(sources.first(K), asked.options.max_iterations, record);
    block.for_each_walk([&](std::size_t walk, std::span<const double> probability) {
      rows.add(sources[walk], probability);
    });
    result.ends.insert(result.ends.end(), ends.begin(), ends.end());
    asked.ctx.task().at(result.ends.size());
  }
  add_report(result.report, record.finish());
  return true;
}

template <int K>
bool walk_in_blocks(const Asked& asked, std::span<const VertexId>& sources, RowsOfSources& rows,
                    RwrEachResult& result) {
  const auto with = [&]<class Share>(Share) {
    return asked.weighted ? walk_in_blocks<Share, true, K>(asked, sources, rows, result)
                          : walk_in_blocks<Share, false, K>(asked, sources, rows, result);
  };
  return asked.wide ? with(double{}) : with(float{});
}

/// Leaves fewer sources than a block has. False: shares have to be doubles, and no walk is done.
bool walk_in_blocks(const Asked& asked, int most, std::span<const VertexId>& sources,
                    RowsOfSources& rows, RwrEachResult& result) {
  result.batch = block_size(asked, sources.size(), most);
  return (result.batch < 8 || walk_in_blocks<8>(asked, sources, rows, result)) &&
         (result.batch < 4 || walk_in_blocks<4>(asked, sources, rows, result));
}

void walk_one_by_one(const Asked& asked, std::span<const VertexId> sources,
                     const RwrOptions& options, RowsOfSources& rows, RwrEachResult& result) {
  for (const VertexId& source : sources) {
    const RwrResult walk = random_walk_with_restart(asked.ctx, asked.graph, {&source, 1}, options);
    rows.add(source, walk.probability.span());
    result.ends.push_back({walk.iterations, walk.converged, walk.residual});
    add_report(result.report, walk.report);
    asked.ctx.task().at(result.ends.size());
  }
}

void check_each(const Graph& graph, std::span<const VertexId> sources,
                const RwrEachOptions& options) {
  if (sources.empty()) throw Error(ErrorCode::Usage, "random walk: at least one source is needed");
  check_sources(graph, sources);
  std::vector<VertexId> sorted(sources.begin(), sources.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw Error(ErrorCode::Usage, "random walk: a source is given twice");
  if (options.k == 0) throw Error(ErrorCode::Usage, "random walk: k is 0");
  check_rows("random walk", options.row, graph.vertices());
}

}  // namespace

RwrEachResult random_walks_from_each(const Context& ctx, const Graph& graph,
                                     std::span<const VertexId> sources,
                                     const RwrEachOptions& options) {
  check_each(graph, sources, options);
  const PagerankOptions walk = as_pagerank(options.walk);
  check_arguments(graph, walk);
  Asked asked{ctx, graph, walk, walk.weighted && graph.weighted(),
              walk.tolerance < kFloatShareTolerance};
  RwrEachResult result;
  RowsOfSources rows(ctx, graph.vertices(), sources.size(), options, result);
  ctx.task().begin("walks", sources.size(), "sources");
  if (!walk_in_blocks(asked, options.batch, sources, rows, result)) {
    asked.wide = true;
    walk_in_blocks(asked, options.batch, sources, rows, result);
  }
  walk_one_by_one(asked, sources, options.walk, rows, result);
  ctx.task().end();
  result.report.converged = std::all_of(result.ends.begin(), result.ends.end(),
                                        [](const auto& end) { return end.converged; });
  return result;
}

}  // namespace fathom
