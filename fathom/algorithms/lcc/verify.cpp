// The certificate of local clustering.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/lcc/functors.hpp"
#include "fathom/algorithms/lcc/lcc.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/triangles/recount.hpp"
#include "fathom/core/random.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/residency/graph_parts.hpp"

namespace fathom {
namespace {

using detail::Counts;
using Words = VertexArray<std::uint64_t, MergeOr>;

/// Part of a table of edges: two bits for each pair of vertices, one for each direction.
struct DirectionTable {
  static constexpr std::uint64_t kPerWord = 32;
  std::uint64_t pairs;        // of the whole table
  std::uint64_t first, last;  // that are here

  FATHOM_HD std::uint64_t place_of(VertexId u, VertexId v) const {
    return bounded(RandomStream(7, 0).at(u < v ? u : v, u < v ? v : u), pairs);
  }
  FATHOM_HD bool holds(std::uint64_t place) const { return place >= first && place < last; }
};

struct NoteDirections {
  std::uint64_t* word;
  DirectionTable table;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) return false;
    std::uint64_t place = table.place_of(u, v);
    if (!table.holds(place)) return false;
    place -= table.first;
    AtomicRef(word[place / table.kPerWord])
        .fetch_or(std::uint64_t{u < v ? 1u : 2u} << (place % table.kPerWord * 2));
    return false;
  }
};

/// Looks up what an edge of the lists of mutual edges stands for.
struct FindForeign {
  const std::uint64_t* word;
  DirectionTable table;
  VertexId vertices;
  Rule::Ref foreign;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const VertexId a = u < vertices ? u : u - vertices, b = v < vertices ? v : v - vertices;
    const bool mutual = u < vertices && v < vertices;
    if (a == b || (u >= vertices && v >= vertices)) {
      foreign.broken_by(a);
      return false;
    }
    std::uint64_t place = table.place_of(a, b);
    if (!table.holds(place)) return false;
    place -= table.first;
    const std::uint64_t ways = word[place / table.kPerWord] >> (place % table.kPerWord * 2) & 3;
    if (mutual ? ways != 3 : ways == 0) foreign.broken_by(a);
    return false;
  }
};

struct CountInside {
  std::uint64_t* inside;
  VertexId vertices;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u < vertices && v < vertices) AtomicRef(*inside).fetch_add(1);
    return false;
  }
};

template <class F>
void visit_all(const Context& ctx, EdgeSource& edges, const F& make) {
  Frontier all(ctx, edges.vertices());
  all.fill();
  advance(ctx, edges, all, nullptr, make);
}

void check_part(const Context& ctx, const Graph& graph, EdgeSource& mutual,
                const DirectionTable& table) {
  Words words(ctx, static_cast<std::size_t>((table.last - table.first) / table.kPerWord), 0);
  visit_all(ctx, graph.out(), [&](const Device& d) { return NoteDirections{words.on(d), table}; });
  merge(words);
  Rule foreign(ctx);
  visit_all(ctx, mutual, [&](const Device& d) {
    return FindForeign{words.on(d), table, graph.vertices(), foreign.on(d)};
  });
  foreign.check("lcc", "has an edge in the lists of mutual edges that the graph does not have");
}

/// Looks up the edges of `mutual`, as much of a table at a time as memory allows.
void check_each_edge(const Context& ctx, const Graph& graph, EdgeSource& mutual) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 12;
  const std::uint64_t words = graph.edges() / 4 + 1;
  std::uint64_t part = words;
  for (std::uint64_t first = 0; first < words;) {
    const std::uint64_t last = std::min(words, first + part);
    constexpr std::uint64_t kPairs = DirectionTable::kPerWord;
    try {
      check_part(ctx, graph, mutual, {words * kPairs, first * kPairs, last * kPairs});
      first = last;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit || part <= kLeast) throw;
      part /= 2;
    }
  }
}

