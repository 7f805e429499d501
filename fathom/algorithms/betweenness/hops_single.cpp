// Betweenness by hops from one source at a time, on one host: the number of a vertex's level says
// to which superstep it belongs, and nothing else has to be marked or cleared again.
#include <functional>
#include <utility>

#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

constexpr double kInfinitePaths = __builtin_inf();

/// Path counts flow from level next - 1; the first to find v gives it its level.
struct CountForward {
  std::uint32_t* level;
  double* paths;
  std::uint32_t next;

  bool visit(VertexId u, VertexId v, Weight) const {
    const AtomicRef of(level[v]);
    std::uint32_t its = of.load();
    const bool first = its == kUnfound && of.compare_exchange(its, next, Order::Relaxed);
    if (first || its == next) AtomicRef(paths[v]).fetch_add(paths[u]);
    return first;
  }
};

/// A vertex without a level adds up its in-neighbours in level next - 1. Its list may come in
/// several pieces.
struct CountInward {
  std::uint32_t* level;
  double* paths;
  std::uint32_t next;

  using Value = double;
  bool open(VertexId u) const { return AtomicRef(level[u]).load() >= next; }
  Value identity() const { return 0; }
  Value map(VertexId, VertexId v, Weight) const {
    return AtomicRef(level[v]).load() == next - 1 ? paths[v] : 0;
  }
  Value combine(Value a, Value b) const { return a + b; }
  bool commit(VertexId u, Value sum) const {
    if (!(sum > 0)) return false;
    paths[u] += sum;
    AtomicRef(level[u]).store(next);
    return true;
  }
};

/// Adds up the coefficients of successors, which are one level further.
/// Commits of a vertex are not concurrent on a host.
struct DependencyBack {
  const std::uint32_t* level;
  const double* paths;
  double* coefficient;
  double* score;
  PathEnds ends;
  std::uint32_t below;
  bool at_once;  // a list is seen in one piece; else coefficients have been started

  using Value = double;
  Value identity() const { return 0; }
  Value map(VertexId, VertexId v, Weight) const { return level[v] == below ? coefficient[v] : 0; }
  Value combine(Value a, Value b) const { return a + b; }
  bool commit(VertexId u, Value sum) const {
    const double count = paths[u];
    coefficient[u] = sum + (at_once ? ends.share(u, count) : coefficient[u]);
    score[u] += count * sum;
    return false;
  }
};

/// What a vertex without successors hands on.
struct StartCoefficient {
  const double* paths;
  double* coefficient;
  PathEnds ends;
  void operator()(VertexId v) const { coefficient[v] = ends.share(v, paths[v]); }
};

struct WithoutLevel {
  const std::uint32_t* level;
  bool operator()(VertexId v) const { return level[v] == kUnfound; }
};

/// Not bool: partial results of threads are elements of a vector.
struct IsInfinite {
  const double* paths;
  std::uint32_t operator()(VertexId v) const { return paths[v] < kInfinitePaths ? 0 : 1; }
};

}  // namespace

SingleSearch::SingleSearch(const Context& ctx, const Graph& graph, const Targets& targets)
    : ctx_(ctx),
      graph_(graph),
      targets_(targets),
      level_(ctx, graph.vertices()),
      paths_(ctx, graph.vertices()),
      coefficient_(ctx, graph.vertices()) {}

void SingleSearch::run(VertexId source, Scores& score, Recorder& record) {
  level_.fill(kUnfound);
  paths_.fill(0);
  level_.set(source, 0);
  paths_.set(source, 1);
  HopLevels levels(ctx_);
  count_paths(source, levels, record);
  const std::uint32_t overflow = reduce(
      ctx_, graph_.vertices(), std::uint32_t{0},
      [&](const Device& d) { return IsInfinite{paths_.on(d)}; }, std::bit_or<std::uint32_t>());
  if (overflow != 0) throw_too_many_paths();
  add_dependencies(levels, score, record);
}

void SingleSearch::count_paths(VertexId source, HopLevels& levels, Recorder& record) {
  const VertexId n = graph_.vertices();
  Frontier now(ctx_, n), next(ctx_, n), open(ctx_, n), everyone(ctx_, n);
  everyone.fill();
  now.assign({&source, 1});
  for (std::uint32_t level = 1; !now.empty(); ++level) {
    const EdgeId edges = graph_.out().degree_sum(ctx_, now);
    levels.push(now, edges);
    const bool pull = graph_.has_in() && edges > graph_.edges() / kPullShare;
    if (pull) {
      filter(ctx_, everyone, open, [&](const Device& d) { return WithoutLevel{level_.on(d)}; });
      gather(ctx_, graph_.in(), open, &next, [&](const Device& d) {
        return CountInward{level_.on(d), paths_.on(d), level};
      });
    } else {
      now.make_list();
      advance(ctx_, graph_.out(), now, &next, [&](const Device& d) {
        return CountForward{level_.on(d), paths_.on(d), level};
      });
    }
    record.step(now.size(), edges, pull ? "pull" : "push", graph_.traffic());
    std::swap(now, next);
  }
}

void SingleSearch::add_dependencies(const HopLevels& levels, Scores& score, Recorder& record) {
  const bool at_once = graph_.out().comes_whole();
  Frontier here(ctx_, graph_.vertices());
  for (std::size_t level = levels.size(); level-- > 1;) {
    levels.load(level, here);
    const bool last = level + 1 == levels.size();
    if (last || !at_once)
      compute(ctx_, here, [&](const Device& d) {
        return StartCoefficient{paths_.on(d), coefficient_.on(d), targets_.on(d)};
      });
    if (!last)
      gather(ctx_, graph_.out(), here, nullptr, [&](const Device& d) {
        return DependencyBack{level_.on(d), paths_.on(d),   coefficient_.on(d),
                              score.on(d),  targets_.on(d), static_cast<std::uint32_t>(level + 1),
                              at_once};
      });
    record.step(here.size(), levels.edges(level), "back", graph_.traffic());
  }
}

}  // namespace fathom
