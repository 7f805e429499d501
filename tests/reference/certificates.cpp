#include "tests/reference/certificates.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace reference {
namespace {

std::string at(Vertex v, const std::string& what) {
  return "vertex " + std::to_string(v) + ": " + what;
}

bool contains(const std::vector<Vertex>& list, Vertex v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

bool close(double a, double b, double relative) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return a == b || std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

}  // namespace

std::string check_parents(const Graph& g, const std::vector<Vertex>& sources,
                          const std::vector<std::int32_t>& depth,
                          const std::vector<Vertex>& parent) {
  if (depth.size() != g.n || parent.size() != g.n) return "one entry per vertex expected";
  for (Vertex v = 0; v < g.n; ++v) {
    const Vertex p = parent[v];
    if (contains(sources, v)) {
      if (p != v && p != kNone) return at(v, "a source with a parent");
      continue;
    }
    if (depth[v] < 0) {
      if (p != kNone) return at(v, "unreached, but with a parent");
      continue;
    }
    if (p >= g.n) return at(v, "reached, but without a parent");
    if (depth[p] != depth[v] - 1) return at(v, "parent is not one level up");
    if (!has_edge(g, p, v)) return at(v, "no edge from its parent " + std::to_string(p));
  }
  return "";
}

std::string check_distances(const Graph& g, const std::vector<Vertex>& sources,
                            const std::vector<double>& distance, double relative) {
  if (distance.size() != g.n) return "one entry per vertex expected";
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u]) {
      const double candidate = distance[u] + static_cast<double>(arc.weight);
      if (candidate < distance[arc.target] && !close(candidate, distance[arc.target], relative))
        return at(arc.target, "an edge from " + std::to_string(u) + " shortens its distance");
    }
  for (Vertex v = 0; v < g.n; ++v) {
    if (contains(sources, v)) {
      if (distance[v] != 0) return at(v, "a source at a distance");
      continue;
    }
    if (std::isinf(distance[v])) continue;
    const bool explained = std::any_of(g.in[v].begin(), g.in[v].end(), [&](const Arc& arc) {
      return close(distance[arc.target] + static_cast<double>(arc.weight), distance[v], relative);
    });
    if (!explained) return at(v, "no edge explains its distance");
  }
  return "";
}

std::string check_same_partition(const std::vector<Vertex>& a, const std::vector<Vertex>& b) {
  if (a.size() != b.size()) return "labellings of different sizes";
  std::map<Vertex, Vertex> a_to_b, b_to_a;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (a_to_b.emplace(a[v], b[v]).first->second != b[v])
      return at(static_cast<Vertex>(v), "the second labelling separates what the first joins");
    if (b_to_a.emplace(b[v], a[v]).first->second != a[v])
      return at(static_cast<Vertex>(v), "the first labelling separates what the second joins");
  }
  return "";
}

}  // namespace reference
