#include "fathom/algorithms/bfs/traffic.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/ops/page_model.hpp"

namespace fathom {
namespace {

/// Claims vertices for the next level, on one thread.
struct Discover {
  bool* reached;
  std::vector<VertexId>* next;

  bool visit(VertexId, VertexId v, Weight) const {
    if (reached[v]) return false;
    reached[v] = true;
    next->push_back(v);
    return true;
  }
};

/// Calls superstep(active, discover) for each level; active ascends.
template <class Superstep>
void search(const CsrView& out, VertexId source, const Superstep& superstep) {
  if (source >= out.vertices)
    throw Error(ErrorCode::Usage, "source " + std::to_string(source) + " of a graph with " +
                                      std::to_string(out.vertices) + " vertices");
  Array<bool> reached(out.vertices, false);
  reached[source] = true;
  std::vector<VertexId> active{source}, next;
  while (!active.empty()) {
    superstep(std::span<const VertexId>(active), Discover{reached.data(), &next});
    std::sort(next.begin(), next.end());
    active.swap(next);
    next.clear();
  }
}

double per_byte(std::uint64_t bytes, std::uint64_t dataset_bytes) {
  return dataset_bytes == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(dataset_bytes);
}

}  // namespace

double BfsTraffic::amplification() const {
  return per_byte(requests.bytes(), dataset_bytes);
}

double PagedTraffic::amplification() const {
  return per_byte(bytes, dataset_bytes);
}

BfsTraffic bfs_traffic(const CsrView& out, VertexId source, const LinkModelOptions& options,
                       const Task& task) {
  LinkModel model(out, options);
  BfsTraffic traffic;
  traffic.dataset_bytes = out.edges * options.id_bytes;
  search(out, source, [&](std::span<const VertexId> active, const Discover& discover) {
    task.check();
    LevelTraffic level{active.size(), 0, {}};
    for (const VertexId v : active) level.edges += out.degree(v);
    level.requests = model.superstep(active, discover);
    traffic.requests += level.requests;
    traffic.edges += level.edges;
    traffic.levels.push_back(level);
  });
  return traffic;
}

PagedTraffic bfs_paged_traffic(const CsrView& out, VertexId source, std::uint32_t id_bytes,
                               std::uint64_t cache_bytes) {
  const std::uint64_t dataset_bytes = out.edges * id_bytes;
  PageModel pages(dataset_bytes, cache_bytes);
  const FlatEdges edges{out.offset, out.target};
  search(out, source, [&](std::span<const VertexId> active, const Discover& discover) {
    for (const VertexId v : active) {
      pages.touch(out.offset[v] * id_bytes, out.offset[v + 1] * id_bytes);
      expand(OneLane{}, edges, v, discover, [](const OneLane&, VertexId, bool) {});
    }
  });
  return {pages.bytes(), dataset_bytes};
}

}  // namespace fathom
