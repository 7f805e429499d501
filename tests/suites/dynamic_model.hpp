// A graph that changes, the obvious way: a map of edges and a set of vertices, one update after the
// other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/dynamic/lists/find_edge.hpp"
#include "fathom/dynamic_graph.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

/// Of an empty list; half of it, if lists are linked.
inline DynamicRecord empty_record(const DynamicLayout& layout) {
  DynamicRecord record;
  std::memset(&record, layout.empty_byte(), sizeof(record));
  return record;
}

struct Model {
  using Data = std::pair<Weight, EdgeFields>;
  using Entry = std::tuple<VertexId, Weight, EdgeFields>;

  bool directed = true;
  EdgeKind kind = EdgeKind::Simple;
  DuplicatePolicy policy = DuplicatePolicy::Ignore;
  std::set<VertexId> vertices;
  std::map<VertexId, VertexFields> said;  // of vertices
  std::uint64_t drawn = 0;                // seeds of some_fields() so far
  std::map<std::pair<VertexId, VertexId>, std::vector<Data>> edges;  // both directions

  void insert(VertexId u, VertexId v, Weight w, EdgeFields fields = {}) {
    if (kind == EdgeKind::Simple) w = 1;
    if (kind != EdgeKind::Semantic) fields = {};
    put(u, v, {w, fields});
    if (!directed && u != v) put(v, u, {w, fields});
  }
  void remove(VertexId u, VertexId v) {
    edges.erase({u, v});
    if (!directed) edges.erase({v, u});
  }
  void remove_vertex(VertexId v) {
    vertices.erase(v);
    said.erase(v);
    std::erase_if(edges, [&](const auto& e) { return e.first.first == v || e.first.second == v; });
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (const auto& [edge, all] : edges) count += all.size();
    return count;
  }
  /// The list of u (of in-edges: `in`), ascending by target and weight.
  std::vector<std::pair<VertexId, Weight>> list(VertexId u, bool in = false) const {
    std::vector<std::pair<VertexId, Weight>> pairs;
    for (const auto& [v, w, fields] : entries(u, in)) pairs.emplace_back(v, w);
    return pairs;
  }
  /// The same with fields.
  std::vector<Entry> entries(VertexId u, bool in = false) const {
    std::vector<Entry> all;
    for (const auto& [edge, its] : edges)
      if ((in ? edge.second : edge.first) == u)
        for (const auto& [w, fields] : its)
          all.emplace_back(in ? edge.first : edge.second, w, fields);
    std::sort(all.begin(), all.end());
    return all;
  }
  VertexFields fields_of(VertexId v) const {
    const auto known = said.find(v);
    return known == said.end() ? VertexFields{} : known->second;
  }

 private:
  void put(VertexId u, VertexId v, const Data& data) {
    std::vector<Data>& all = edges[{u, v}];
    if (policy == DuplicatePolicy::Keep || all.empty())
      all.push_back(data);
    else if (policy == DuplicatePolicy::Overwrite)
      std::fill(all.begin(), all.end(), data);
  }
};

/// The lists of a source, as Model::list gives them.
inline std::vector<std::pair<VertexId, Weight>> list_of(EdgeSource& source, VertexId v) {
  std::vector<std::pair<VertexId, Weight>> entries;
  source.read_lists()->read(v, [&](const PlainSpan& s) {
    for (std::uint32_t i = 0; i < s.size; ++i) entries.emplace_back(s.target(i), s.weight(i));
  });
  return entries;
}

/// Fields that tell edges apart, in all of their bits.
inline EdgeFields some_fields(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed * 0x9e3779b9u), seed * 0x9e3779b97f4a7c15u,
          ~seed * 0xbf58476d1ce4e5b9u};
}

/// Lists in host memory, as Model::entries gives them.
inline std::vector<Model::Entry> entries_of(const DynamicEdges& lists, VertexId v) {
  const bool fields = dynamic::has_fields(lists.layout);
  std::vector<Model::Entry> all;
  DynamicSpan s;
  for (auto cursor = lists.begin(v); lists.next(cursor, s);)
    for (std::uint32_t i = 0; i < s.size; ++i)
      all.emplace_back(s.target(i), s.weight(i),
                       fields ? dynamic::edge_fields(s, i) : EdgeFields{});
  std::sort(all.begin(), all.end());
  return all;
}

/// Loops of the host see the same targets, also of less than the whole list.
inline void expect_seen_by_loops(DynamicEdges lists, VertexId v) {
  if (!ContiguousEdges::show(lists.layout)) return;
  for (const EdgeId limit : {EdgeId{1}, EdgeId{2}, kWholeList}) {
    lists.limit = limit;
    std::vector<Model::Entry> seen;
    const ContiguousEdges view(lists);
    ContiguousEdges::Span s;
    for (auto cursor = view.begin(v); view.next(cursor, s);)
      for (std::uint32_t i = 0; i < s.size; ++i)
        seen.emplace_back(s.target(i), s.weight(i), EdgeFields{});
    ASSERT_EQ(seen, entries_of(lists, v)) << "list of " << v;
  }
}

/// That of lists in host memory, where their layout says so, targets ascend from page to page.
inline void expect_ascending(const DynamicEdges& lists, VertexId vertices) {
  if (!lists.layout.ascending()) return;
  for (VertexId v = 0; v < vertices; ++v) {
    VertexId before = 0;
    DynamicSpan s;
    for (auto cursor = lists.begin(v); lists.next(cursor, s);)
      for (std::uint32_t i = 0; i < s.size; ++i) {
        ASSERT_LE(before, s.target(i)) << "list of " << v;
        before = s.target(i);
      }
  }
}

