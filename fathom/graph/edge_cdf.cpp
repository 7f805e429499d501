#include "fathom/graph/edge_cdf.hpp"

namespace fathom::graph {

std::vector<double> edge_cdf(const CsrView& lists, EdgeId limit) {
  std::vector<EdgeId> edges(limit + 1, 0);
  for (VertexId v = 0; v < lists.vertices; ++v)
    if (lists.degree(v) <= limit) edges[lists.degree(v)] += lists.degree(v);
  std::vector<double> fraction(limit + 1, 1.0);
  if (lists.edges == 0) return fraction;
  EdgeId sum = 0;
  for (EdgeId d = 0; d <= limit; ++d) {
    sum += edges[d];
    fraction[d] = static_cast<double>(sum) / static_cast<double>(lists.edges);
  }
  return fraction;
}

}  // namespace fathom::graph
