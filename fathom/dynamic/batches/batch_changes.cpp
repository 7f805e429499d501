#include "fathom/dynamic/batches/batch_changes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/batches/in_pieces.hpp"

namespace fathom::dynamic {
namespace {

/// Edges that go because an endpoint goes.
class ImpliedDeletions {
 public:
  ImpliedDeletions(const DynamicGraph::State& graph, const GraphBatch& batch) : graph_(graph) {
    if (batch.deleted_vertices.empty()) return;
    gone_.assign(batch.deleted_vertices.begin(), batch.deleted_vertices.end());
    std::sort(gone_.begin(), gone_.end());
    gone_.erase(std::unique(gone_.begin(), gone_.end()), gone_.end());
    for (const VertexId v : gone_)
      if (v < graph.out.vertices()) from_lists_of(v);
    if (graph.options.directed && !graph.in) search_references();
    for (const EdgeUpdate& e : batch.edges)
      if (goes(e.source) || goes(e.target)) edge_.push_back({e.source, e.target});
  }

  const std::vector<Edge>& edges() const { return edge_; }

 private:
  template <class Visit>
  static void each_target(const DynamicEdges& edges, VertexId v, const Visit& visit) {
    DynamicSpan s;
    for (auto cursor = edges.begin(v); edges.next(cursor, s);)
      for (std::uint32_t i = 0; i < s.size; ++i) visit(s.target(i));
  }
  void from_lists_of(VertexId v) {
    each_target(graph_.out.view(), v, [&](VertexId t) { edge_.push_back({v, t}); });
    if (graph_.in) each_target(graph_.in->view(), v, [&](VertexId s) { edge_.push_back({s, v}); });
  }
  bool goes(VertexId v) const { return std::binary_search(gone_.begin(), gone_.end(), v); }
  void search_references() {
    std::vector<bool> goes(graph_.out.vertices(), false);
    for (const VertexId v : gone_)
      if (v < goes.size()) goes[v] = true;
    for (VertexId u = 0; u < graph_.out.vertices(); ++u)
      each_target(graph_.out.view(), u, [&](VertexId t) {
        if (goes[t]) edge_.push_back({u, t});
      });
  }

  const DynamicGraph::State& graph_;
  std::vector<VertexId> gone_;  // ascending, each once
  std::vector<Edge> edge_;
};

constexpr ChangeKind kind_of(const EdgeUpdate& e) {
  return e.deletion ? ChangeKind::Delete : ChangeKind::Insert;
}

}  // namespace

void refuse_vertex(const std::string& what, VertexId v) {
  throw Error(ErrorCode::Usage,
              what + " names vertex " + std::to_string(v) + ", which does not exist");
}

void check_changes(std::size_t edges) {
  if (edges > std::numeric_limits<std::uint32_t>::max() / 4)
    throw Error(ErrorCode::DoesNotFit,
                "a batch with the edges of its vertices has fewer than 2^30 of them");
}

BatchChanges changes_of(const DynamicGraph::State& graph, const GraphBatch& batch) {
  const ImpliedDeletions implied(graph, batch);
  const bool mirrored = !graph.options.directed;
  const auto& pool = graph.ctx->host_memory();
  const std::size_t named = batch.edges.size(), n = named + implied.edges().size();
  check_changes(n);
  BatchChanges changes;
  const bool numbered = graph.options.edges == EdgeKind::Semantic;
  if (numbered)
    changes.data = {batch.edges.data(), batch.fields.empty() ? nullptr : batch.fields.data()};
  const auto change = [&](std::size_t i) -> Change {
    if (i >= named) {
      const Edge& e = implied.edges()[i - named];
      return {e.source, e.target, 1, ChangeKind::Delete, 0};
    }
    const EdgeUpdate& e = batch.edges[i];
    const Weight w = numbered ? UpdateData::numbered(static_cast<std::uint32_t>(i)) : e.weight;
    return {e.source, e.target, w, kind_of(e), 1};
  };
  const auto reversed = [](Change c) {
    std::swap(c.source, c.target);
    return c;
  };
  count_and_put<std::size_t>(
      graph.threads(), n,
      [&](std::size_t first, std::size_t last) {
        std::size_t count = last - first;
        for (std::size_t i = first; mirrored && i < last; ++i) {
          const Change its = change(i);
          count += its.source != its.target ? 1 : 0;
        }
        return count;
      },
      [&](std::size_t all) {
        changes.out = Array<Change>(all, pool);
        changes.in = Array<Change>(graph.in ? n : 0, pool);
      },
      [&](std::size_t first, std::size_t last, std::size_t at) {
        for (std::size_t i = first; i < last; ++i) {
          const Change its = change(i);
          changes.out[at++] = its;
          if (mirrored && its.source != its.target) changes.out[at++] = reversed(its);
          if (graph.in) changes.in[i] = reversed(its);
        }
      });
  return changes;
}

BatchReport report_of(const PlannedBatch& out, bool directed, int threads) {
  const auto part = [&](std::size_t first, std::size_t last) {
    ChangeCounts counts;
    for (std::size_t i = first; i < last; ++i) counts.add(out.change[i], directed);
    return report_of(counts);
  };
  const auto add = [](BatchReport a, const BatchReport& b) { return a += b; };
  return parallel_reduce(threads, out.change.size(), std::size_t{1} << 14, BatchReport{}, part,
                         add);
}

}  // namespace fathom::dynamic
