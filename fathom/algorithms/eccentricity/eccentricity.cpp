#include "fathom/algorithms/eccentricity/eccentricity.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/eccentricity/candidates.hpp"
#include "fathom/algorithms/eccentricity/functors.hpp"
#include "fathom/algorithms/multi_search/multi_search.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

// Searches of one batch where paths are long: they share few lists, and what each tells is worth
// more to the choice of the next.
constexpr std::size_t kLongPaths = 4;
constexpr std::size_t kFirstBatch = 4;

/// Levels of a batch, until its last search is over: what each found farthest.
template <class Visit>
std::vector<std::uint32_t> search_all(MultiSearch& search, Recorder& record, const Visit& visit) {
  std::vector<std::uint32_t> farthest(MultiSearch::kMost, 0);
  for (; search.alive() != 0; search.step(record)) {
    for (SearchSet rest = search.alive(); rest != 0; rest &= rest - 1)
      farthest[first_search(rest)] = search.level();
    visit(search.level());
  }
  return farthest;
}

class Bounding {
 public:
  Bounding(const Context& ctx, const Graph& graph, Candidates& candidates)
      : ctx_(ctx),
        candidates_(candidates),
        search_(ctx, graph, {}, eccentricity_state(false)),
        lower_(ctx, graph.vertices(), 0),
        upper_(ctx, graph.vertices(), ~std::uint32_t{0}),
        sum_(ctx, graph.vertices(), 0),
        depth_(ctx, graph.vertices() * (kRowBytes / sizeof(std::uint32_t))),
        eccentricity_(ctx, MultiSearch::kMost) {}

  /// @returns vertices searched from.
  std::uint64_t search_small(Recorder& record) {
    std::uint64_t searches = 0;
    const std::size_t most = lower_.size() / 16 + MultiSearch::kMost;
    for (auto next = candidates_.everywhere(most); !next.vertex.empty();
         next = candidates_.everywhere(most)) {
      search_.start(next.vertex, next.search);
      search_all(search_, record, [&](std::uint32_t level) {
        compute(ctx_, search_.frontier(), [&](const Device& d) {
          return NoteLast{lower_.on(d), level};
        });
      });
      searches += next.vertex.size();
    }
    return searches;
  }

  std::uint64_t search_large(Recorder& record) {
    std::uint64_t searches = 0;
    std::size_t batch = kFirstBatch;
    for (;;) {
      const bool narrow = candidates_.farthest() <= std::numeric_limits<std::uint8_t>::max();
      const std::vector<VertexId> sources =
          candidates_.next(narrow ? std::min(batch, MultiSearch::kMost) : kLongPaths);
      if (sources.empty()) return searches;
      narrow ? search_from<std::uint8_t>(sources, record)
             : search_from<std::uint32_t>(sources, record);
      searches += sources.size();
      batch *= 2;
      ctx_.task().check();
    }
  }

  Array<std::uint32_t> take() && { return std::move(lower_).take(); }

 private:
  template <class Depth>
  void search_from(const std::vector<VertexId>& sources, Recorder& record) {
    const auto depth_on = [&](const Device& d) { return reinterpret_cast<Depth*>(depth_.on(d)); };
    search_.start(sources);
    eccentricity_.assign(search_all(search_, record, [&](std::uint32_t level) {
      compute(ctx_, search_.frontier(), [&](const Device& d) {
        return NoteDepths<Depth>{search_.arrived(d), depth_on(d), static_cast<Depth>(level)};
      });
    }));
    compute(ctx_, static_cast<VertexId>(lower_.size()), [&](const Device& d) {
      return TightenBounds<Depth>{search_.seen(d),
                                  depth_on(d),
                                  eccentricity_.on(d),
                                  {lower_.on(d), upper_.on(d), sum_.on(d)}};
    });
    const Device& first = ctx_.devices()[0];
    const std::size_t bytes = lower_.size() * sizeof(std::uint32_t);
    ctx_.copy(candidates_.lower.data(), lower_.on(first), bytes);
    ctx_.copy(candidates_.upper.data(), upper_.on(first), bytes);
    ctx_.copy(candidates_.sum.data(), sum_.on(first), bytes);
  }

