// Build a small graph in memory and search it: the shortest complete program.
#include <cstdio>
#include <vector>

#include <fathom/fathom.hpp>

int main() {
  // Six friendships among seven people.
  const std::vector<fathom::Edge> edges{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {5, 6}};
  fathom::graph::BuildOptions options;
  options.undirected = true;
  fathom::graph::BuiltGraph built = fathom::graph::build(
      7, [&](const auto& consume) { consume(edges, {}); }, options);

  const fathom::Context ctx = fathom::Context::cpu();
  const fathom::Graph graph = fathom::make_graph(ctx, std::move(built), false);
  const std::vector<fathom::VertexId> sources{0};
  const fathom::BfsResult result = fathom::bfs(ctx, graph, sources);

  for (fathom::VertexId v = 0; v < graph.vertices(); ++v)
    if (result.depth[v] == fathom::kUnreached)
      std::printf("%u is out of reach\n", v);
    else
      std::printf("%u is %u hops away\n", v, result.depth[v]);
  return result.reached == 5 ? 0 : 1;
}
