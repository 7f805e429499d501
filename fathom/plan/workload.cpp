#include "fathom/plan/workload.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/error.hpp"

namespace fathom::plan {
namespace {

/// What algorithms say of their state.
void set_state(Workload& w, const StateSize& size) {
  w.state = size.whole;
  w.state_here = size.whole_here();
  w.lists = size.lists;
  w.result = size.result;
  w.fixed = size.fixed;
  w.merged = size.merged;
  w.split_chunk = size.chunk;
  w.split_source = size.source;
  w.split_always = size.always;
  w.per_worker = size.per_worker;
  w.worker_blocks = size.worker_blocks;
  w.bins = size.bins;
  w.split_in_lists = size.split_in_lists;
}

// What descriptions do not say: how much of the lists is read, and how often.

void plan_bfs(Workload& w) {
  w.kind = WorkKind::Traversal;
  // Pulling stops at the first neighbour found; pushing reads what it reaches. A source in a small
  // component reads next to nothing.
  w.share = {0, 1};
}

void plan_sssp(Workload& w) {
  w.kind = WorkKind::Traversal;
  w.share = {0, 2};
}

void plan_components(Workload& w, const GraphShape& shape) {
  w.kind = WorkKind::Traversal;
  // Two neighbours of each vertex; at worst then everything, in both directions.
  const double sampled = shape.edges == 0 ? 0
                                          : std::min(1., 2 * static_cast<double>(shape.vertices) /
                                                             static_cast<double>(shape.edges));
  w.share = {sampled, sampled + (shape.separate_in() ? 2 : 1)};
}

void plan_pagerank(Workload& w, const WorkloadOptions& options) {
  w.kind = WorkKind::Sweeps;
  // How far below the worst case a graph stays depends on its mixing: a fifth is a guess.
  const auto limit = static_cast<double>(options.max_iterations);
  const auto most = static_cast<double>(most_iterations(options.alpha, options.tolerance, ~0u));
  w.supersteps = {std::min(limit, std::ceil(most / 5)), std::min(limit, most)};
}

void plan_betweenness(Workload& w, const WorkloadOptions& options) {
  w.kind = WorkKind::Traversal;
  w.share = {0, 2 * static_cast<double>(options.sources)};
}

/// Offsets say all, but for in-edges that were not stored.
void plan_degrees(Workload& w, const GraphShape& shape) {
  w.out_lists = shape.directed && !shape.has_in;
  w.in_offsets = shape.separate_in();
}

OptionValues values_of(const Algorithm& algorithm, const WorkloadOptions& options) {
  OptionValues values(algorithm.options);
  for (const OptionInfo& option : algorithm.options) {
    if (option.name == "parents") values.set_flag(option.name, options.parents);
    if (option.name == "per-vertex") values.set_flag(option.name, options.per_vertex);
    if (option.name == "weighted") values.set_flag(option.name, options.edge_weights);
    if (option.name == "tol") values.set_real(option.name, options.tolerance);
  }
  return values;
}

/// What the algorithm says of itself: memory, and no times.
void plan_described(Workload& w, const Algorithm& algorithm, const GraphShape& shape,
                    const WorkloadOptions& options, bool whole) {
  const OptionValues values = values_of(algorithm, options);
  const auto state = [&](bool one_device) {
    return algorithm.state({.directed = shape.directed,
                            .weighted = shape.weighted,
                            .has_in = shape.has_in,
                            .one_device = one_device,
                            .in_reach = whole,
                            .id_bytes = static_cast<double>(shape.vertex_bytes())},
                           values);
  };
  // With what several devices need; where one has frontiers as lists, those are smaller by that.
  const StateSize one = state(true), several = state(false);
  set_state(w, several);
  w.lists = one.lists - (several.whole - one.whole);
  w.weights = several.weights && shape.weighted;
  w.in_lists = w.in_offsets = several.in_lists && shape.separate_in();
  if (algorithm.reads_oriented) {
    w.out_lists = w.out_offsets = false;
    w.oriented_lists = true;
  }
}

}  // namespace

std::vector<std::string_view> planned_algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : described_algorithms()) names.push_back(algorithm->name);
  return names;
}

Workload when_split(Workload work, const GraphShape& shape) {
  work.out_lists = true;
  work.in_lists = work.split_in_lists && shape.separate_in();
  work.out_offsets = work.in_offsets = false;
  return work;
}

VertexId longest_list(std::span<const EdgeId> offsets) {
  VertexId found = 0;
  EdgeId longest = 0;
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v)
    if (offsets[v + 1] - offsets[v] > longest) {
      longest = offsets[v + 1] - offsets[v];
      found = static_cast<VertexId>(v);
    }
  return found;
}

std::uint32_t most_iterations(double alpha, double tolerance, std::uint32_t limit) {
  if (!(alpha > 0 && alpha < 1) || !(tolerance > 0)) return limit;
  if (tolerance >= 2) return std::min<std::uint32_t>(1, limit);
  const double bound = std::ceil(std::log(tolerance / 2) / std::log(alpha));
  return bound < limit ? static_cast<std::uint32_t>(bound) : limit;
}

Workload workload_of(std::string_view algorithm, const GraphShape& shape,
                     const WorkloadOptions& options, bool whole) {
  const Algorithm* const described = find_algorithm(algorithm);
  if (!described) {
    std::string known;
    for (const std::string_view name : planned_algorithms())
      known += (known.empty() ? "" : ", ") + std::string(name);
    throw Error(ErrorCode::Usage,
                "no plan for '" + std::string(algorithm) + "'; expected one of " + known);
  }
  Workload w;
  w.algorithm = described->name;
  plan_described(w, *described, shape, options, whole);
  if (w.algorithm == "bfs") plan_bfs(w);
  if (w.algorithm == "sssp") plan_sssp(w);
  if (w.algorithm == "cc") plan_components(w, shape);
  if (w.algorithm == "pagerank") plan_pagerank(w, options);
  // Walks pull along in-edges, and read out-edges where there are no others.
  if (w.algorithm == "pagerank" || w.algorithm == "rwr") w.out_lists = !shape.separate_in();
  if (w.algorithm == "bc") plan_betweenness(w, options);
  if (w.algorithm == "degrees") plan_degrees(w, shape);
  return w;
}

}  // namespace fathom::plan
