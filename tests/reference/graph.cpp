#include "tests/reference/graph.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace reference {

Graph make_graph(Vertex n, std::vector<Edge> edges, bool directed) {
  Graph g;
  g.n = n;
  g.directed = directed;
  g.out.resize(n);
  g.in.resize(n);
  for (const auto& [u, v, w] : edges) {
    if (u >= n || v >= n) throw std::out_of_range("edge endpoint outside the graph");
    g.out[u].push_back({v, w});
    g.in[v].push_back({u, w});
    if (!directed && u != v) {
      g.out[v].push_back({u, w});
      g.in[u].push_back({v, w});
    }
  }
  g.edges = std::move(edges);
  return g;
}

Graph merge_duplicates(const Graph& g) {
  std::map<std::pair<Vertex, Vertex>, float> lightest;
  for (const auto& [u, v, w] : g.edges) {
    const std::pair<Vertex, Vertex> pair =
        g.directed ? std::pair(u, v) : std::pair(std::min(u, v), std::max(u, v));
    const auto [it, fresh] = lightest.emplace(pair, w);
    if (!fresh) it->second = std::min(it->second, w);
  }
  std::vector<Edge> edges;
  for (const auto& [pair, w] : lightest) edges.emplace_back(pair.first, pair.second, w);
  return make_graph(g.n, std::move(edges), g.directed);
}

bool has_edge(const Graph& g, Vertex u, Vertex v) {
  for (const Arc& arc : g.out.at(u))
    if (arc.target == v) return true;
  return false;
}

std::vector<Edge> parse_edge_list(std::istream& text) {
  std::vector<Edge> edges;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    line.resize(std::min(line.size(), line.find_first_of("#%")));
    std::istringstream fields(line);
    Vertex u = 0, v = 0;
    float w = 1;
    std::string rest;
    if (fields >> std::ws, fields.eof()) continue;
    if (!(fields >> u >> v))
      throw std::runtime_error("line " + std::to_string(number) + ": bad edge");
    if (!(fields >> std::ws).eof() && !(fields >> w))
      throw std::runtime_error("line " + std::to_string(number) + ": bad weight");
    if (fields >> rest) throw std::runtime_error("line " + std::to_string(number) + ": " + rest);
    edges.emplace_back(u, v, w);
  }
  return edges;
}

Graph read_edge_list(const std::string& path, bool directed, Vertex n) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Edge> edges = parse_edge_list(file);
  if (n == 0)
    for (const auto& [u, v, w] : edges) n = std::max({n, u + 1, v + 1});
  return make_graph(n, std::move(edges), directed);
}

}  // namespace reference
