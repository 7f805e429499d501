// What the descriptions of power iterations have in common.
#pragma once

#include <cmath>

#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom {

/// --tol, --max-iter, --weighted and checkpoints.
template <class Options>
Options power_options(const OptionValues& values) {
  Options options;
  options.tolerance = values.real("tol");
  options.max_iterations = static_cast<std::uint32_t>(values.count("max-iter"));
  options.weighted = values.flag("weighted");
  options.checkpoint = values.checkpoint;
  return options;
}

/// How an iteration ended, and what of that every report says.
template <class Result, class Options>
void note_iteration(Answer& answer, const Result& result, const Options& options) {
  answer.report.iterations = result.iterations;
  answer.report.converged = result.converged;
  answer.facts.push_back({"residual", result.residual});
  answer.facts.push_back({"tolerance", options.tolerance});
  answer.facts.push_back({"weighted", options.weighted});
}

/// In-lists are read, or out-lists where there are no others. How many iterations it takes depends
/// on the graph: as many as of graphs that are alike, and for each of these as many as the distance
/// to go, which shrinks by a factor every time, says.
/// @param standard  the tolerance of the runs that are measured.
inline Reads reads_received(const Algorithm::Where& where, const OptionValues& values,
                            double standard) {
  const double tolerance = values.real("tol");
  const bool converges = tolerance > 0 && tolerance < 1;
  return {.kind = Reads::Kind::Sweeps,
          .least = 1,
          .most = static_cast<double>(values.count("max-iter")),
          .pace = converges ? std::log(tolerance) / std::log(standard) : 1,
          .out_lists = !where.two_lists()};
}

}  // namespace fathom
