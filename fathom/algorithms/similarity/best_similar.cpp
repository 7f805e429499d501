// The most similar vertices of each.
#include <algorithm>
#include <compare>
#include <string>
#include <vector>

#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/similarity/neighborhoods.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

/// The best of each vertex, of as many vertices at a time as their candidates have room.
class BestOfEach : public detail::Neighborhoods {
 public:
  BestOfEach(const Context& ctx, const Graph& graph, const SimilarityOptions& options)
      : Neighborhoods(ctx, graph, options.measure),
        row_(options.row),
        most_(std::min<std::uint64_t>(options.k, n_ > 0 ? n_ - 1 : 0)),
        paths_(bound_paths(options.sources)),
        members_(from_.room(), ctx.host_memory()),
        wanted_(from_.room() + 1, ctx.host_memory()),
        whose_(from_.room(), ctx.host_memory()),
        firsts_(from_.room() + 1, ctx.host_memory()),
        edges_(from_.room(), ctx.host_memory()),
        first_(ctx, from_.room() + 1),
        member_(ctx, from_.room()),
        row_begin_(n_, ctx.host_memory()),
        ranges_(from_.room() + 1, ctx.host_memory()),
        range_(ctx, from_.room() + 1),
        cells_(2 * std::uint64_t{n_}),
        key_(ctx, cells_),
        sum_(ctx, cells_),
        heaps_(static_cast<std::size_t>(ctx.threads())) {
    if (ctx.separate()) {
      keys_here_ = Array<VertexId>(n_, ctx.host_memory());
      sums_here_ = Array<std::uint64_t>(n_, ctx.host_memory());
    }
    for (auto& heap : heaps_) heap.reserve(most_ + 1);
    allot_rows();
  }

  void run() {
    ctx_.task().begin("similarity", n_, "vertices");
    for (VertexId at = 0; at < n_;) {
      at = choose(at);
      if (from_.entries() == 0) continue;
      find_candidates();
      choose_best();
      ctx_.task().at(at);
    }
    ctx_.task().end();
  }

