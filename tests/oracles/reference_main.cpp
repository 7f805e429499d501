// Runs one reference algorithm on a text edge list and prints "vertex<TAB>value" lines, so that
// compare.py can hold the reference against NetworkX and SciPy.
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/reference/betweenness.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/graph.hpp"
#include "tests/reference/halo.hpp"
#include "tests/reference/kcore.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/reference/triangles.hpp"

namespace {

using reference::Graph;
using reference::Vertex;

struct Arguments {
  std::string algorithm, path;
  Vertex vertices = 0;
  bool directed = false, weighted = false, normalized = true, drop_dangling = false;
  std::vector<Vertex> sources;
  std::string personalization;
};

Arguments parse(const std::vector<std::string>& words) {
  if (words.size() < 2)
    throw std::invalid_argument("usage: reference_main ALGORITHM FILE [options]");
  Arguments a;
  a.algorithm = words[0];
  a.path = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto value = [&] { return words.at(++i); };
    const auto number = [&] { return static_cast<Vertex>(std::stoul(value())); };
    if (words[i] == "--vertices")
      a.vertices = number();
    else if (words[i] == "--directed")
      a.directed = true;
    else if (words[i] == "--weighted")
      a.weighted = true;
    else if (words[i] == "--no-normalized")
      a.normalized = false;
    else if (words[i] == "--drop-dangling")
      a.drop_dangling = true;
    else if (words[i] == "--source")
      a.sources.push_back(number());
    else if (words[i] == "--personalization")
      a.personalization = value();
    else
      throw std::invalid_argument("unknown option " + words[i]);
  }
  return a;
}

std::vector<double> read_personalization(const std::string& path, Vertex n) {
  std::vector<double> mass(n, 0.0);
  std::ifstream file(path);
  Vertex v = 0;
  for (double m = 0; file >> v >> m;) mass.at(v) = m;
  return mass;
}

template <class T>
void print(const std::vector<T>& values) {
  for (std::size_t v = 0; v < values.size(); ++v)
    std::printf("%zu\t%.17g\n", v, static_cast<double>(values[v]));
}

void run_pagerank(const Graph& g, const Arguments& a) {
  reference::PagerankOptions options;
  options.weighted = a.weighted;
  options.dangling = a.drop_dangling ? reference::Dangling::Drop : reference::Dangling::Spread;
  if (!a.personalization.empty())
    options.personalization = read_personalization(a.personalization, g.n);
  print(reference::pagerank(g, options).rank);
}

void run_betweenness(const Graph& g, const Arguments& a) {
  print(reference::betweenness(g, {a.weighted, a.normalized, a.sources}));
}

void run_harmonic(const Graph& g) {
  std::vector<Vertex> all(g.n);
  std::iota(all.begin(), all.end(), Vertex{0});
  print(reference::harmonic_sums(g, all, false));
}

void run(const Arguments& a) {
  const Graph g =
      reference::merge_duplicates(reference::read_edge_list(a.path, a.directed, a.vertices));
  if (a.algorithm == "bfs") return print(reference::bfs_depths(g, a.sources));
  if (a.algorithm == "sssp") return print(reference::dijkstra(g, a.sources));
  if (a.algorithm == "cc") return print(reference::components(g));
  if (a.algorithm == "tc") return print(reference::count_triangles(g).per_vertex);
  if (a.algorithm == "kcore") return print(reference::core_numbers(g).core);
  if (a.algorithm == "harmonic") return run_harmonic(g);
  if (a.algorithm == "pagerank") return run_pagerank(g, a);
  if (a.algorithm == "bc") return run_betweenness(g, a);
  throw std::invalid_argument("unknown algorithm " + a.algorithm);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "reference_main: %s\n", e.what());
    return 1;
  }
}
