// The certificate of truss numbers.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/ktruss/ktruss.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "ktruss";

/// What a result says, without a look at the graph.
class Claim {
 public:
  Claim(const Graph& graph, const KtrussOptions& options, const KtrussResult& result)
      : result_(result), options_(options), least_(std::max(options.least, 2u)) {
    const std::uint64_t edges = result.u.size();
    if (result.v.size() != edges || result.truss.size() != edges || result.layer.size() != edges ||
        result.rows > edges)
      refute(kName, "not two ends, a truss number and a layer per edge");
    check_ends(graph.vertices());
    find_layers();
  }

  std::uint64_t edges() const { return result_.u.size(); }
  std::string name(std::uint64_t row) const {
    return "the edge of " + std::to_string(result_.u[row]) + " and " +
           std::to_string(result_.v[row]);
  }
  std::uint32_t truss(std::uint64_t row) const { return result_.truss[row]; }
  std::uint32_t layer(std::uint64_t row) const { return result_.layer[row]; }
  /// The truss number of what was peeled in a layer; of what is below the truss that was asked for
  /// the greatest that is not in it.
  std::uint32_t of_layer(std::uint32_t layer) const { return truss_of_layer_[layer - 1]; }

 private:
  VertexId place(VertexId v) const { return options_.row.empty() ? v : options_.row[v]; }

  void check_ends(VertexId n) const {
    for (std::uint64_t row = 0; row < edges(); ++row) {
      const VertexId u = result_.u[row], v = result_.v[row];
      if (u >= n || v >= n || place(u) >= place(v))
        refute(kName, "row " + std::to_string(row) + " is not of two vertices in their order");
      if (row == 0 || row == result_.rows) continue;
      const VertexId before = place(result_.u[row - 1]);
      if (before > place(u) || (before == place(u) && place(result_.v[row - 1]) >= place(v)))
        refute(kName, "row " + std::to_string(row) + " does not come after the one before it");
    }
  }

  /// Layers must be 1 to result.layers, none of them empty, each of one number, and these must not
  /// fall.
  void find_layers() {
    truss_of_layer_.assign(std::min<std::uint64_t>(result_.layers, edges()), 0);
    std::uint32_t greatest = 0;
    for (std::uint64_t row = 0; row < edges(); ++row) {
      const bool asked_for = row < result_.rows;
      if (asked_for ? truss(row) < least_ : truss(row) != 0)
        refute(kName, name(row) + " has the truss number " + std::to_string(truss(row)));
      greatest = std::max(greatest, truss(row));
      if (layer(row) == 0 || layer(row) > truss_of_layer_.size())
        refute(kName, name(row) + " is in layer " + std::to_string(layer(row)) + " of " +
                          std::to_string(result_.layers));
      const std::uint32_t its = asked_for ? truss(row) : least_ - 1;
      std::uint32_t& of_layer = truss_of_layer_[layer(row) - 1];
      if (of_layer != 0 && of_layer != its)
        refute(kName, name(row) + " has another truss number than others of its layer");
      of_layer = its;
    }
    if (greatest != result_.greatest)
      refute(kName, "the greatest truss number is " + std::to_string(greatest) + ", not " +
                        std::to_string(result_.greatest));
    if (truss_of_layer_.size() != result_.layers) refute(kName, "there are more layers than edges");
    for (std::size_t i = 0; i < truss_of_layer_.size(); ++i) {
      if (truss_of_layer_[i] == 0) refute(kName, "layer " + std::to_string(i + 1) + " is empty");
      if (i > 0 && truss_of_layer_[i] < truss_of_layer_[i - 1])
        refute(kName, "truss numbers fall after layer " + std::to_string(i));
    }
  }

  const KtrussResult& result_;
  const KtrussOptions& options_;
  const std::uint32_t least_;
  std::vector<std::uint32_t> truss_of_layer_;
};

