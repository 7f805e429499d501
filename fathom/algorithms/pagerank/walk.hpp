// The random walk that PageRank is about, resolved from graph and options: shared by the algorithm
// and its certificate.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/exec/checkpoint/file.hpp"
#include "fathom/exec/split_array.hpp"

namespace fathom {

/// From here on up, shares are floats.
inline constexpr double kFloatShareTolerance = 0x1p-20;

/// How far floats may put off what a vertex receives, relative: a share and its product with a
/// weight are each rounded once, and 8 more times where 16 are added up in two chains.
inline constexpr double kFloatShareError = 10 * 0x1p-24;
static_assert(kFloatShareError < kFloatShareTolerance);

/// Out-weights that shares of floats are for. What rounding below the least normal float takes of
/// all edges, 2^-150 times their weight, stays far below kFloatShareError then.
inline constexpr double kLeastFloatTotal = 0x1p-100, kMostFloatTotal = 0x1p80;

/// @throws Error(Usage) as pagerank() documents.
void check_arguments(const Graph& graph, const PagerankOptions& options);

/// The values in proportion, so that they sum to 1.
std::vector<double> with_sum_one(std::span<const double> shape);

/// The L1 change below which iteration stops.
double effective_tolerance(const Graph& graph, const PagerankOptions& options);

/// A walk with restarts, as PageRank whose jumps are still to be given.
/// @throws Error(Usage) for a restart that is no probability.
PagerankOptions as_pagerank(const RwrOptions& options);

/// Jumps to a few vertices, in place of a personalization: shares that sum to 1, vertices
/// ascending.
using FewJumps = std::span<const std::pair<VertexId, double>>;

/// The vertices whose in-lists a gather of this rank sees whole, so that it can update them in
/// place; nothing where lists are cut into pages.
std::optional<VertexRange> seen_whole(const EdgeSource& in, bool weights);

/// What conjugate gradients and a relaxation factor need of a walk: a symmetric system, and a
/// residual to stop at.
bool is_symmetric_system(bool directed, double alpha, double tolerance);

/// pagerank(), by the name of the algorithm that asks for it and what its checkpoints say of its
/// options; `jumps` empty: as the options say.
PagerankResult walk_from(const Context& ctx, const Graph& graph, const PagerankOptions& options,
                         FewJumps jumps, const char* algorithm, const CheckpointSettings& settings);

struct RankWalk {
  /// @throws Error(BadInput) for a negative or non-finite weight.
  RankWalk(Split& split, const Graph& graph, const PagerankOptions& options, FewJumps jumps = {});

  OutTotal total_on(const Device& d) const {
    if (out_weight.size() > 0) return {out_weight.on(d), nullptr};
    return {nullptr, source->offsets(d)};
  }
  const double* jump_on(const Device& d) const { return jump.size() > 0 ? jump.on(d) : nullptr; }

  double alpha, tolerance;
  bool spread_dangling;
  double uniform_jump;  // 1 / vertices
  EdgeSource* source;   // of the out lists
  // [vertices]; empty: the degree. Degrees too where state is split: no device has the offsets.
  SplitArray<double, MergeSum> out_weight;
  SplitArray<double> jump;  // [vertices], sums to 1; or empty: uniform_jump
  bool floats_do = true;    // for shares: no out-weight is too large or too small
};

}  // namespace fathom
