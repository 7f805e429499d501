// Graphs over slotted pages.
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/slotted_source.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using store::SlottedLists;

std::unique_ptr<EdgeSource> place_pages(const Context& ctx, const SlottedLists& lists,
                                        std::shared_ptr<const void> owner,
                                        const ResidencyOptions& options) {
  auto where = SlottedSource::Place::Mapped;
  if (options.kind == Kind::Stream)
    where = SlottedSource::Place::Stream;
  else if (options.kind == Kind::Resident)
    where = SlottedSource::Place::Resident;
  return std::make_unique<SlottedSource>(ctx, lists, std::move(owner), where,
                                         options.paging.frames);
}

/// Degree-oriented lists of slotted pages: they are in host memory, as CSR, while these are built.
std::unique_ptr<EdgeSource> orient_pages(const Context& ctx, const SlottedLists& out,
                                         const std::optional<SlottedLists>& in, bool directed,
                                         const ResidencyOptions& options) {
  const std::size_t bytes =
      out.edges * sizeof(VertexId) + (out.vertices + std::size_t{1}) * sizeof(EdgeId);
  const auto unpacked = detail::reserve(ctx, bytes * (in ? 2 : 1));
  const Csr lists = store::unpack(out);
  if (!in) return detail::build_oriented(ctx, lists.view(), nullptr, directed, options);
  const Csr reverse = store::unpack(*in);
  const CsrView reverse_view = reverse.view();
  return detail::build_oriented(ctx, lists.view(), &reverse_view, directed, options);
}

std::shared_ptr<Graph::State> make_state(const Context& ctx, const SlottedLists& out,
                                         const std::optional<SlottedLists>& in, bool directed,
                                         const ResidencyOptions& wanted,
                                         const std::shared_ptr<const void>& owner) {
  if (wanted.kind == Kind::ZeroCopy || wanted.kind == Kind::Managed)
    throw Error(ErrorCode::Usage,
                "slotted pages are resident or streamed; the zero-copy and managed residencies "
                "take a graph in CSR, as `fathom convert --layout csr` makes it");
  if (ctx.on_gpu() && wanted.kind == Kind::Stream)
    throw Error(ErrorCode::Usage,
                "slotted pages are resident on a GPU; streaming to one takes a graph in CSR, as "
                "`fathom convert --layout csr` makes it");
  ResidencyOptions options = wanted;
  if (ctx.on_gpu() && wanted.kind == Kind::Auto) options.kind = Kind::Resident;
  detail::Resolved resolved = detail::resolve(ctx, options, out.vertices, out.edges, out.weighted(),
                                              directed && in.has_value());
  options.kind = resolved.kind;
  auto state = std::make_shared<Graph::State>();
  state->reason = std::move(resolved.reason);
  state->vertices = out.vertices;
  state->edges = out.edges;
  state->directed = directed;
  state->weighted = out.weighted();
  state->has_in = in.has_value();
  state->kind = options.kind;
  state->on_devices = ctx.separate();
  state->open_out = [&ctx, out, owner, options] { return place_pages(ctx, out, owner, options); };
  state->open_in = [&ctx, in, owner, options] { return place_pages(ctx, *in, owner, options); };
  state->open_oriented = [&ctx, out, in, directed, options] {
    return orient_pages(ctx, out, in, directed, options);
  };
  return state;
}

}  // namespace

Graph make_graph(const Context& ctx, const SlottedLists& out, const SlottedLists* in, bool directed,
                 const ResidencyOptions& options, const std::shared_ptr<const void>& owner) {
  const auto in_lists = in ? std::optional(*in) : std::nullopt;
  return Graph(make_state(ctx, out, in_lists, directed, options, owner));
}

Graph make_slotted_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                         const ResidencyOptions& options) {
  const store::Header& header = store->header();
  const SlottedLists out = *store->slotted_out(ctx.threads());
  std::optional<SlottedLists> in;
  if (header.directed && header.has_in_edges) in = store->slotted_in(ctx.threads());
  auto state = make_state(ctx, out, in, header.directed, options, store);
  state->mapped = true;
  state->open_oriented = [&ctx, store, build = state->open_oriented, resolved = [&] {
    ResidencyOptions o = options;
    o.kind = state->kind;
    return o;
  }()]() -> std::unique_ptr<EdgeSource> {
    if (const auto lists = store->oriented(ctx.threads()))
      return detail::place(ctx, *lists, store, detail::oriented_options(resolved));
    return build();
  };
  return Graph(std::move(state));
}

}  // namespace fathom
