// What drivers of other stores share: a graph of GAP's serialized format, and batches of random
// updates timed as `fathom bench dynamic --only updates` times ours. Unsorted edges of one way,
// with duplicates, are inserted, then deleted; what the graph had before comes back untimed. After
// each batch the number of edges, and in the first round the edges, are held against sorted lists
// that std::set_union and the like made; a difference ends the program with status 1.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace peers {

using Edge = std::pair<std::uint32_t, std::uint32_t>;
using Edges = std::vector<Edge>;

constexpr int kRounds = 7;

[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

struct Graph {
  std::vector<std::int64_t> offset;
  std::vector<std::int32_t> target;
  Edges edges;  ///< ascending, each once

  std::size_t vertices() const { return offset.size() - 1; }
};

template <class T>
void read(std::ifstream& file, T* to, std::size_t count) {
  file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
}

/// The lists of out-edges; those of in-edges lie behind.
inline Graph read_graph(const char* path) {
  std::ifstream file(path, std::ios::binary);
  bool directed = false;
  std::int64_t edges = 0, vertices = 0;
  read(file, &directed, 1);
  read(file, &edges, 1);
  read(file, &vertices, 1);
  if (!file) fail(std::string("cannot read ") + path);
  Graph graph;
  graph.offset.resize(static_cast<std::size_t>(vertices) + 1);
  read(file, graph.offset.data(), graph.offset.size());
  graph.target.resize(file ? static_cast<std::size_t>(graph.offset.back()) : 0);
  read(file, graph.target.data(), graph.target.size());
  if (!file) fail(std::string(path) + " ends too early");
  graph.edges.reserve(graph.target.size());
  for (std::size_t v = 0; v < graph.vertices(); ++v)
    for (auto e = graph.offset[v]; e < graph.offset[v + 1]; ++e)
      graph.edges.emplace_back(static_cast<std::uint32_t>(v), graph.target[e]);
  if (std::adjacent_find(graph.edges.begin(), graph.edges.end(), std::greater_equal<>()) !=
      graph.edges.end())
    fail(std::string(path) + " has lists that do not ascend, or an edge twice");
  return graph;
}

/// No loops.
inline Edges random_edges(std::size_t count, std::size_t vertices, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> from(0, vertices - 1), step(1, vertices - 1);
  Edges edges(count);
  for (Edge& edge : edges) {
    const std::size_t u = from(random);
    edge = {static_cast<std::uint32_t>(u),
            static_cast<std::uint32_t>((u + step(random)) % vertices)};
  }
  return edges;
}

template <class F>
double milliseconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

inline double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

/// What std::set_union and the like make of two sorted lists.
template <class Operation>
Edges of_both(const Operation& operation, const Edges& a, const Edges& b) {
  Edges both;
  operation(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

/// A Store has insert(edges) and remove(edges), which tell milliseconds, edges(), how many there
/// are, and list(), which ascends.
template <class Store>
void require(Store& store, const Edges& expected, bool compare, const char* when) {
  const std::size_t edges = store.edges();
  if (edges != expected.size() || (compare && store.list() != expected))
    fail(std::to_string(edges) + " edges " + when + ", not those " +
         std::to_string(expected.size()) + " that should be");
}

struct Times {
  std::vector<double> insert, remove;
};

/// Inserts and deletes a batch, and leaves the graph `base`.
template <class Store>
void insert_and_remove(Store& store, const Edges& base, const Edges& updates, bool compare,
                       Times& times) {
  Edges batch = updates;
  std::sort(batch.begin(), batch.end());
  batch.erase(std::unique(batch.begin(), batch.end()), batch.end());
  const auto united = [](auto... of) { return std::set_union(of...); };
  const auto common = [](auto... of) { return std::set_intersection(of...); };
  const auto without = [](auto... of) { return std::set_difference(of...); };

  times.insert.push_back(store.insert(updates));
  require(store, of_both(united, base, batch), compare, "after insertion");
  times.remove.push_back(store.remove(updates));
  require(store, of_both(without, base, batch), compare, "after deletion");
  const Edges known = of_both(common, base, batch);
  if (!known.empty()) store.insert(known);
  require(store, base, compare, "in the end");
}

/// Of sizes as the command line has them from the third word on; prints a line for each, which ends
/// with `more`.
template <class Store>
void time_batches(Store& store, const Graph& graph, int argc, char** argv,
                  const std::string& more) {
  std::vector<std::size_t> batches;
  for (int i = 2; i < argc; ++i) batches.push_back(std::stoull(argv[i]));
  if (batches.empty()) batches = {100'000, 1'000'000};
  require(store, graph.edges, true, "to begin with");
  std::mt19937_64 random(1);
  for (const std::size_t batch : batches) {
    Times times;
    for (int round = 0; round < kRounds; ++round)
      insert_and_remove(store, graph.edges, random_edges(batch, graph.vertices(), random),
                        round == 0, times);
    std::printf("batch %zu insert %.4f delete %.4f %s\n", batch, median(times.insert),
                median(times.remove), more.c_str());
    std::fflush(stdout);
  }
}

}  // namespace peers
