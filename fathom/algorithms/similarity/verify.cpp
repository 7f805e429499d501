// The certificate of similarities.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/sample.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"

namespace fathom {
namespace {

using Ids = std::vector<VertexId>;

constexpr const char* kName = "similarity";
constexpr VertexId kSampled = 64;

std::string pair_text(VertexId u, VertexId v) {
  return "the pair of " + std::to_string(u) + " and " + std::to_string(v);
}

/// Values from lists that are read one by one on the host.
class Recalculation {
 public:
  Recalculation(const Context& ctx, const Graph& graph, const SimilarityOptions& options)
      : task_(ctx.task()),
        n_(graph.vertices()),
        measure_(options.measure),
        lists_(graph.out().read_lists()) {
    if (!weighs_neighbors(measure_)) return;
    weight_ = Array<double>(n_, ctx.host_memory());
    Ids around;
    for (VertexId v = 0; v < n_; ++v) {
      read(v, around);
      weight_[v] = weight_of(around.size());
      if (v % 4096 == 0) task_.check();
    }
  }

  /// The neighbours of v, ascending.
  void read(VertexId v, Ids& around) const {
    around.clear();
    lists_->read(v, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) {
        const VertexId u = span.target(i);
        if (u != v && (around.empty() || around.back() != u)) around.push_back(u);
      }
    });
  }

  struct Value {
    double value;
    std::size_t common;
  };
  Value of(const Ids& a, const Ids& b) {
    common_.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common_));
    const auto common = static_cast<double>(common_.size());
    const auto over = [&](std::size_t all) {
      return all == 0 ? 0 : common / static_cast<double>(all);
    };
    Value its{0, common_.size()};
    if (measure_ == SimilarityMeasure::Jaccard) its.value = over(a.size() + b.size() - its.common);
    if (measure_ == SimilarityMeasure::Overlap) its.value = over(std::min(a.size(), b.size()));
    if (measure_ == SimilarityMeasure::CommonNeighbors) its.value = common;
    if (weighs_neighbors(measure_))
      for (const VertexId w : common_) its.value += weight_[w];
    return its;
  }

  /// Whether one of `others` values is right; `its` by `rounding` of each common neighbour.
  static bool agrees(double claimed, const Value& its, double rounding) {
    const double slack = static_cast<double>(its.common) * (rounding + 1e-15 * its.value);
    return rounding == 0 ? claimed == its.value : std::abs(claimed - its.value) <= slack;
  }

  const Task& task() const { return task_; }
  VertexId vertices() const { return n_; }

 private:
  double weight_of(std::size_t degree) const {
    if (degree < 2) return 0;
    const auto d = static_cast<double>(degree);
    return measure_ == SimilarityMeasure::AdamicAdar ? 1 / std::log(d) : 1 / d;
  }

  const Task& task_;
  const VertexId n_;
  const SimilarityMeasure measure_;
  std::unique_ptr<ListReader> lists_;
  Array<double> weight_;  // [vertices] where neighbours are weighed
  Ids common_;
};

/// Of what is claimed, without reading any list.
void check_shape(const Graph& graph, const SimilarityOptions& options,
                 const SimilarityResult& result) {
  if (result.u.size() < result.rows || result.v.size() < result.rows ||
      result.value.size() < result.rows)
    refute(kName, "fewer values than rows");
  // Terms of which so many fit 63 bits.
  const bool weighs = weighs_neighbors(options.measure);
  if (!(weighs ? result.rounding > 0 && result.rounding <= std::ldexp(1., -26)
               : result.rounding == 0))
    refute(kName, "values are rounded by " + std::to_string(result.rounding));
  for (std::uint64_t i = 0; i < result.rows; ++i)
    if (result.u[i] >= graph.vertices() || result.v[i] >= graph.vertices() ||
        result.u[i] == result.v[i])
      refute(kName, "row " + std::to_string(i) + " is not of two vertices");
}

void check_values(Recalculation& again, const SimilarityResult& result) {
  Ids a, b;
  for (std::uint64_t i = 0; i < result.rows; ++i) {
    const VertexId u = result.u[i], v = result.v[i];
    if (i == 0 || result.u[i - 1] != u) again.read(u, a);
    again.read(v, b);
    const Recalculation::Value its = again.of(a, b);
    if (!Recalculation::agrees(result.value[i], its, result.rounding))
      refute(kName, pair_text(u, v) + " has " + std::to_string(result.value[i]) + ", expected " +
                        std::to_string(its.value));
    if (i % 4096 == 0) again.task().check();
  }
}

/// Where the rows of each vertex are.
struct RowRange {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
};

