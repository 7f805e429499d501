#include "fathom/plan/workload.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "fathom/algorithms/pagerank_walk.hpp"
#include "fathom/core/error.hpp"

namespace fathom::plan {
namespace {

constexpr std::array<std::string_view, 7> kAlgorithms = {"bfs", "sssp", "cc",   "pagerank",
                                                         "bc",  "tc",   "kcore"};
constexpr double kBit = 1. / 8;

/// Bytes of so many ids.
double ids(int count, const GraphShape& shape) {
  return count * static_cast<double>(shape.vertex_bytes());
}

void plan_bfs(Workload& w, const GraphShape& shape, const WorkloadOptions& options) {
  w.kind = WorkKind::Traversal;
  w.merged = 4 + (options.parents ? ids(1, shape) : 0) + kBit;
  w.state = w.merged + 3 * kBit;
  w.lists = ids(2, shape);
  w.result = 4 + (options.parents ? ids(1, shape) : 0);
  w.split_chunk = w.result;
  w.split_always = 2 * kBit;
  w.in_lists = w.in_offsets = shape.separate_in();
  // Pulling stops at the first neighbour found; pushing reads what it reaches. A source in a small
  // component reads next to nothing.
  w.share = {0, 1};
}

void plan_sssp(Workload& w, const GraphShape& shape) {
  if (!shape.weighted)
    throw Error(ErrorCode::Usage, "sssp needs weights, and " + shape.name + " has none");
  w.kind = WorkKind::Traversal;
  w.state = 4 + 3 * kBit;
  w.merged = 4 + kBit;
  w.lists = ids(2, shape);
  w.worker_blocks = 64 << 10;
  w.result = 4;
  w.split_chunk = w.split_source = 4;
  w.split_always = 3 * kBit;
  w.weights = true;
  w.share = {0, 2};
}

void plan_components(Workload& w, const GraphShape& shape) {
  w.kind = WorkKind::Traversal;
  w.state = ids(1, shape) + kBit;
  w.result = w.merged = ids(1, shape);
  w.split_chunk = w.split_source = w.result;
  w.split_always = 3 * kBit;
  w.in_lists = w.in_offsets = shape.separate_in();
  // Two neighbours of each vertex; at worst then everything, in both directions.
  const double sampled = shape.edges == 0 ? 0
                                          : std::min(1., 2 * static_cast<double>(shape.vertices) /
                                                             static_cast<double>(shape.edges));
  w.share = {sampled, sampled + (shape.separate_in() ? 2 : 1)};
}

void plan_pagerank(Workload& w, const GraphShape& shape, const WorkloadOptions& options,
                   bool whole) {
  w.kind = WorkKind::Sweeps;
  const bool weights = options.edge_weights && shape.weighted;
  const double share = options.tolerance >= kFloatShareTolerance ? 4 : 8;
  const bool in_place = whole && shape.has_in;
  w.state = 8 + share + 8 + (weights ? 8 : 0);
  w.state_here = w.state - (in_place ? 8 : 0);
  w.result = w.merged = 8;
  w.split_source = share;
  w.split_chunk = 8 + 8 + share + 8;
  w.out_lists = !shape.separate_in();
  w.in_lists = w.in_offsets = shape.separate_in();
  w.weights = weights;
  // How far below the worst case a graph stays depends on its mixing: a fifth is a guess.
  const auto limit = static_cast<double>(options.max_iterations);
  const auto most = static_cast<double>(most_iterations(options.alpha, options.tolerance, ~0u));
  w.supersteps = {std::min(limit, std::ceil(most / 5)), std::min(limit, most)};
}

void plan_betweenness(Workload& w, const GraphShape& shape, const WorkloadOptions& options) {
  const bool weights = options.edge_weights && shape.weighted;
  w.kind = WorkKind::Traversal;
  // Of one search at a time; where there is room, up to eight share what they read. On the way back
  // a level's vertices lie on each device beside its frontier.
  w.state = (weights ? 8 + 44 + 8 * kBit : 8 + 32 + 3 * kBit) + ids(1, shape);
  w.lists = ids(2, shape);
  w.result = 8;
  w.merged = 8 + kBit;
  w.in_lists = w.in_offsets = shape.separate_in();
  w.weights = weights;
  w.share = {0, 2 * static_cast<double>(options.sources)};
}

void plan_triangles(Workload& w, const WorkloadOptions& options) {
  w.state = options.per_vertex ? 8 : 0;
  w.per_worker = kBit + (options.per_vertex ? 4 : 0);
  w.result = options.per_vertex ? 8 : 0;
  w.out_lists = w.out_offsets = false;
  w.oriented_lists = true;
}

void plan_kcore(Workload& w, const GraphShape& shape) {
  constexpr double kLosses = 4;  // added up where devices are several, and lists none
  w.state = 8 + kLosses + 5 * kBit;
  w.lists = ids(shape.separate_in() ? 4 : 3, shape) - kLosses;
  w.result = 8;
  w.in_lists = w.in_offsets = shape.separate_in();
}

}  // namespace

std::span<const std::string_view> planned_algorithms() {
  return kAlgorithms;
}

Workload when_split(Workload work, const GraphShape& shape) {
  work.out_lists = true;
  work.in_lists = work.algorithm == "cc" && shape.separate_in();
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
  const auto* const named = std::find(kAlgorithms.begin(), kAlgorithms.end(), algorithm);
  if (named == kAlgorithms.end()) {
    std::string known;
    for (const std::string_view name : kAlgorithms)
      known += (known.empty() ? "" : ", ") + std::string(name);
    throw Error(ErrorCode::Usage,
                "no plan for '" + std::string(algorithm) + "'; expected one of " + known);
  }
  Workload w;
  w.algorithm = *named;
  if (w.algorithm == "bfs") plan_bfs(w, shape, options);
  if (w.algorithm == "sssp") plan_sssp(w, shape);
  if (w.algorithm == "cc") plan_components(w, shape);
  if (w.algorithm == "pagerank") plan_pagerank(w, shape, options, whole);
  if (w.algorithm == "bc") plan_betweenness(w, shape, options);
  if (w.algorithm == "tc") plan_triangles(w, options);
  if (w.algorithm == "kcore") plan_kcore(w, shape);
  if (w.algorithm != "pagerank") w.state_here = w.state;
  return w;
}

}  // namespace fathom::plan
