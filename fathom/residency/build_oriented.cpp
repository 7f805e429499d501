// Degree-oriented lists that the host builds.
#include <optional>
#include <utility>

#include "fathom/residency/graph_parts.hpp"

namespace fathom::detail {

std::size_t list_bytes(VertexId vertices, EdgeId edges) {
  return edges * sizeof(VertexId) + (vertices + std::size_t{1}) * sizeof(EdgeId);
}

namespace {

std::unique_ptr<EdgeSource> build_reverse(const Context& ctx, CsrView out,
                                          const ResidencyOptions& options) {
  using Built = std::pair<Csr, std::shared_ptr<const void>>;
  out.weight = nullptr;
  const auto lists = std::make_shared<Built>();
  lists->second = reserve(ctx, list_bytes(out.vertices, out.edges));
  lists->first = graph::transpose(out, ctx.threads());
  return place(ctx, lists->first.view(), lists, options);
}

/// What a run builds for itself has the room of degree-oriented lists that nobody reads.
std::unique_ptr<EdgeSource> open_built(const Graph& graph, OrientedLists::Open Graph::State::*open,
                                       const char* name) {
  Graph::State& state = *graph.state();
  if (state.check) state.check();
  if (!(state.*open) || !state.directed)
    throw Error(ErrorCode::Internal,
                std::string("lists of ") + name + " edges were used where there are none");
  state.oriented->release();
  return (state.*open)();
}

}  // namespace

void check_mutual_ids(VertexId vertices) {
  if (vertices > kNoVertex / 2)
    throw Error(ErrorCode::Usage,
                "mutual edges of a directed graph are found by two ids for each vertex, and " +
                    std::to_string(vertices) + " vertices are too many for ids of " +
                    std::to_string(8 * sizeof(VertexId)) +
                    " bits: build Fathom with -DFATHOM_VERTEX_BITS=64, or convert the graph with "
                    "--undirected");
}

std::unique_ptr<EdgeSource> build_oriented(const Context& ctx, BuiltLists which, const CsrView& out,
                                           const CsrView* in, bool directed,
                                           const ResidencyOptions& options) {
  if (which == BuiltLists::Reverse) return build_reverse(ctx, out, options);
  using Built = std::pair<Csr, std::shared_ptr<const void>>;
  const bool mutual = which == BuiltLists::Mutual;
  if (mutual) check_mutual_ids(out.vertices);
  const VertexId places = mutual ? 2 : 1;  // of a vertex
  const auto lists = std::make_shared<Built>();
  lists->second = reserve(
      ctx, list_bytes(places * out.vertices, directed ? places * out.edges : out.edges / 2));
  const auto degrees = reserve(ctx, std::size_t{places * out.vertices} * sizeof(VertexId));
  Csr transposed;
  CsrView reverse;
  if (directed && !in) {
    transposed = graph::transpose(out, ctx.threads());
    reverse = transposed.view();
    in = &reverse;
  }
  lists->first = mutual ? graph::orient_mutual(out, *in, ctx.threads())
                        : graph::orient_by_degree(out, directed ? in : nullptr, ctx.threads());
  return place(ctx, lists->first.view(), lists, oriented_options(ctx, options));
}

std::unique_ptr<EdgeSource> open_mutual(const Graph& graph) {
  return open_built(graph, &Graph::State::open_mutual, "mutual");
}

std::unique_ptr<EdgeSource> open_reverse(const Graph& graph) {
  return open_built(graph, &Graph::State::open_reverse, "reverse");
}

std::unique_ptr<EdgeSource> orient_mapped(const Context& ctx, BuiltLists which, store::Store& store,
                                          const ResidencyOptions& options) {
  const bool directed = store.header().directed;
  const auto in = directed ? store.in(ctx.threads()) : std::nullopt;
  return build_oriented(ctx, which, store.out(ctx.threads()), in ? &*in : nullptr, directed,
                        options);
}

}  // namespace fathom::detail