/// The edges of a result as lists, each in that of the end that has fewer.
class ClaimedLists {
 public:
  struct Entry {
    VertexId head;
    std::uint32_t row;
  };

  ClaimedLists(const Context& ctx, const KtrussResult& result, VertexId vertices)
      : degree_(vertices, 0, ctx.host_memory()),
        begin_(std::size_t{vertices} + 1, 0, ctx.host_memory()),
        entry_(result.u.size(), ctx.host_memory()) {
    const std::uint64_t edges = result.u.size();
    for (std::uint64_t row = 0; row < edges; ++row) {
      ++degree_[result.u[row]];
      ++degree_[result.v[row]];
    }
    for (std::uint64_t row = 0; row < edges; ++row) ++begin_[lower(result.u[row], result.v[row])];
    EdgeId sum = 0;
    for (EdgeId& its : begin_) sum += std::exchange(its, sum);
    for (std::uint64_t row = 0; row < edges; ++row) {
      const VertexId u = lower(result.u[row], result.v[row]);
      const VertexId v = u == result.u[row] ? result.v[row] : result.u[row];
      entry_[begin_[u]++] = {v, static_cast<std::uint32_t>(row)};
    }
    for (std::size_t v = vertices; v > 0; --v) begin_[v] = begin_[v - 1];
    begin_[0] = 0;
    for (VertexId v = 0; v < vertices; ++v) sort_list(v, result);
  }

  std::span<const Entry> list(VertexId v) const {
    return entry_.span().subspan(begin_[v], begin_[v + std::size_t{1}] - begin_[v]);
  }
  /// The row of an edge; null: it has none.
  const Entry* find(VertexId a, VertexId b) const {
    const VertexId u = lower(a, b), v = u == a ? b : a;
    const std::span<const Entry> all = list(u);
    const auto found = std::lower_bound(all.begin(), all.end(), v, before);
    return found != all.end() && found->head == v ? &*found : nullptr;
  }

 private:
  static bool before(const Entry& entry, VertexId v) { return entry.head < v; }
  VertexId lower(VertexId a, VertexId b) const {
    return degree_[a] < degree_[b] || (degree_[a] == degree_[b] && a < b) ? a : b;
  }
  void sort_list(VertexId v, const KtrussResult& result) {
    Entry* const first = entry_.data() + begin_[v];
    Entry* const last = entry_.data() + begin_[v + std::size_t{1}];
    std::sort(first, last, [](const Entry& a, const Entry& b) { return a.head < b.head; });
    const Entry* const twice =
        std::adjacent_find(first, last, [](auto& a, auto& b) { return a.head == b.head; });
    if (twice != last)
      refute(kName, "the edge of " + std::to_string(result.u[twice->row]) + " and " +
                        std::to_string(result.v[twice->row]) + " is there twice");
  }

  Array<VertexId> degree_;
  Array<EdgeId> begin_;
  Array<Entry> entry_;
};

/// All edges of the graph are claimed, and no others.
void check_edges(const Context& ctx, const Graph& graph, const Claim& claim,
                 const ClaimedLists& lists) {
  Array<std::uint64_t> met((claim.edges() + 63) / 64, 0, ctx.host_memory());
  const std::unique_ptr<ListReader> reader = graph.out().read_lists();
  for (VertexId u = 0; u < graph.vertices(); ++u) {
    reader->read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) {
        const VertexId v = span.target(i);
        if (v == u) continue;
        const auto* const its = lists.find(u, v);
        if (!its)
          refute(kName, "the edge of " + std::to_string(u) + " and " + std::to_string(v) +
                            " has no truss number");
        met[its->row / 64] |= std::uint64_t{1} << (its->row % 64);
      }
    });
    if (u % 4096 == 0) ctx.task().check();
  }
  for (std::uint64_t row = 0; row < claim.edges(); ++row)
    if ((met[row / 64] >> (row % 64) & 1) == 0)
      refute(kName, claim.name(row) + " is not in the graph");
}

