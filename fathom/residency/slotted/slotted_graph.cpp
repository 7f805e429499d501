// Graphs over slotted pages.
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/slotted/slotted_source.hpp"
#include "fathom/residency/slotted/slotted_stream_source.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using store::SlottedLists;

std::unique_ptr<EdgeSource> place_pages(const Context& ctx, const SlottedLists& lists,
                                        std::shared_ptr<const void> owner,
                                        const ResidencyOptions& options) {
  if (options.kind == Kind::Stream)
    return std::make_unique<SlottedStreamSource>(
        ctx, std::make_unique<HostPagesSupply>(lists, std::move(owner)), lists.layout, lists.rvt,
        options.paging);
  return std::make_unique<SlottedSource>(ctx, lists, std::move(owner),
                                         options.kind == Kind::Resident
                                             ? SlottedSource::Place::Resident
                                             : SlottedSource::Place::Mapped);
}

/// Degree-oriented lists of slotted pages: they are in host memory, as CSR, while these are built.
std::unique_ptr<EdgeSource> orient_pages(const Context& ctx, detail::BuiltLists which,
                                         const SlottedLists& out,
                                         const std::optional<SlottedLists>& in, bool directed,
                                         const ResidencyOptions& options) {
  const std::size_t bytes =
      out.edges * sizeof(VertexId) + (out.vertices + std::size_t{1}) * sizeof(EdgeId);
  const auto unpacked = detail::reserve(ctx, bytes * (in ? 2 : 1));
  const Csr lists = store::unpack(out);
  if (!in) return detail::build_oriented(ctx, which, lists.view(), nullptr, directed, options);
  const Csr reverse = store::unpack(*in);
  const CsrView reverse_view = reverse.view();
  return detail::build_oriented(ctx, which, lists.view(), &reverse_view, directed, options);
}

/// Of pages, but for what they leave empty.
std::uint64_t bytes_of_pages(const store::SlottedLayout& layout, VertexId vertices, EdgeId edges,
                             int directions) {
  const std::uint64_t one =
      edges * layout.entry_bytes() +
      vertices * std::uint64_t{store::slotted::kSizeBytes + store::slotted::kSlotBytes};
  return one * static_cast<std::uint64_t>(directions);
}

/// All but how to open the lists. `options` get the kind that was decided.
std::shared_ptr<Graph::State> make_state(const Context& ctx, VertexId vertices, EdgeId edges,
                                         bool weighted, bool directed, bool has_in,
                                         const detail::ListSize& lists, ResidencyOptions& options) {
  if (options.kind == Kind::ZeroCopy || options.kind == Kind::Managed)
    throw Error(ErrorCode::Usage,
                "slotted pages are resident or streamed; the zero-copy and managed residencies "
                "take a graph in CSR, as `fathom convert --layout csr` makes it");
  detail::Resolved resolved = detail::resolve(ctx, options, vertices, lists);
  // Which of the streamed pages are read in place is chosen page by page.
  options.kind = resolved.kind == Kind::ZeroCopy ? Kind::Stream : resolved.kind;
  options.paging.sources = directed && has_in ? 2 : 1;
  return detail::new_state(ctx, {vertices, edges, directed, weighted, has_in}, options.kind,
                           std::move(resolved.reason));
}

}  // namespace

Graph make_graph(const Context& ctx, const SlottedLists& out, const SlottedLists* in_lists,
                 bool directed, const ResidencyOptions& wanted,
                 const std::shared_ptr<const void>& owner) {
  ResidencyOptions options = wanted;
  const int directions = directed && in_lists ? 2 : 1;
  auto state = make_state(
      ctx, out.vertices, out.edges, out.weighted(), directed, in_lists != nullptr,
      {bytes_of_pages(out.layout, out.vertices, out.edges, directions), directions}, options);
  const auto in = in_lists ? std::optional(*in_lists) : std::nullopt;
  state->open_out = [&ctx, out, owner, options] { return place_pages(ctx, out, owner, options); };
  state->open_in = [&ctx, in, owner, options] { return place_pages(ctx, *in, owner, options); };
  state->build_by(ctx, [&ctx, out, in, directed, options](detail::BuiltLists which) {
    return orient_pages(ctx, which, out, in, directed, options);
  });
  return Graph(std::move(state));
}

Graph make_slotted_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                         const ResidencyOptions& wanted) {
  const store::Header& header = store->header();
  ResidencyOptions options = wanted;
  const int directions = header.directed && header.has_in_edges ? 2 : 1;
  const detail::ListSize size = detail::stored_lists(
      ctx, bytes_of_pages(*header.slotted, header.vertices, header.edges, directions), directions,
      header.vertices);
  auto state = make_state(ctx, header.vertices, header.edges, header.weighted, header.directed,
                          directions == 2, size, options);
  state->mapped = true;
  state->open_out = [&ctx, store, options] {
    return place_pages(ctx, *store->slotted_out(ctx.threads()), store, options);
  };
  state->open_in = [&ctx, store, options] {
    return place_pages(ctx, *store->slotted_in(ctx.threads()), store, options);
  };
  state->build_by(ctx, [&ctx, store, options](detail::BuiltLists which) {
    if (which == detail::BuiltLists::Oriented)
      if (const auto lists = store->oriented(ctx.threads()))
        return detail::place(ctx, *lists, store, detail::oriented_options(ctx, options));
    const bool directed = store->header().directed;
    const auto in = directed ? store->slotted_in(ctx.threads()) : std::nullopt;
    return orient_pages(ctx, which, *store->slotted_out(ctx.threads()), in, directed, options);
  });
  if (options.kind == Kind::Stream)
    detail::stream_from_disk(ctx, store->path(), options.paging, *state);
  return Graph(std::move(state));
}

}  // namespace fathom
