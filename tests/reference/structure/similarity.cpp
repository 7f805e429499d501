#include "tests/reference/structure/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace reference {

Neighborhoods::Neighborhoods(const Graph& g) : around_(g.n) {
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u]) {
      if (arc.target == u) continue;
      around_[u].insert(arc.target);
      around_[arc.target].insert(u);
    }
}

std::set<Vertex> Neighborhoods::common(Vertex u, Vertex v) const {
  std::set<Vertex> both;
  for (const Vertex w : around_[u])
    if (around_[v].count(w) > 0) both.insert(w);
  return both;
}

double Neighborhoods::similarity(const std::string& measure, Vertex u, Vertex v) const {
  const std::set<Vertex> both = common(u, v);
  if (both.empty()) return 0;
  const auto shared = static_cast<double>(both.size());
  const auto a = static_cast<double>(around_[u].size()), b = static_cast<double>(around_[v].size());
  if (measure == "common") return shared;
  if (measure == "overlap") return shared / std::min(a, b);
  if (measure == "jaccard") return shared / (a + b - shared);
  double sum = 0;
  for (const Vertex w : both) {
    const auto degree = static_cast<double>(around_[w].size());
    sum += 1 / (measure == "adamic-adar" ? std::log(degree) : degree);
  }
  return sum;
}

std::vector<Similar> Neighborhoods::best(const std::string& measure, Vertex u, std::size_t k,
                                         const std::vector<Vertex>& row) const {
  std::vector<Similar> all;
  for (Vertex v = 0; v < around_.size(); ++v)
    if (v != u && !common(u, v).empty()) all.push_back({u, v, similarity(measure, u, v)});
  const auto key = [&](const Similar& its) {
    return std::tuple(-its.value, row.empty() ? its.v : row[its.v]);
  };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (all.size() > k) all.resize(k);
  return all;
}

}  // namespace reference