class RowOrder {
 public:
  explicit RowOrder(std::span<const VertexId> row) : row_(row) {}
  bool first(VertexId a, VertexId b) const { return row_.empty() ? a < b : row_[a] < row_[b]; }
  /// Of what has these values.
  bool better(double a, VertexId u, double b, VertexId v) const {
    return a != b ? a > b : first(u, v);
  }

 private:
  std::span<const VertexId> row_;
};

/// [vertices]: where rows of the vertex are, which are in order, and at most k.
std::vector<RowRange> check_order(const RowOrder& order, const SimilarityOptions& options,
                                  VertexId vertices, const SimilarityResult& result) {
  std::vector<RowRange> range(vertices);
  for (std::uint64_t i = 0; i < result.rows; ++i) {
    const VertexId u = result.u[i];
    if (i == 0 || result.u[i - 1] != u) {
      if (i > 0 && !order.first(result.u[i - 1], u))
        refute_vertex(kName, u, "has rows behind those of one that comes after it");
      range[u].begin = i;
    } else if (!order.better(result.value[i - 1], result.v[i - 1], result.value[i], result.v[i])) {
      refute_vertex(kName, u, "has rows that are not in order");
    }
    range[u].end = i + 1;
    if (range[u].size() > options.k) refute_vertex(kName, u, "has more than k rows");
    if (!(result.value[i] > 0)) refute_vertex(kName, u, "has a row without a common neighbour");
  }
  return range;
}

/// Compares all who have a neighbour in common with u.
void check_nobody_is_missing(Recalculation& again, const RowOrder& order, VertexId u,
                             const RowRange& range, const SimilarityOptions& options,
                             const SimilarityResult& result) {
  Ids around, others, candidates;
  again.read(u, around);
  for (const VertexId w : around) {
    again.read(w, others);
    for (const VertexId v : others)
      if (v != u) candidates.push_back(v);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  if (range.size() != std::min<std::uint64_t>(options.k, candidates.size()))
    refute_vertex(kName, u,
                  "has " + std::to_string(range.size()) + " rows, and " +
                      std::to_string(candidates.size()) +
                      " vertices have neighbours in common with it");
  Ids kept(result.v.begin() + range.begin, result.v.begin() + range.end);
  std::sort(kept.begin(), kept.end());
  for (const VertexId v : candidates) {
    if (std::binary_search(kept.begin(), kept.end(), v)) continue;
    again.read(v, others);
    const Recalculation::Value its = again.of(around, others);
    const std::uint64_t worst = range.end - 1;
    // By so much both may be off: terms in fixed point, and sums of them in another order here.
    const double slack = result.rounding == 0 ? 0
                                              : static_cast<double>(around.size()) *
                                                    (4 * result.rounding + 2e-15 * its.value);
    if (its.value > result.value[worst] + slack ||
        (slack == 0 && order.better(its.value, v, result.value[worst], result.v[worst])))
      refute_vertex(kName, u,
                    "lacks " + std::to_string(v) + ", which has " + std::to_string(its.value) +
                        " and is better than " + std::to_string(result.v[worst]));
    again.task().check();
  }
}

}  // namespace

void verify_similarity(const Context& ctx, const Graph& graph,
                       std::span<const std::pair<VertexId, VertexId>> pairs,
                       const SimilarityOptions& options, const SimilarityResult& result) {
  if (result.rows != pairs.size()) refute(kName, "not one row per pair");
  check_shape(graph, options, result);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i] != std::pair(result.u[i], result.v[i]))
      refute(kName, "row " + std::to_string(i) + " is not of the pair asked for");
  Recalculation again(ctx, graph, options);
  check_values(again, result);
}

void verify_best_similar(const Context& ctx, const Graph& graph, const SimilarityOptions& options,
                         const SimilarityResult& result) {
  const VertexId n = graph.vertices();
  check_shape(graph, options, result);
  const RowOrder order(options.row);
  const std::vector<RowRange> range = check_order(order, options, n, result);
  const Ids asked = distinct(options.sources);
  for (std::uint64_t i = 0; i < result.rows && !asked.empty(); ++i)
    if (!std::binary_search(asked.begin(), asked.end(), result.u[i]))
      refute_vertex(kName, result.u[i], "has rows that nobody asked for");
  Recalculation again(ctx, graph, options);
  check_values(again, result);
  const VertexId all = asked.empty() ? n : static_cast<VertexId>(asked.size());
  for (const VertexId i : sample_vertices(all, std::min(all, kSampled), 1)) {
    const VertexId u = asked.empty() ? i : asked[i];
    check_nobody_is_missing(again, order, u, range[u], options, result);
  }
}

}  // namespace fathom
