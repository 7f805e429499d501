// The graph of the reference algorithms: adjacency vectors, nothing clever. Shares no code with the
// library under test.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <tuple>
#include <vector>

namespace reference {

#if FATHOM_VERTEX_BITS == 64
using Vertex = std::uint64_t;
#else
using Vertex = std::uint32_t;
#endif
using Edge = std::tuple<Vertex, Vertex, float>;  // source, target, weight

inline constexpr Vertex kNone = ~Vertex{0};

struct Arc {
  Vertex target;
  float weight;
};

/// `out[v]` and `in[v]` hold one arc per edge, in input order. In an undirected graph every edge is
/// an arc in both directions, a loop only once, and `in` equals `out` up to order.
struct Graph {
  Vertex n = 0;
  bool directed = true;
  std::vector<Edge> edges;
  std::vector<std::vector<Arc>> out, in;
};

/// Throws std::out_of_range when an endpoint is not below n.
Graph make_graph(Vertex n, std::vector<Edge> edges, bool directed);

/// Of several edges between the same (for undirected graphs: unordered) pair, keeps one with the
/// smallest weight.
Graph merge_duplicates(const Graph& g);

bool has_edge(const Graph& g, Vertex u, Vertex v);

/// Lines "u v" or "u v w"; '#' and '%' start comments. Throws std::runtime_error naming the line.
std::vector<Edge> parse_edge_list(std::istream& text);

/// Reads a file for parse_edge_list. `n` 0: one more than the largest id.
Graph read_edge_list(const std::string& path, bool directed, Vertex n = 0);

}  // namespace reference
