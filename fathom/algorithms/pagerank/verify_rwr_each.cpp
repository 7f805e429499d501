// The certificate of walks from several sources.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "random walk";

/// The rows of one source.
struct ItsRows {
  VertexId source;
  std::span<const VertexId> vertex;
  std::span<const double> probability;

  std::string name(std::size_t i) const {
    return "vertex " + std::to_string(vertex[i]) + " of source " + std::to_string(source);
  }
};

ItsRows rows_of(const RwrEachResult& result, VertexId source, std::uint64_t first) {
  std::uint64_t last = first;
  while (last < result.rows && result.source[last] == source) ++last;
  return {source, result.vertex.span().subspan(first, last - first),
          result.probability.span().subspan(first, last - first)};
}

void check_order(const ItsRows& its, VertexId vertices, const RwrEachOptions& options) {
  if (its.vertex.size() > options.k)
    refute(kName, "source " + std::to_string(its.source) + " has more than " +
                      std::to_string(options.k) + " rows");
  const auto place = [&](VertexId v) { return options.row.empty() ? v : options.row[v]; };
  for (std::size_t i = 0; i < its.vertex.size(); ++i) {
    if (its.vertex[i] >= vertices || !(its.probability[i] > 0))
      refute(kName, its.name(i) + " has the probability " + std::to_string(its.probability[i]));
    if (i == 0) continue;
    const double before = its.probability[i - 1];
    if (before < its.probability[i] ||
        (before == its.probability[i] && place(its.vertex[i - 1]) >= place(its.vertex[i])))
      refute(kName, its.name(i) + " does not come after the one before it");
  }
}

/// [vertices]: its probabilities, -1 where it has no row.
Array<double> as_array(const Context& ctx, const ItsRows& its, VertexId vertices) {
  Array<double> all(vertices, -1, ctx.host_memory());
  for (std::size_t i = 0; i < its.vertex.size(); ++i) {
    if (all[its.vertex[i]] >= 0) refute(kName, its.name(i) + " has two rows");
    all[its.vertex[i]] = its.probability[i];
  }
  return all;
}

/// How far a walk that changed by so much in its last iteration may be from where it leads (L1).
double error_of(const RwrOptions& options, double residual) {
  const double rounding = options.tolerance >= kFloatShareTolerance ? kFloatShareError : 1e-12;
  return (residual + rounding) * (1 - options.restart) / std::abs(options.restart);  // -0, too
}

/// By a walk from the source alone, which is checked itself.
void compare(const Context& ctx, const Graph& graph, const ItsRows& its, const Array<double>& all,
             const RwrEachOptions& options, double residual) {
  const VertexId source = its.source;
  const RwrResult alone = random_walk_with_restart(ctx, graph, {&source, 1}, options.walk);
  verify_random_walk(ctx, graph, {&source, 1}, options.walk, alone);
  const double slack =
      error_of(options.walk, residual) + error_of(options.walk, alone.residual) + 1e-12;
  const double least = its.vertex.size() < options.k ? 0 : its.probability.back();
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    const double expected = alone.probability[v];
    if (all[v] < 0 && expected > least + slack)
      refute(kName, "source " + std::to_string(source) + " has no row of vertex " +
                        std::to_string(v) + ", which has " + std::to_string(expected));
    if (all[v] >= 0 && !(std::abs(all[v] - expected) <= slack))
      refute(kName, "vertex " + std::to_string(v) + " of source " + std::to_string(source) +
                        " has " + std::to_string(all[v]) + ", expected " +
                        std::to_string(expected));
  }
}

}  // namespace

void verify_walks_from_each(const Context& ctx, const Graph& graph,
                            std::span<const VertexId> sources, const RwrEachOptions& options,
                            const RwrEachResult& result) {
  const VertexId n = graph.vertices();
  check_rows(kName, options.row, n);
  if (result.source.size() < result.rows || result.vertex.size() < result.rows ||
      result.probability.size() < result.rows || result.ends.size() != sources.size())
    refute(kName, "fewer values than rows, or not one end of each source");
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ItsRows its = rows_of(result, sources[i], first);
    first += its.vertex.size();
    if (its.vertex.empty()) refute(kName, "source " + std::to_string(sources[i]) + " has no rows");
    check_order(its, n, options);
    Array<double> all = as_array(ctx, its, n);
    const RwrEachResult::End& end = result.ends[i];
    if (options.k < n) {
      compare(ctx, graph, its, all, options, end.residual);
      continue;
    }
    for (double& probability : all) probability = std::max(probability, 0.);
    RwrResult walk;
    walk.probability = std::move(all);
    walk.iterations = end.iterations;
    walk.converged = end.converged;
    walk.residual = end.residual;
    verify_random_walk(ctx, graph, {&sources[i], 1}, options.walk, walk);
  }
  if (first != result.rows) refute(kName, "there are rows of none of the sources");
}

}  // namespace fathom
