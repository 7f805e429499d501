// Graphs whose edges have types and timestamps, as files, and the same with some of their edges.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fathom/core/random.hpp"
#include "fathom/residency/filtered/edge_filter.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/store/make/save.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {

inline Context two_threads(std::size_t host_memory = MemoryPool::kUnlimited) {
  CpuOptions options;
  options.threads = 2;
  options.host_memory = host_memory;
  return Context::cpu(options);
}

/// Types 0 to 3, t1 0 to 19, half of t2 0 and the others up to 10 later. Of edges between the same
/// vertices different ones, but of an undirected edge the same both ways.
inline EdgeFields drawn_fields(VertexId u, VertexId v, EdgeId which, bool directed) {
  const VertexId low = directed ? u : std::min(u, v), high = directed ? v : std::max(u, v);
  const RandomStream drawn(std::uint64_t{low} << 32 | high, directed ? which : 0);
  const std::uint64_t t1 = drawn.at(0) % 20;
  return {static_cast<std::uint32_t>(drawn.at(1) % 4), t1,
          drawn.at(2) % 2 == 0 ? 0 : t1 + drawn.at(3) % 11};
}

/// The out-lists of a graph, with weights, and what its edges have.
struct FieldGraph {
  graph::BuiltGraph built;
  bool directed = true;
  std::vector<EdgeFields> fields;

  explicit FieldGraph(zoo::RawGraph raw) : directed(raw.directed) {
    if (raw.weights.empty())
      for (std::size_t e = 0; e < raw.edges.size(); ++e)
        raw.weights.push_back(static_cast<float>(1 + e % 5));
    built = zoo::build(raw);
    const CsrView out = built.out.view();
    for (VertexId u = 0; u < out.vertices; ++u)
      for (EdgeId e = out.offset[u]; e < out.offset[u + 1]; ++e)
        fields.push_back(drawn_fields(u, out.target[e], e - out.offset[u], directed));
  }

  void save(const std::string& path) const {
    store::SaveOptions options;
    options.directed = directed;
    options.edge_fields = fields;
    store::save(built.out.view(), path, options);
  }

  /// A file that has the kept edges alone, without fields.
  void save_kept(const std::string& path, const EdgeFilter& filter) const {
    const CsrView out = built.out.view();
    std::vector<EdgeId> offset{0};
    std::vector<VertexId> target;
    std::vector<Weight> weight;
    for (VertexId u = 0; u < out.vertices; ++u) {
      for (EdgeId e = out.offset[u]; e < out.offset[u + 1]; ++e) {
        if (!filter.keeps(fields[e])) continue;
        target.push_back(out.target[e]);
        weight.push_back(out.weight[e]);
      }
      offset.push_back(target.size());
    }
    store::SaveOptions options;
    options.directed = directed;
    store::save({out.vertices, target.size(), offset.data(), target.data(), weight.data()}, path,
                options);
  }
};

/// From nothing to everything, by each of what a filter can ask for.
inline std::vector<EdgeFilter> drawn_filters() {
  return {{{}, {}, {}, {{0, 3}}},  // all edges
          {5, 15, {}, {}},
          {{}, 3, {}, {}},
          {17, {}, {}, {}},
          {{}, {}, 9, {}},
          {{}, {}, {}, {{1, 1}, {3, 3}}},
          {2, {}, 12, {{0, 2}}},
          {7, 7, {}, {}}};  // none
}

}  // namespace fathom::testing
