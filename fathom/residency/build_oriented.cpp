// Degree-oriented lists that the host builds.
#include <optional>
#include <utility>

#include "fathom/residency/graph_parts.hpp"

namespace fathom::detail {

std::size_t list_bytes(VertexId vertices, EdgeId edges) {
  return edges * sizeof(VertexId) + (vertices + std::size_t{1}) * sizeof(EdgeId);
}

std::unique_ptr<EdgeSource> build_oriented(const Context& ctx, const CsrView& out,
                                           const CsrView* in, bool directed,
                                           const ResidencyOptions& options) {
  using Built = std::pair<Csr, std::shared_ptr<const void>>;
  const auto lists = std::make_shared<Built>();
  lists->second = reserve(ctx, list_bytes(out.vertices, directed ? out.edges : out.edges / 2));
  const auto degrees = reserve(ctx, std::size_t{out.vertices} * sizeof(VertexId));
  Csr transposed;
  CsrView reverse;
  if (directed && !in) {
    transposed = graph::transpose(out, ctx.threads());
    reverse = transposed.view();
    in = &reverse;
  }
  lists->first = graph::orient_by_degree(out, directed ? in : nullptr, ctx.threads());
  return place(ctx, lists->first.view(), lists, oriented_options(options));
}

std::unique_ptr<EdgeSource> orient_mapped(const Context& ctx, store::Store& store,
                                          const ResidencyOptions& options) {
  const bool directed = store.header().directed;
  const auto in = directed ? store.in(ctx.threads()) : std::nullopt;
  return build_oriented(ctx, store.out(ctx.threads()), in ? &*in : nullptr, directed, options);
}

}  // namespace fathom::detail
