// Graphs over a store with packed lists.
#include "fathom/core/units.hpp"
#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/packed/host_packed_supply.hpp"
#include "fathom/residency/paged/paged_source.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using store::PackedLists;

/// Lists in CSR, counted against the host's budget.
std::shared_ptr<const Csr> unpacked(const Context& ctx, const PackedLists& lists) {
  return std::make_shared<const Csr>(store::unpack(lists, ctx.threads(), ctx.host_memory()));
}

std::unique_ptr<EdgeSource> place_packed(const Context& ctx, const PackedLists& lists,
                                         const std::shared_ptr<store::Store>& store,
                                         const ResidencyOptions& options, bool chosen) {
  if (options.kind == Kind::Stream)
    return std::make_unique<PagedSource>(
        ctx, std::make_unique<HostPackedSupply>(lists, store, options.paging.page_bytes),
        options.paging);
  const auto csr = unpacked(ctx, lists);
  if (!ctx.on_gpu()) return std::make_unique<FlatSource>(csr->view(), csr, nullptr);
  return detail::place(ctx, csr->view(), csr, options, nullptr, chosen);
}

/// The lists are in host memory, in CSR, while others are built of them.
std::unique_ptr<EdgeSource> orient_packed(const Context& ctx, detail::BuiltLists which,
                                          store::Store& store, const ResidencyOptions& options) {
  const bool directed = store.header().directed;
  const auto out = unpacked(ctx, *store.packed_out(ctx.threads()));
  const auto packed_in = directed ? store.packed_in(ctx.threads()) : std::nullopt;
  if (!packed_in)
    return detail::build_oriented(ctx, which, out->view(), nullptr, directed, options);
  const auto in = unpacked(ctx, *packed_in);
  const CsrView reverse = in->view();
  return detail::build_oriented(ctx, which, out->view(), &reverse, directed, options);
}

/// On the host lists are unpacked where that fits, and streamed otherwise; a GPU has them unpacked
/// in its memory where they fit, streams them packed for who sweeps, and otherwise reads them
/// unpacked in host memory, if that has the room.
detail::Resolved resolve_packed(const Context& ctx, const ResidencyOptions& wanted,
                                const store::Header& header, const detail::ListSize& plain) {
  detail::Resolved resolved = detail::resolve(ctx, wanted, header.vertices, plain);
  if (resolved.kind != Kind::Auto) return resolved;
  const std::uint64_t offsets = (header.vertices + std::uint64_t{1}) * sizeof(EdgeId) *
                                static_cast<std::uint64_t>(plain.directions);
  const std::string needs = format_bytes(plain.bytes + offsets) + " unpacked, " +
                            format_bytes(plain.host_room) + " of host memory";
  if (plain.bytes + offsets <= plain.host_room) return {Kind::Resident, "they fit: " + needs};
  return {Kind::Stream, "they do not fit: " + needs};
}

}  // namespace

Graph make_packed_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                        const ResidencyOptions& wanted) {
  const store::Header& header = store->header();
  ResidencyOptions options = wanted;
  const int directions = header.directed && header.has_in_edges ? 2 : 1;
  const detail::ListSize plain =
      detail::stored_lists(ctx, detail::bytes_of_lists(header.edges, header.weighted, directions),
                           directions, header.vertices);
  detail::Resolved resolved = resolve_packed(ctx, wanted, header, plain);
  options.kind = resolved.kind;
  options.paging.sources = directions == 2 ? 2 : 1;
  auto state = std::make_shared<Graph::State>();
  state->reason = std::move(resolved.reason);
  state->vertices = header.vertices;
  state->edges = header.edges;
  state->directed = header.directed;
  state->weighted = header.weighted;
  state->has_in = header.has_in_edges;
  state->kind = options.kind;
  state->on_devices = ctx.separate();
  const bool chosen = wanted.kind == Kind::Auto;
  state->open_out = [&ctx, store, options, chosen] {
    return place_packed(ctx, *store->packed_out(ctx.threads()), store, options, chosen);
  };
  state->open_in = [&ctx, store, options, chosen] {
    return place_packed(ctx, *store->packed_in(ctx.threads()), store, options, chosen);
  };
  state->build_by(ctx, [&ctx, store, options](detail::BuiltLists which) {
    if (which == detail::BuiltLists::Oriented)
      if (const auto lists = store->oriented(ctx.threads()))
        return detail::place(ctx, *lists, store, detail::oriented_options(options));
    return orient_packed(ctx, which, *store, options);
  });
  const bool from_disk = !ctx.on_gpu() || detail::streams_from_file(options.paging);
  if (options.kind == Kind::Stream && from_disk)
    detail::stream_from_disk(ctx, store->path(), options.paging, *state);
  return Graph(std::move(state));
}

}  // namespace fathom