/// Triangles of each edge with two others: of no smaller truss number, of no earlier layer, and of
/// no layer before the preceding one.
struct TriangleCounts {
  Array<std::uint32_t> inner, later, before;  // [edges]

  TriangleCounts(const Context& ctx, std::uint64_t edges)
      : inner(edges, 0, ctx.host_memory()),
        later(edges, 0, ctx.host_memory()),
        before(edges, 0, ctx.host_memory()) {}

  void add(const Claim& claim, std::uint32_t its, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t layer = std::min(claim.layer(a), claim.layer(b));
    if (std::min(claim.truss(a), claim.truss(b)) >= claim.truss(its))
      AtomicRef(inner[its]).fetch_add(1u);
    if (layer >= claim.layer(its)) AtomicRef(later[its]).fetch_add(1u);
    if (layer >= claim.layer(its) - 1) AtomicRef(before[its]).fetch_add(1u);
  }
};

void count_triangles_of(VertexId u, const Claim& claim, const ClaimedLists& lists,
                        TriangleCounts& counts) {
  const auto mine = lists.list(u);
  for (const auto& [v, first] : mine) {
    const auto its = lists.list(v);
    for (std::size_t i = 0, j = 0; i < mine.size() && j < its.size();) {
      const VertexId x = mine[i].head, y = its[j].head;
      if (x == y) {
        counts.add(claim, first, mine[i].row, its[j].row);
        counts.add(claim, mine[i].row, first, its[j].row);
        counts.add(claim, its[j].row, first, mine[i].row);
      }
      if (x <= y) ++i;
      if (y <= x) ++j;
    }
  }
}

void check_vertices(const Context& ctx, const KtrussOptions& options, const KtrussResult& result,
                    VertexId n) {
  if (result.vertex.size() != (options.per_vertex ? n : 0))
    refute(kName, "not one number per vertex");
  if (!options.per_vertex) return;
  Array<std::uint32_t> greatest(n, 0, ctx.host_memory());
  for (std::uint64_t row = 0; row < result.u.size(); ++row) {
    greatest[result.u[row]] = std::max(greatest[result.u[row]], result.truss[row]);
    greatest[result.v[row]] = std::max(greatest[result.v[row]], result.truss[row]);
  }
  for (VertexId v = 0; v < n; ++v)
    if (result.vertex[v] != greatest[v])
      refute_value(kName, v, result.vertex[v], std::to_string(greatest[v]));
}

}  // namespace

void verify_ktruss(const Context& ctx, const Graph& graph, const KtrussOptions& options,
                   const KtrussResult& result) {
  const VertexId n = graph.vertices();
  check_rows(kName, options.row, n);
  const Claim claim(graph, options, result);
  check_vertices(ctx, options, result, n);
  const ClaimedLists lists(ctx, result, n);
  check_edges(ctx, graph, claim, lists);

  TriangleCounts counts(ctx, claim.edges());
  parallel_for(ctx.threads(), n, 64, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t u = first; u < last && !ctx.task().stop_requested(); ++u)
      count_triangles_of(static_cast<VertexId>(u), claim, lists, counts);
  });
  ctx.task().check();
  for (std::uint64_t row = 0; row < claim.edges(); ++row) {
    const std::uint32_t truss = claim.of_layer(claim.layer(row));
    if (row < result.rows && counts.inner[row] < truss - 2)
      refute(kName, claim.name(row) + " is in too few triangles of its truss number or above");
    if (counts.later[row] > truss - 2)
      refute(kName,
             claim.name(row) + " was peeled while it was in more triangles than its number says");
    if (claim.layer(row) > 1 && counts.before[row] <= claim.of_layer(claim.layer(row) - 1) - 2)
      refute(kName, claim.name(row) + " could have been peeled one layer earlier");
  }
}

}  // namespace fathom