/// Lists in host memory, of a graph or of a snapshot, with their fields.
template <class Lists>
void expect_entries(const Lists& graph, const Model& model) {
  const DynamicEdges out = graph.lists(), in = graph.lists(true);
  std::vector<VertexId> all(graph.vertices());
  std::iota(all.begin(), all.end(), VertexId{0});
  const std::vector<VertexFields> said = graph.vertex_fields(all);
  expect_ascending(out, graph.vertices());
  if (in.record) expect_ascending(in, graph.vertices());
  for (const VertexId v : all) {
    ASSERT_EQ(entries_of(out, v), model.entries(v)) << "list of " << v;
    expect_seen_by_loops(out, v);
    if (in.record) {
      ASSERT_EQ(entries_of(in, v), model.entries(v, true)) << "in-list of " << v;
    }
    ASSERT_EQ(said[v], model.fields_of(v)) << "vertex " << v;
  }
}

/// What neighbors() says of all vertices, wherever the graph is.
inline void expect_neighbors(const DynamicGraph& graph, const Model& model) {
  std::vector<VertexId> all(graph.vertices());
  std::iota(all.rbegin(), all.rend(), VertexId{0});
  Array<EdgeFields> fields;
  const Csr lists = graph.neighbors(all, &fields);
  const std::vector<EdgeId> degree = graph.degrees(all);
  ASSERT_EQ(fields.size(), graph.semantic() ? lists.edges() : 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Model::Entry> its;
    for (EdgeId e = lists.offset[i]; e < lists.offset[i + 1]; ++e)
      its.emplace_back(lists.target[e], lists.weight.empty() ? Weight{1} : lists.weight[e],
                       fields.empty() ? EdgeFields{} : fields[e]);
    ASSERT_EQ(its, model.entries(all[i])) << "neighbours of " << all[i];
    ASSERT_EQ(degree[i], its.size());
  }
}

/// Those that a graph in host memory can have.
inline std::vector<PageAllocator> host_allocators() {
  const auto all = page_allocators();
  return {all.begin(), all.end() - 1};
}

inline void expect_lists(const Graph& graph, const Model& model) {
  ASSERT_EQ(graph.edges(), model.size());
  const auto out = graph.out().read_lists();
  const auto in =
      model.directed && graph.has_in() ? graph.in().read_lists() : std::unique_ptr<ListReader>();
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    const auto list = [&](ListReader& reader) {
      std::vector<std::pair<VertexId, Weight>> entries;
      reader.read(v, [&](const PlainSpan& s) {
        for (std::uint32_t i = 0; i < s.size; ++i) entries.emplace_back(s.target(i), s.weight(i));
      });
      return entries;
    };
    ASSERT_EQ(list(*out), model.list(v)) << "list of " << v;
    if (in) {
      ASSERT_EQ(list(*in), model.list(v, true)) << "in-list of " << v;
    }
  }
}

/// Queries for the edges between all pairs of vertices.
inline void expect_edges_found(const DynamicGraph& graph, const Model& model) {
  std::vector<Edge> pairs;
  for (VertexId u = 0; u < graph.vertices(); ++u)
    for (VertexId v = 0; v < graph.vertices(); ++v) pairs.push_back({u, v});
  const auto has = graph.has_edges(pairs);
  const auto weight = graph.weights(pairs);
  const auto fields = graph.fields(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto known = model.edges.find({pairs[i].source, pairs[i].target});
    ASSERT_EQ(has[i] != 0, known != model.edges.end());
    if (known == model.edges.end()) {
      ASSERT_TRUE(std::isnan(weight[i]));
      ASSERT_EQ(fields[i], EdgeFields{});
      continue;
    }
    const auto& all = known->second;
    const Model::Data found{weight[i], fields[i]};
    ASSERT_NE(std::find(all.begin(), all.end(), found), all.end());
  }
}

/// A graph and one vertex more, grown by batches, then with edges put in and out again, so that
/// lists have moved about. What `g` says of direction, weights and room comes before `options`.
inline DynamicGraph grown(const Context& ctx, const zoo::RawGraph& g, DynamicGraphOptions options) {
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 1u << 20;
  options.directed = g.directed;
  options.edges = g.weights.empty() ? EdgeKind::Simple : EdgeKind::Weighted;
  options.structure_of_arrays = g.vertices % 2 == 0;
  options.duplicates = DuplicatePolicy::Keep;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> real, extra, undo;
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    const auto [u, v] = g.edges[i];
    real.push_back(EdgeUpdate::insert(u, v, g.weights.empty() ? 1 : g.weights[i]));
  }
  for (VertexId v = 0; v < g.vertices; ++v) {
    extra.push_back(EdgeUpdate::insert(v, g.vertices));
    undo.push_back(EdgeUpdate::remove(v, g.vertices));
  }
  const std::span<const EdgeUpdate> all(real);
  graph.apply({g.vertices + 1, all.first(all.size() / 2), {}});
  graph.apply({0, extra, {}});
  graph.apply({0, all.subspan(all.size() / 2), {}});
  graph.apply({0, undo, {}});
  return graph;
}

}  // namespace fathom::testing
