#include "fathom/algorithms/multi_search/multi_bfs.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "fathom/algorithms/multi_search/functors.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

using DepthsOfAll = std::array<std::uint32_t, MultiSearch::kMost>;

/// DepthsOfAll while the searches run: as many bits per search and vertex as the greatest depth
/// has, since so many whole depths may not fit a device.
class DepthPlanes {
 public:
  DepthPlanes(const Context& ctx, VertexId vertices) : ctx_(ctx), vertices_(vertices) {}

  /// What arrived at this level has its depth.
  void note(const MultiSearch& search) {
    const std::uint32_t level = search.level();
    if (level == 0) return;
    while (level >> planes_.size() != 0) planes_.emplace_back(ctx_, vertices_, SearchSet{0});
    compute(ctx_, search.frontier(), [&](const Device& d) {
      MultiBfsNoteDepth f{search.arrived(d), level, {}};
      for (std::size_t p = 0; p < planes_.size(); ++p) f.plane[p] = planes_[p].on(d);
      return f;
    });
  }

  /// Gives the planes up for rows of depths; counts what each search reached.
  void unpack(const Array<SearchSet>& seen, MultiBfsResult& result) && {
    std::vector<Array<SearchSet>> planes;
    for (auto& plane : planes_) planes.push_back(std::move(plane).take());
    const std::size_t searches = result.reached.size();
    result.depth = Array<std::uint32_t>(searches * vertices_, ctx_.host_memory());
    std::vector<std::array<VertexId, MultiSearch::kMost>> reached(
        static_cast<std::size_t>(ctx_.threads()));
    parallel_for(ctx_.threads(), vertices_, kBlock,
                 [&](std::size_t first, std::size_t last, int worker) {
                   for (std::size_t i = 0; i < searches; ++i)
                     reached[static_cast<std::size_t>(worker)][i] += unpack_row(
                         planes, seen, i, first, last, result.depth.data() + i * vertices_ + first);
                 });
    for (const auto& of_worker : reached)
      for (std::size_t i = 0; i < searches; ++i) result.reached[i] += of_worker[i];
  }

 private:
  // Vertices at a time: their words stay in the cache while one row after the other is written.
  static constexpr std::size_t kBlock = 1024;

  /// DepthsOfAll of search i at vertices [first, last); returns how many it reached.
  static VertexId unpack_row(const std::vector<Array<SearchSet>>& planes,
                             const Array<SearchSet>& seen, std::size_t i, std::size_t first,
                             std::size_t last, std::uint32_t* depth) {
    VertexId reached = 0;
    for (std::size_t v = first; v < last; ++v) {
      const auto bit = static_cast<std::uint32_t>(seen[v] >> i & 1);
      depth[v - first] = bit - 1;  // 0, or kUnreached
      reached += bit;
    }
    for (std::size_t p = 0; p < planes.size(); ++p) {
      const SearchSet* plane = planes[p].data();
      for (std::size_t v = first; v < last; ++v)
        depth[v - first] |= static_cast<std::uint32_t>(plane[v] >> i & 1) << p;
    }
    return reached;
  }

  const Context& ctx_;
  VertexId vertices_;
  std::vector<VertexArray<SearchSet>> planes_;
};

}  // namespace

MultiBfsResult multi_bfs(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                         const MultiBfsOptions& options) {
  MultiSearch search(ctx, graph, options, multi_bfs_state());
  Recorder record(ctx, graph.traffic());
  DepthPlanes depths(ctx, graph.vertices());
  MultiBfsResult result;
  for (search.start(sources); search.alive() != 0; search.step(record)) {
    depths.note(search);
    result.max_depth.resize(sources.size());
    for (SearchSet rest = search.alive(); rest != 0; rest &= rest - 1)
      result.max_depth[static_cast<std::size_t>(std::countr_zero(rest))] = search.level();
  }
  result.report = record.finish();
  result.reached.resize(sources.size());
  std::move(depths).unpack(std::move(search).take_seen(), result);
  return result;
}

}  // namespace fathom
