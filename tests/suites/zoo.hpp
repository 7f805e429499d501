// The graph zoo: small graphs, each with something that breaks careless code. Raw edge lists,
// independent of the engine and its generators, the same on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace zoo {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

struct RawGraph {
  std::string name;  // letters and digits: also a test name
  std::uint32_t vertices = 0;
  bool directed = false;
  std::vector<Pair> edges;     // undirected: each edge once, in either direction
  std::vector<float> weights;  // one per edge, or empty
};

inline std::ostream& operator<<(std::ostream& out, const RawGraph& g) {
  return out << g.name;
}

/// The largest page, in bytes, that the zoo's hubs and long lists are sure to exceed when a target
/// takes four bytes.
inline constexpr std::uint32_t kPageBytes = 4096;
inline constexpr std::uint32_t kPageTargets = kPageBytes / 4;

/// Knuth's 64-bit linear congruential generator; its upper bits are good enough to draw edges.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) { roll(1); }
  std::uint32_t roll(std::uint32_t sides) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % sides);
  }

 private:
  std::uint64_t state_;
};

inline std::vector<Pair> random_edges(std::uint32_t n, std::uint32_t m, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Pair> edges;
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint32_t u = dice.roll(n);
    edges.emplace_back(u, dice.roll(n));
  }
  return edges;
}

inline std::vector<Pair> path_edges(std::uint32_t n) {
  std::vector<Pair> edges;
  for (std::uint32_t v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
  return edges;
}

inline std::vector<Pair> clique_edges(std::uint32_t first, std::uint32_t size) {
  std::vector<Pair> edges;
  for (std::uint32_t u = first; u < first + size; ++u)
    for (std::uint32_t v = u + 1; v < first + size; ++v) edges.emplace_back(u, v);
  return edges;
}

inline RawGraph empty_graph() {
  return {"Empty", 0, false, {}, {}};
}
inline RawGraph one_vertex() {
  return {"OneVertex", 1, false, {}, {}};
}
inline RawGraph one_loop() {
  return {"OneLoop", 1, true, {{0, 0}}, {}};
}
inline RawGraph no_edges() {
  return {"NoEdges", 130, true, {}, {}};
}
inline RawGraph path() {
  return {"Path", 300, false, path_edges(300), {}};
}

inline RawGraph self_loops() {
  return {"SelfLoops", 6, true, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 0}, {3, 3}, {4, 5}}, {}};
}

inline RawGraph multi_edges() {
  return {"MultiEdges",
          5,
          true,
          {{0, 1}, {0, 1}, {1, 2}, {0, 2}, {0, 2}, {0, 2}, {2, 3}, {2, 3}, {3, 0}, {4, 4}, {4, 4}},
          {}};
}

/// Isolated vertices at the beginning, in the middle (a whole bitmap word) and at the end.
inline RawGraph isolated_vertices() {
  return {"IsolatedVertices", 300, false, {{70, 71}, {71, 72}, {200, 70}, {201, 202}}, {}};
}

/// A hub whose list covers more than two pages; `directed`: the hub has out-edges only.
inline RawGraph star(bool directed) {
  RawGraph g{directed ? "StarOutward" : "Star", 2 * kPageTargets + 500, directed, {}, {}};
  for (std::uint32_t v = 0; v < g.vertices; ++v)
    if (v != 700) g.edges.emplace_back(700, v);
  return g;
}

/// Everyone points at vertex 3, which points nowhere.
inline RawGraph star_inward() {
  RawGraph g{"StarInward", 2 * kPageTargets + 500, true, {}, {}};
  for (std::uint32_t v = 0; v < g.vertices; ++v)
    if (v != 3) g.edges.emplace_back(v, 3);
  return g;
}

inline RawGraph cycle(bool directed) {
  RawGraph g{directed ? "DirectedCycle" : "Cycle", 129, directed, path_edges(129), {}};
  g.edges.emplace_back(128, 0);
  return g;
}

inline RawGraph grid(std::uint32_t rows = 13, std::uint32_t columns = 29) {
  RawGraph g{"Grid", rows * columns, false, {}, {}};
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    if (v % columns + 1 < columns) g.edges.emplace_back(v, v + 1);
    if (v + columns < g.vertices) g.edges.emplace_back(v, v + columns);
  }
  return g;
}

/// Recursive quadrants .57 .19 .19 .05; skewed, with loops, duplicates and isolated vertices.
inline RawGraph rmat(bool directed) {
  const int scale = 10;
  RawGraph g{directed ? "RmatDirected" : "Rmat", 1u << scale, directed, {}, {}};
  Dice dice(directed ? 11 : 12);
  for (int i = 0; i < 8 * (1 << scale); ++i) {
    Pair e{0, 0};
    for (int level = 0; level < scale; ++level) {
      const std::uint32_t p = dice.roll(100);
      e.first = 2 * e.first + (p >= 76 ? 1 : 0);
      e.second = 2 * e.second + ((p >= 57 && p < 76) || p >= 95 ? 1 : 0);
    }
    g.edges.push_back(e);
  }
  return g;
}

inline RawGraph uniform(bool directed) {
  return {directed ? "UniformDirected" : "Uniform", 777, directed, random_edges(777, 3000, 21), {}};
}

/// Pieces of different shapes with interleaved ids: piece p has the vertices v with v % 5 == p.
inline RawGraph disconnected_pieces() {
  RawGraph g{"DisconnectedPieces", 500, false, {}, {}};
  Dice dice(31);
  for (std::uint32_t i = 0; i + 1 < 100; ++i) g.edges.emplace_back(5 * i, 5 * i + 5);
  for (std::uint32_t i = 1; i < 100; ++i) g.edges.emplace_back(1, 5 * i + 1);
  for (std::uint32_t i = 0; i < 100; i += 2) g.edges.emplace_back(5 * i + 2, 5 * i + 7);
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t u = 5 * dice.roll(100) + 3;
    g.edges.emplace_back(u, 5 * dice.roll(100) + 3);
  }
  return g;  // the fifth piece is isolated vertices
}