  const Context& ctx_;
  Candidates& candidates_;
  MultiSearch search_;
  VertexArray<std::uint32_t> lower_, upper_, sum_;
  VertexArray<std::uint32_t> depth_;  // rows of kRowBytes
  VertexArray<std::uint32_t> eccentricity_;
};

/// Diameter, radius and who has them, of the vertices for which `counts` is true.
template <class Counts>
void summarize(std::span<const std::uint32_t> eccentricity, EccentricityResult& result,
               const Counts& counts) {
  const auto n = static_cast<VertexId>(eccentricity.size());
  for (VertexId v = 0; v < n; ++v) {
    if (!counts(v)) continue;
    const std::uint32_t its = eccentricity[v];
    if (result.far == kNoVertex || its > result.diameter) {
      result.diameter = its;
      result.far = v;
      result.periphery = 0;
    }
    if (result.near == kNoVertex || its < result.radius) {
      result.radius = its;
      result.near = v;
      result.center = 0;
    }
    if (its == result.diameter) ++result.periphery;
    if (its == result.radius) ++result.center;
  }
}

/// Who has the diameter, or the radius, may depend on vertices whose bounds do not have to meet.
void forget_open_counts(const Candidates& candidates, EccentricityResult& result) {
  for (VertexId v = 0; v < candidates.lower.size(); ++v) {
    if (!candidates.left_open(v)) continue;
    if (candidates.upper[v] == result.diameter) result.periphery = kNoVertex;
    if (candidates.lower[v] == result.radius) result.center = kNoVertex;
  }
}

void by_bounds(const Context& ctx, const Graph& graph, bool diameter_only,
               EccentricityResult& result) {
  Recorder record(ctx, graph.traffic());
  Array<VertexId> label = connected_components(ctx, graph).label;
  record.step(graph.vertices(), 0, "components", graph.traffic());
  Candidates candidates(ctx, std::move(label), diameter_only);
  Bounding bounds(ctx, graph, candidates);
  result.searches = bounds.search_small(record);
  result.searches += bounds.search_large(record);
  result.report = record.finish();
  result.eccentricity = std::move(bounds).take();
  summarize(result.eccentricity.span(), result,
            [&](VertexId v) { return candidates.in_largest(v) && !candidates.left_open(v); });
  if (diameter_only) forget_open_counts(candidates, result);
}

void from_everywhere(const Context& ctx, const Graph& graph, EccentricityResult& result) {
  const VertexId n = graph.vertices();
  MultiSearch search(ctx, graph, {}, eccentricity_state(true));
  Recorder record(ctx, graph.traffic());
  result.eccentricity = Array<std::uint32_t>(n, ctx.host_memory());
  ctx.task().begin("searching", n, "sources");
  for (std::size_t first = 0; first < n; first += MultiSearch::kMost) {
    std::vector<VertexId> sources(std::min<std::size_t>(MultiSearch::kMost, n - first));
    std::iota(sources.begin(), sources.end(), static_cast<VertexId>(first));
    search.start(sources);
    const auto farthest = search_all(search, record, [](std::uint32_t) {});
    for (const VertexId s : sources) result.eccentricity[s] = farthest[s - first];
    ctx.task().at(first + sources.size());
  }
  ctx.task().end();
  result.searches = n;
  result.report = record.finish();
  summarize(result.eccentricity.span(), result, [](VertexId) { return true; });
}

}  // namespace

EccentricityResult eccentricities(const Context& ctx, const Graph& graph,
                                  const EccentricityOptions& options) {
  EccentricityResult result;
  if (graph.vertices() == 0) return result;
  graph.directed() ? from_everywhere(ctx, graph, result)
                   : by_bounds(ctx, graph, options.diameter_only, result);
  if (options.diameter_only) result.eccentricity = {};
  return result;
}

}  // namespace fathom
