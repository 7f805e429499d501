// What the descriptions of power iterations have in common.
#pragma once

#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom {

/// --tol, --max-iter and --weighted.
template <class Options>
Options power_options(const OptionValues& values) {
  Options options;
  options.tolerance = values.real("tol");
  options.max_iterations = static_cast<std::uint32_t>(values.count("max-iter"));
  options.weighted = values.flag("weighted");
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

/// In-lists are read, or out-lists where there are no others.
inline Reads reads_received(const Algorithm::Where& where, const OptionValues&) {
  return {.out_lists = !where.two_lists()};
}

}  // namespace fathom
