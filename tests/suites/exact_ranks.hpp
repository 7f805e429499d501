// What PageRank is to find, by the oracle.
#pragma once

#include <cmath>
#include <vector>

#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom::testing {

inline std::vector<double> exact_ranks(const zoo::RawGraph& raw, const PagerankOptions& options) {
  reference::PagerankOptions r;
  r.alpha = options.alpha;
  r.tolerance = 1e-14;
  r.max_iterations = 20000;
  r.weighted = options.weighted;
  r.dangling = options.compat == PagerankCompat::Gap ? reference::Dangling::Drop
                                                     : reference::Dangling::Spread;
  r.personalization.assign(options.personalization.begin(), options.personalization.end());
  return reference::pagerank(zoo::to_reference(raw), r).rank;
}

inline double l1_between(const Array<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t v = 0; v < b.size(); ++v) sum += std::abs(a[v] - b[v]);
  return sum;
}

}  // namespace fathom::testing