  /// What was found, in the order of rows.
  void take(SimilarityResult& result) {
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      if (v_[i] == kNoVertex) continue;
      u_[rows] = u_[i];
      v_[rows] = v_[i];
      value_[rows] = value_[i];
      ++rows;
    }
    result.rows = rows;
    result.u = std::move(u_);
    result.v = std::move(v_);
    result.value = std::move(value_);
  }

 private:
  using Candidate = std::pair<double, VertexId>;
  struct Edge {
    VertexId w, member;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes what it generates
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  Array<std::uint64_t> bound_paths(std::span<const VertexId> sources) {
    VertexArray<std::uint64_t, MergeSum> paths(ctx_, n_, 0);
    if (sources.empty())
      frontier_.fill();
    else
      frontier_.assign(distinct(sources));
    advance(ctx_, lists_, frontier_, nullptr, [&](const Device& d) {
      return BoundPaths{degrees_.on(d), paths.on(d)};
    });
    merge(paths);
    return std::move(paths).take();
  }

  std::uint64_t rows_of(VertexId u) const { return std::min(most_, paths_[u]); }
  /// A table is half as large again as what it may hold.
  std::uint64_t cells_of(VertexId u) const {
    const std::uint64_t paths = std::min<std::uint64_t>(paths_[u], n_);
    return paths == 0 ? 0 : std::min<std::uint64_t>(n_, paths + paths / 2 + 1);
  }

  void allot_rows() {
    Array<VertexId> vertex;  // of each row
    if (!row_.empty()) {
      vertex = Array<VertexId>(n_, ctx_.host_memory());
      for (std::size_t v = 0; v < n_; ++v) vertex[row_[v]] = static_cast<VertexId>(v);
    }
    std::uint64_t sum = 0;
    for (VertexId r = 0; r < n_; ++r) {
      const VertexId v = row_.empty() ? r : vertex[r];
      row_begin_[v] = sum;
      sum += rows_of(v);
    }
    u_ = Array<VertexId>(sum, ctx_.host_memory());
    v_ = Array<VertexId>(sum, kNoVertex, ctx_.host_memory());
    value_ = Array<double>(sum, ctx_.host_memory());
  }

  /// Names the lists of the next vertices that have paths, as many as have room.
  /// @returns the vertex behind them.
  VertexId choose(VertexId at) {
    std::size_t count = 0;
    EdgeId entries = 0;
    std::uint64_t cells = 0;
    for (; at < n_ && count < members_.size(); ++at) {
      if (paths_[at] == 0) continue;
      entries += from_.length(at);
      if (count > 0 && (entries > from_.room() || cells + cells_of(at) > cells_)) break;
      members_[count] = at;
      ranges_[count++] = cells;
      cells += cells_of(at);
    }
    ranges_[count] = cells;
    count_ = count;
    from_.name(members_.span().first(count));
    for (const Device& d : ctx_.devices())
      ctx_.copy(range_.on(d), ranges_.data(), (count + 1) * sizeof(EdgeId));
    return at;
  }

  void find_candidates() {
    const VertexId nobody = kNoVertex;
    const std::uint64_t nothing = 0, cells = ranges_[count_];
    for (const Device& d : ctx_.devices()) {
      ctx_.fill(d, key_.on(d), cells, &nobody, sizeof nobody);
      ctx_.fill(d, sum_.on(d), cells, &nothing, sizeof nothing);
    }
    from_.for_each_part([&] {
      turn_round();
      through_.for_each_part([&] {
        const EdgeId entries = through_.end() - through_.begin();
        const auto segments = slot_segments(entries);
        compute(ctx_, segments, [&](const Device& d) {
          return AddPaths{through_.on(d), {first_.on(d), member_.on(d)}, from_.members(d),
                          range_.on(d),   {key_.on(d), sum_.on(d), n_},  terms(d)};
        });
      });
    });
  }

  /// Names the neighbours of members, and notes whose they are.
  void turn_round() {
    std::size_t count = 0;
    from_.for_each_entry(wanted_, [&](VertexId member, VertexId w) {
      edges_[count++] = {w, member};
    });
    std::sort(edges_.data(), edges_.data() + count);
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || edges_[i].w != edges_[i - 1].w) {
        firsts_[distinct] = i;
        wanted_[distinct++] = edges_[i].w;
      }
      whose_[i] = edges_[i].member;
    }
    firsts_[distinct] = count;
    for (const Device& d : ctx_.devices()) {
      ctx_.copy(first_.on(d), firsts_.data(), (distinct + 1) * sizeof(EdgeId));
      ctx_.copy(member_.on(d), whose_.data(), count * sizeof(VertexId));
    }
    through_.name(wanted_.span().first(distinct));
  }

  /// Calls use(members' first, last, keys, sums), which begin with the cells of the first.
  template <class Use>
  void with_cells(const Use& use) {
    const Device& device = ctx_.devices()[0];
    if (!ctx_.separate()) return use(0, count_, key_.on(device), sum_.on(device));
    for (std::size_t first = 0, last; first < count_; first = last) {
      last = first + 1;  // as many cells at a time as there are vertices
      while (last < count_ && ranges_[last + 1] - ranges_[first] <= n_) ++last;
      const std::uint64_t begin = ranges_[first], size = ranges_[last] - begin;
      ctx_.copy(keys_here_.data(), key_.on(device) + begin, size * sizeof(VertexId));
      ctx_.copy(sums_here_.data(), sum_.on(device) + begin, size * sizeof(std::uint64_t));
      use(first, last, keys_here_.data(), sums_here_.data());
    }
  }

  void choose_best() {
    with_cells([&](std::size_t first, std::size_t last, const VertexId* keys,
                   const std::uint64_t* sums) {
      parallel_for(ctx_.threads(), last - first, 1, [&](std::size_t a, std::size_t b, int worker) {
        for (std::size_t i = first + a; i < first + b; ++i) {
          const std::uint64_t at = ranges_[i] - ranges_[first], cells = ranges_[i + 1] - ranges_[i];
          keep_best(members_[i], {keys + at, cells}, {sums + at, cells},
                    heaps_[static_cast<std::size_t>(worker)]);
        }
      });
    });
  }

  bool comes_first(VertexId a, VertexId b) const {
    return row_.empty() ? a < b : row_[a] < row_[b];
  }

  void keep_best(VertexId u, std::span<const VertexId> keys, std::span<const std::uint64_t> sums,
                 std::vector<Candidate>& heap) {
    const auto better = [&](const Candidate& a, const Candidate& b) {
      return a.first != b.first ? a.first > b.first : comes_first(a.second, b.second);
    };
    const bool direct = sums.size() == n_;  // a cell per vertex
    heap.clear();                           // the worst of the kept ones is in front
    for (std::size_t at = 0; at < sums.size(); ++at) {
      if (sums[at] == 0) continue;
      const VertexId v = direct ? static_cast<VertexId>(at) : keys[at];
      const Candidate its{score(sums[at], u, v), v};
      if (heap.size() == rows_of(u)) {
        if (!better(its, heap.front())) continue;
        std::pop_heap(heap.begin(), heap.end(), better);
        heap.pop_back();
      }
      heap.push_back(its);
      std::push_heap(heap.begin(), heap.end(), better);
    }
    std::sort_heap(heap.begin(), heap.end(), better);
    for (std::size_t i = 0; i < heap.size(); ++i) {
      const std::uint64_t row = row_begin_[u] + i;
      u_[row] = u;
      v_[row] = heap[i].second;
      value_[row] = heap[i].first;
    }
  }

  const std::span<const VertexId> row_;
  const std::uint64_t most_;  // rows of a vertex
  Array<std::uint64_t> paths_;
  Array<VertexId> members_;
  Array<VertexId> wanted_, whose_;  // their neighbours, and places of members among these
  Array<EdgeId> firsts_;
  Array<Edge> edges_;
  VertexArray<EdgeId> first_;
  VertexArray<VertexId> member_;
  Array<std::uint64_t> row_begin_;
  Array<EdgeId> ranges_;  // of cells, of each member
  VertexArray<EdgeId> range_;
  const std::uint64_t cells_;
  VertexArray<VertexId> key_;
  VertexArray<std::uint64_t> sum_;
  std::size_t count_ = 0;  // members
  Array<VertexId> keys_here_;
  Array<std::uint64_t> sums_here_;
  std::vector<std::vector<Candidate>> heaps_;  // of workers
  Array<VertexId> u_, v_;
  Array<double> value_;
};

}  // namespace

SimilarityResult best_similar(const Context& ctx, const Graph& graph,
                              const SimilarityOptions& options) {
  check_sources(graph, options.sources);
  check_rows("similarity", options.row, graph.vertices());
  if (options.k == 0) throw Error(ErrorCode::Usage, "similarity: k is 0");
  const auto k = static_cast<double>(std::min<std::uint64_t>(options.k, graph.vertices()));
  const RunLists lists(ctx, similarity_state(false, weighs_neighbors(options.measure), k),
                       {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  SimilarityResult result;
  {
    BestOfEach best(ctx, graph, options);
    const EdgeId before = best.read();
    record.step(graph.vertices(), before, "degrees", graph.traffic());
    best.run();
    record.step(options.sources.empty() ? graph.vertices() : options.sources.size(),
                best.read() - before, "best", graph.traffic());
    result.rounding = best.rounding();
    best.take(result);
  }
  result.report = record.finish();
  return result;
}

}  // namespace fathom
