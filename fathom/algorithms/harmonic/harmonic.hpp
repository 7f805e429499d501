// Harmonic centrality: how near a vertex is to all others, when these search for it.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct HarmonicOptions {
  VertexId samples = 0;    // so many distinct random sources; 0: all vertices
  std::uint64_t seed = 0;  // of the sample
};

struct HarmonicResult {
  Array<double> centrality;       // [vertices], 0 where no search arrived
  std::vector<VertexId> sources;  // that were used, ascending
  RunReport report;
};

/// For each vertex x the sum over all other vertices y of 1 / d(y, x), where d counts the edges of
/// a shortest path from y to x; vertices that do not reach x add nothing.
///
/// With k of n vertices as sources: an estimate of the same sum. A sample that is itself a source
/// has k - 1 terms instead of k, so its sum is scaled by k / (k - 1), as in HALO's Algorithm 2; all
/// are multiplied by (n - 1) / k, which makes the estimate unbiased (and leaves the order alone).
///
/// @return  not normalised: between 0 and n - 1. Deterministic whatever the threads, devices and
///          residency: terms are added as integers in units of 2^-s, 2^s * k < 2^63. Each term is
///          off by at most half a unit.
/// @throws Error(Usage) for more samples than vertices, or for one sample of several vertices,
///         which tells nothing of itself; Error(DoesNotFit); Error(Interrupted).
/// Cost: for each 64 sources, what a MultiSearch costs; 40 bytes per vertex and device.
/// Source: Boldi and Vigna, "Axioms for centrality", Internet Mathematics 10, 2014; sampled: Gera
/// et al., "Traversing large graphs on GPUs with unified memory" (HALO), PVLDB 13(7), 2020.
FATHOM_API HarmonicResult harmonic(const Context& ctx, const Graph& graph,
                                   const HarmonicOptions& options = {});

/// Compares with serial searches that share no code with harmonic(). With at most `few` sources
/// all values are recomputed. With more, every value is finite and at least the part of `few`
/// sources; and where lists can be walked backwards, `few` vertices, the largest among them, are
/// recomputed by a search from each against the edges.
/// @throws Error(VerificationFailed) naming a vertex; Error(Usage) when the edges cannot be read by
///         the host.
FATHOM_API void verify_harmonic(const Context& ctx, const Graph& graph,
                                const HarmonicOptions& options, const HarmonicResult& result,
                                VertexId few = 8);

}  // namespace fathom
