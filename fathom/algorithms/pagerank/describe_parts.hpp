// What PageRank and the random walk with restart say alike of themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

OptionInfo tolerance_option(std::string_view meaning, double standard);
OptionInfo max_iterations_option(std::uint32_t standard);
OptionInfo weighted_walk_option();
/// --weighted, of sums over edges.
OptionInfo counted_weights_option();

/// What `fathom rwr --each` answers: walks from each source alone.
Answer rwr_from_each(const Context& ctx, const Graph& graph, const OptionValues& values,
                     const RwrOptions& options);

/// How a walk ended, for a summary.
std::string walk_end(const RunReport& report, double residual);

/// After how many iterations power iteration's L1 change is below the tolerance whatever the graph:
/// the change shrinks by alpha each time, and begins at no more than 2.
FATHOM_API std::uint32_t most_iterations(double alpha, double tolerance, std::uint32_t limit);

/// A walk as its options ask for it.
struct PlannedWalk {
  double alpha = .85, tolerance = 1e-6;
  bool weighted = false;  // asked to be, which takes weights
  bool personalized = false;
  bool plain = false;  // power iteration everywhere

  /// Ranks are used at once, where the host reaches all.
  bool in_place(const Algorithm::Where& where) const;
  /// Conjugate gradients: an undirected graph whose ranks are not updated in place, where the state
  /// of it fits.
  bool conjugate(const Algorithm::Where& where) const;
};

StateSize walk_state(const Algorithm::Where& where, const PlannedWalk& walk);
/// most_iterations() of the method that it takes. That of conjugate gradients is of their norm:
/// runs stay well below it.
double walk_bound(const Algorithm::Where& where, const PlannedWalk& walk);

}  // namespace fathom