/// Edges of the graph, parallel ones once, without loops.
std::uint64_t distinct_edges(const Context& ctx, EdgeSource& out) {
  const std::unique_ptr<ListReader> reader = out.read_lists();
  std::uint64_t distinct = 0;
  for (VertexId u = 0; u < out.vertices(); ++u) {
    if (u % 1024 == 0) ctx.task().check();
    VertexId before = kNoVertex;
    reader->read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) {
        const VertexId v = span.target(i);
        if (v != u && v != before) ++distinct;
        before = v;
      }
    });
  }
  return distinct;
}

/// Whether there are as many edges as there have to be: where none is foreign, and none is there
/// twice, they are all of them. `pairs`: vertices with an edge between them.
void check_edge_counts(const Context& ctx, const Graph& graph, EdgeSource& mutual,
                       std::uint64_t pairs) {
  Counts inside(ctx, 1, 0);
  visit_all(ctx, mutual, [&](const Device& d) {
    return CountInside{inside.on(d), graph.vertices()};
  });
  merge(inside);
  const std::uint64_t both_ways = inside.get(0);
  if (mutual.edges() - both_ways != 2 * pairs ||
      both_ways != distinct_edges(ctx, graph.out()) - pairs)
    refute("lcc", "the lists of mutual edges do not hold the edges of the graph");
}

/// [vertices]: pairs of neighbours with edges both ways.
Array<std::uint64_t> recount_mutual(const Context& ctx, const Graph& graph) {
  const std::uint64_t pairs = graph.oriented()->edges();
  const std::unique_ptr<EdgeSource> mutual = detail::open_mutual(graph);
  check_each_edge(ctx, graph, *mutual);
  check_edge_counts(ctx, graph, *mutual, pairs);
  return std::move(detail::recount_triangles(ctx, *mutual, "lcc").triangles).take();
}

void check_coefficients(const Array<std::uint64_t>& links, const Array<std::uint64_t>& degree,
                        const LccResult& result) {
  std::uint64_t all_links = 0, all_pairs = 0;
  double sum = 0;
  for (std::size_t v = 0; v < links.size(); ++v) {
    const std::uint64_t pairs = pairs_of(degree[v]);
    const double expected = share_of(links[v], pairs);
    if (!(result.coefficient[v] == expected))
      refute_value("lcc", static_cast<VertexId>(v), result.coefficient[v],
                   std::to_string(expected) + ": " + std::to_string(links[v]) + " of " +
                       std::to_string(pairs) + " ordered pairs of neighbours");
    all_links += links[v];
    all_pairs += pairs;
    sum += expected;
  }
  if (all_links != result.links || all_pairs != result.pairs ||
      !(result.transitivity == share_of(all_links, all_pairs)))
    refute("lcc", std::to_string(all_links) + " of " + std::to_string(all_pairs) +
                      " pairs are linked, but transitivity is " +
                      std::to_string(result.transitivity));
  const double average = links.empty() ? 0 : sum / static_cast<double>(links.size());
  if (!(std::abs(result.average - average) <= 1e-9 * average))
    refute("lcc", "the average is " + std::to_string(average) + ", but " +
                      std::to_string(result.average) + " is reported");
}

}  // namespace

void verify_lcc(const Context& ctx, const Graph& graph, const LccResult& result) {
  if (result.coefficient.size() != graph.vertices()) refute("lcc", "not one number per vertex");
  Array<std::uint64_t> mutual;
  if (graph.directed()) mutual = recount_mutual(ctx, graph);
  detail::Recounted recounted = detail::recount_triangles(ctx, graph, "lcc");
  const Array<std::uint64_t> degree = std::move(recounted.degree).take();
  Array<std::uint64_t> links = std::move(recounted.triangles).take();
  for (std::size_t v = 0; v < links.size(); ++v)
    links[v] += graph.directed() ? mutual[graph.vertices() + v] : links[v];
  check_coefficients(links, degree, result);
}

}  // namespace fathom