/// Edges from lower to higher ids only; many equally short paths.
inline RawGraph directed_acyclic() {
  RawGraph g{"DirectedAcyclic", 240, true, {}, {}};
  for (const auto& [u, v] : random_edges(240, 1200, 41))
    if (u != v) g.edges.emplace_back(std::min(u, v), std::max(u, v));
  return g;
}

/// Vertices 0..49 reach 50..99 but not the other way round; 100..119 reach both, nothing them.
inline RawGraph unreachable_sources() {
  RawGraph g{"UnreachableSources", 120, true, {}, {}};
  for (const auto& [u, v] : random_edges(50, 200, 51)) {
    g.edges.emplace_back(u, v);
    g.edges.emplace_back(50 + v, 50 + u);
  }
  for (std::uint32_t v = 0; v < 20; ++v) {
    g.edges.emplace_back(v, 50 + v);
    g.edges.emplace_back(100 + v, 3 * v);
  }
  return g;
}

inline RawGraph complete() {
  return {"Complete", 40, false, clique_edges(0, 40), {}};
}

inline RawGraph bridged_cliques() {
  RawGraph g{"BridgedCliques", 40, false, clique_edges(0, 20), {}};
  for (const Pair& e : clique_edges(20, 20)) g.edges.push_back(e);
  g.edges.emplace_back(19, 20);
  return g;
}

/// Degrees such that, on pages of kPageTargets targets, lists begin, end and straddle at borders:
/// exactly a page, one less, one more, then many lists that do not divide it.
inline RawGraph page_borders() {
  RawGraph g{"PageBorders", kPageTargets + 2, true, {}, {}};
  const std::uint32_t degrees[] = {kPageTargets, kPageTargets - 1, 1, kPageTargets + 1, 0, 3};
  for (std::uint32_t u = 0; u < 6; ++u)
    for (std::uint32_t i = 0; i < degrees[u]; ++i)
      g.edges.emplace_back(u, g.vertices - 1 - i);  // from the end: descending input order
  for (std::uint32_t u = 6; u < 60; ++u)
    for (std::uint32_t i = 0; i < 97; ++i) g.edges.emplace_back(u, (u * 31 + i * 7) % g.vertices);
  return g;
}

enum class Weights {
  Positive,  // integers 1..20: many ties
  WithZero,  // integers 0..3: cycles of zero weight
  Fraction,  // multiples of 1/8, whose sums are exact
  Thirds     // multiples of a third: sums in float round, those in double hardly do
};

/// The same graph with weights; parallel edges get different ones.
inline RawGraph weighted(RawGraph g, Weights kind) {
  const char* suffix[] = {"Weighted", "ZeroWeights", "FractionWeights", "ThirdsWeights"};
  g.name += suffix[static_cast<int>(kind)];
  Dice dice(61);
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    const std::uint32_t w = kind == Weights::Positive   ? 1 + dice.roll(20)
                            : kind == Weights::WithZero ? dice.roll(4)
                                                        : 1 + dice.roll(800);
    const float unit = kind == Weights::Fraction ? 0.125f : kind == Weights::Thirds ? 1 / 3.0f : 1;
    g.weights.push_back(static_cast<float>(w) * unit);
  }
  return g;
}

/// A path with steps that a float forgets: 2^24 first, and ones and halves behind it.
inline RawGraph long_steps() {
  RawGraph g{"LongSteps", 400, true, {}, {}};
  for (std::uint32_t v = 0; v + 1 < g.vertices; ++v) {
    g.edges.emplace_back(v, v + 1);
    g.weights.push_back(v == 0 ? 0x1p24f : v % 3 == 0 ? 0.5f : 1.0f);
  }
  return g;
}

inline std::vector<RawGraph> unweighted_graphs() {
  return {empty_graph(),
          one_vertex(),
          one_loop(),
          no_edges(),
          path(),
          self_loops(),
          multi_edges(),
          isolated_vertices(),
          star(false),
          star(true),
          star_inward(),
          cycle(false),
          cycle(true),
          grid(),
          rmat(false),
          rmat(true),
          uniform(false),
          uniform(true),
          complete(),
          disconnected_pieces(),
          directed_acyclic(),
          unreachable_sources(),
          page_borders(),
          bridged_cliques()};
}

inline std::vector<RawGraph> weighted_graphs() {
  return {weighted(one_loop(), Weights::Positive),
          weighted(multi_edges(), Weights::Positive),
          weighted(self_loops(), Weights::WithZero),
          weighted(star(false), Weights::Positive),
          weighted(grid(), Weights::Positive),
          weighted(grid(), Weights::WithZero),
          weighted(rmat(false), Weights::Positive),
          weighted(rmat(true), Weights::Fraction),
          weighted(rmat(true), Weights::WithZero),
          weighted(uniform(true), Weights::Positive),
          weighted(disconnected_pieces(), Weights::Fraction),
          weighted(directed_acyclic(), Weights::Positive),
          weighted(unreachable_sources(), Weights::WithZero),
          weighted(page_borders(), Weights::Fraction)};
}

inline std::vector<RawGraph> all_graphs() {
  std::vector<RawGraph> graphs = unweighted_graphs();
  for (RawGraph& g : weighted_graphs()) graphs.push_back(std::move(g));
  return graphs;
}

/// Names a parameterised test after its graph.
struct GraphName {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

}  // namespace zoo
