#include "fathom/algorithms/sample.hpp"

#include <algorithm>
#include <unordered_set>

#include "fathom/core/random.hpp"

namespace fathom {

std::vector<VertexId> sample_vertices(VertexId n, VertexId k, std::uint64_t seed) {
  const RandomStream random(seed, 0);
  std::unordered_set<VertexId> chosen;
  for (VertexId i = n - k; i < n; ++i) {
    const auto v = static_cast<VertexId>(bounded(random.at(i), std::uint64_t{i} + 1));
    chosen.insert(chosen.count(v) == 0 ? v : i);
  }
  std::vector<VertexId> list(chosen.begin(), chosen.end());
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace fathom
