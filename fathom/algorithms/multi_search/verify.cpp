// The certificate of searches from many sources: that of a breadth-first search, row by row.
#include <string>

#include "fathom/algorithms/bfs/levels_certificate.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"

namespace fathom {

void verify_multi_bfs(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                      const MultiBfsOptions& options, const MultiBfsResult& result) {
  const std::size_t n = graph.vertices();
  if (result.depth.size() != sources.size() * n || result.reached.size() != sources.size() ||
      result.max_depth.size() != sources.size())
    throw Error(ErrorCode::VerificationFailed, "multi_bfs: the result does not have a row of " +
                                                   std::to_string(n) + " depths for each of " +
                                                   std::to_string(sources.size()) + " sources");
  for (std::size_t i = 0; i < sources.size(); ++i)
    check_bfs_claim(ctx, graph,
                    {sources.subspan(i, 1),
                     result.depths(i),
                     {},
                     result.reached[i],
                     result.max_depth[i],
                     options.depth_limit},
                    "multi_bfs from " + std::to_string(sources[i]));
}

}  // namespace fathom
