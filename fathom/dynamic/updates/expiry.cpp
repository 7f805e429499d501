#include "fathom/dynamic/updates/expiry.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/lists/edge_fields.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kExpiringListsAtOnce = 4096;

/// Of one list, or of several that follow each other.
class OldEdges {
 public:
  OldEdges(const DynamicEdges& edges, bool directed, std::uint64_t first_to_stay)
      : edges_(edges), directed_(directed), first_to_stay_(first_to_stay) {}

  void add_list(VertexId u, ExpiredEdges& into) {
    gone_.clear();
    each_entry(edges_, u, [&](const ListEntry& e) {
      if (e.fields.t1 < first_to_stay_ && (directed_ || u <= e.target)) gone_.push_back(e.target);
    });
    if (gone_.empty()) return;
    into.count += gone_.size();
    std::sort(gone_.begin(), gone_.end());
    gone_.erase(std::unique(gone_.begin(), gone_.end()), gone_.end());
    for (const VertexId v : gone_) add(EdgeUpdate::remove(u, v), {}, into);
    each_entry(edges_, u, [&](const ListEntry& e) {
      if (e.fields.t1 >= first_to_stay_ && std::binary_search(gone_.begin(), gone_.end(), e.target))
        add(EdgeUpdate::insert(u, e.target, e.weight), e.fields, into);
    });
  }

 private:
  static void add(const EdgeUpdate& edge, const EdgeFields& fields, ExpiredEdges& into) {
    into.edges.push_back(edge);
    into.fields.push_back(fields);
  }

  const DynamicEdges& edges_;
  bool directed_;
  std::uint64_t first_to_stay_;
  std::vector<VertexId> gone_;  // targets
};

}  // namespace

Expiry::Bound Expiry::bound_of(const DynamicEdges& edges, VertexId vertices, int threads) {
  return parallel_reduce(
      threads, std::size_t{vertices}, kExpiringListsAtOnce, Bound{~std::uint64_t{0}, 0},
      [&](std::size_t first, std::size_t last) {
        Bound its{~std::uint64_t{0}, 0};
        for (std::size_t u = first; u < last; ++u)
          each_entry(edges, static_cast<VertexId>(u), [&](const ListEntry& e) {
            its = {std::min(its.oldest, e.fields.t1), std::max(its.newest, e.fields.t1)};
          });
        return its;
      },
      [](const Bound& a, const Bound& b) {
        return Bound{std::min(a.oldest, b.oldest), std::max(a.newest, b.newest)};
      });
}

ExpiredEdges Expiry::find(const DynamicGraph& graph, const GraphBatch& batch, int threads) {
  for (std::size_t i = 0; i < batch.edges.size(); ++i) {
    if (batch.edges[i].deletion) continue;
    const std::uint64_t t1 = batch.fields.empty() ? 0 : batch.fields[i].t1;
    bound_ = {std::min(bound_.oldest, t1), std::max(bound_.newest, t1)};
  }
  if (!may_be_old()) return {};
  const DynamicEdges edges = graph.lists();
  bound_ = bound_of(edges, graph.vertices(), threads);
  if (!may_be_old()) return {};
  const std::uint64_t first_to_stay = bound_.newest - window_;
  const std::size_t n = graph.vertices();
  // Chunks are put together in order, so that the batch is the same for any number of threads.
  std::vector<ExpiredEdges> some((n + kExpiringListsAtOnce - 1) / kExpiringListsAtOnce);
  parallel_for(threads, n, kExpiringListsAtOnce, [&](std::size_t first, std::size_t last, int) {
    OldEdges old(edges, graph.directed(), first_to_stay);
    for (std::size_t u = first; u < last; ++u)
      old.add_list(static_cast<VertexId>(u), some[first / kExpiringListsAtOnce]);
  });
  bound_.oldest = first_to_stay;
  ExpiredEdges all;
  for (ExpiredEdges& its : some) {
    all.count += its.count;
    all.edges.insert(all.edges.end(), its.edges.begin(), its.edges.end());
    all.fields.insert(all.fields.end(), its.fields.begin(), its.fields.end());
    its = {};
  }
  return all;
}

}  // namespace fathom::dynamic
