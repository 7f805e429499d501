// The algorithms that describe themselves: one line each.
#include <vector>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/error.hpp"

namespace fathom {

// clang-format off
#define FATHOM_DESCRIBED(X) \
  X(bfs)                    \
  X(sssp)                   \
  X(bellman_ford)           \
  X(components)             \
  X(scc)                    \
  X(cdlp)                   \
  X(louvain)                \
  X(leiden)                 \
  X(pagerank)               \
  X(betweenness)            \
  X(edge_betweenness)       \
  X(triangles)              \
  X(lcc)                    \
  X(similarity)             \
  X(kcore)                  \
  X(ktruss)                 \
  X(degrees)                \
  X(assortativity)          \
  X(reciprocity)            \
  X(rwr)                    \
  X(radius)                 \
  X(neighborhood)           \
  X(harmonic)               \
  X(closeness)              \
  X(eccentricity)           \
  X(eigenvector)            \
  X(katz)                   \
  X(hits)                   \
  X(mis)                    \
  X(color)                  \
  X(levels)                 \
  X(bipartite)              \
  X(msf)                    \
  X(biconnected)            \
  X(matching)
// clang-format on

#define FATHOM_DECLARE(name) const Algorithm& describe_##name();
FATHOM_DESCRIBED(FATHOM_DECLARE)
#undef FATHOM_DECLARE

namespace {

std::vector<const Algorithm*>& algorithms() {
#define FATHOM_ENTRY(name) &describe_##name(),
  static std::vector<const Algorithm*> all{FATHOM_DESCRIBED(FATHOM_ENTRY)};
#undef FATHOM_ENTRY
  return all;
}

}  // namespace

std::span<const Algorithm* const> described_algorithms() {
  return algorithms();
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm* its : algorithms())
    if (its->name == name) return its;
  return nullptr;
}

std::vector<std::string_view> splitting_algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm* its : algorithms())
    if (its->state({}, OptionValues(its->options)).chunk > 0) names.push_back(its->name);
  return names;
}

void add_algorithm(const Algorithm& algorithm) {
  if (find_algorithm(algorithm.name))
    throw Error(ErrorCode::Internal, "there are two algorithms " + std::string(algorithm.name));
  algorithms().push_back(&algorithm);
}

}  // namespace fathom
