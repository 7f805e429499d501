// Graphs over packed lists, of a store or in memory.
#include "fathom/residency/packed/packed_graph.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/packed/host_packed_supply.hpp"
#include "fathom/residency/packed/unpacking_supply.hpp"
#include "fathom/residency/paged/paged_source.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using store::PackedLists;

/// Packed lists of a graph, and where they come from.
struct PackedOrigin {
  std::string path;                   // of a file; else empty
  std::shared_ptr<const void> owner;  // of all that follows
  std::function<PackedLists()> out;
  std::function<PackedLists()> in;                   // empty: there are none
  std::function<std::optional<CsrView>()> oriented;  // stored ones
};

/// Lists in arrays, which count against the host's budget; offsets stay where they are.
struct Unpacked {
  std::shared_ptr<const void> owner;
  Array<VertexId> target;
  Array<Weight> weight;
  CsrView view;
};

std::shared_ptr<const Unpacked> unpacked(const Context& ctx, const PackedLists& lists,
                                         const std::shared_ptr<const void>& owner, bool weights) {
  auto its = std::make_shared<Unpacked>();
  const auto edges = static_cast<std::size_t>(lists.edges);
  its->owner = owner;
  its->target = Array<VertexId>(edges, ctx.host_memory());
  if (weights && lists.weights) its->weight = Array<Weight>(edges, ctx.host_memory());
  store::unpack_all(lists, ctx.threads(), its->target.span(), its->weight.span());
  its->view = {lists.vertices, lists.edges, lists.offset, its->target.data(),
               its->weight.empty() ? nullptr : its->weight.data()};
  return its;
}

std::unique_ptr<EdgeSource> stream_packed(const Context& ctx, const PackedLists& lists,
                                          const std::shared_ptr<const void>& owner,
                                          const PagingOptions& paging) {
  std::unique_ptr<PageSupply> pages =
      std::make_unique<HostPackedSupply>(lists, owner, paging.page_bytes);
  // Devices unpack what is copied to them.
  if (!ctx.separate()) pages = std::make_unique<UnpackingSupply>(ctx, std::move(pages));
  return std::make_unique<PagedSource>(ctx, std::move(pages), paging);
}

std::unique_ptr<EdgeSource> place_packed(const Context& ctx, const PackedLists& lists,
                                         const std::shared_ptr<const void>& owner,
                                         const ResidencyOptions& options, bool chosen) {
  if (options.kind == Kind::Stream) return stream_packed(ctx, lists, owner, options.paging);
  const auto its = unpacked(ctx, lists, owner, true);
  if (!ctx.on_gpu()) return std::make_unique<FlatSource>(ctx, its->view, its, nullptr);
  return detail::place(ctx, its->view, its, options, nullptr, chosen);
}

/// Of both directions, which are in host memory in CSR meanwhile.
std::unique_ptr<EdgeSource> build(const Context& ctx, const PackedOrigin& its,
                                  detail::BuiltLists which, bool directed,
                                  const ResidencyOptions& options) {
  if (which == detail::BuiltLists::Oriented && its.oriented)
    if (const auto stored = its.oriented())
      return detail::place(ctx, *stored, its.owner, detail::oriented_options(options));
  const auto out = unpacked(ctx, its.out(), its.owner, false);
  const auto in = directed && its.in ? unpacked(ctx, its.in(), its.owner, false) : nullptr;
  return detail::build_oriented(ctx, which, out->view, in ? &in->view : nullptr, directed, options);
}

/// On the host lists are unpacked where that fits, and streamed otherwise. A GPU has them unpacked
/// in its memory where they fit, streams them packed for who sweeps, and otherwise reads them
/// unpacked in host memory, if that has the room.
detail::Resolved resolve_packed(const Context& ctx, const ResidencyOptions& wanted,
                                const detail::GraphCounts& counts) {
  const int directions = counts.directions();
  const detail::ListSize plain =
      detail::stored_lists(ctx, detail::bytes_of_lists(counts.edges, counts.weighted, directions),
                           directions, counts.vertices);
  detail::Resolved resolved = detail::resolve(ctx, wanted, counts.vertices, plain);
  if (resolved.kind != Kind::Auto) return resolved;
  const std::uint64_t offsets = (counts.vertices + std::uint64_t{1}) * sizeof(EdgeId) *
                                static_cast<std::uint64_t>(directions);
  return detail::choose_for_packed(plain.bytes + offsets, plain.host_room);
}

Graph make(const Context& ctx, const detail::GraphCounts& counts, PackedOrigin origin,
           const ResidencyOptions& wanted) {
  ResidencyOptions options = wanted;
  detail::Resolved resolved = resolve_packed(ctx, wanted, counts);
  options.kind = resolved.kind;
  options.paging.sources = static_cast<std::size_t>(counts.directions());
  auto state = detail::new_state(ctx, counts, options.kind, std::move(resolved.reason));
  const auto its = std::make_shared<const PackedOrigin>(std::move(origin));
  const bool chosen = wanted.kind == Kind::Auto, directed = counts.directed;
  state->open_out = [&ctx, its, options, chosen] {
    return place_packed(ctx, its->out(), its->owner, options, chosen);
  };
  state->open_in = [&ctx, its, options, chosen] {
    return place_packed(ctx, its->in(), its->owner, options, chosen);
  };
  state->build_by(ctx, [&ctx, its, directed, options](detail::BuiltLists which) {
    return build(ctx, *its, which, directed, options);
  });
  const bool from_disk = !ctx.on_gpu() || detail::streams_from_file(options.paging);
  if (options.kind == Kind::Stream && from_disk && !its->path.empty())
    detail::stream_from_disk(ctx, its->path, options.paging, *state);
  return Graph(std::move(state));
}

}  // namespace

Graph make_packed_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                        const ResidencyOptions& options) {
  const store::Header& header = store->header();
  const int threads = ctx.threads();
  PackedOrigin origin{store->path(),
                      store,
                      [store, threads] { return *store->packed_out(threads); },
                      {},
                      [store, threads] { return store->oriented(threads); }};
  if (header.symmetric || header.has_in_edges)
    origin.in = [store, threads] { return *store->packed_in(threads); };
  return make(ctx, detail::GraphCounts::of(header), std::move(origin), options);
}

Graph make_graph(const Context& ctx, const PackedLists& out, const PackedLists* in, bool directed,
                 const ResidencyOptions& options, const std::shared_ptr<const void>& owner) {
  PackedOrigin origin{"", owner, [out] { return out; }, {}, {}};
  if (in) origin.in = [its = *in] { return its; };
  return make(ctx,
              {out.vertices, out.edges, directed, static_cast<bool>(out.weights), in != nullptr},
              std::move(origin), options);
}

}  // namespace fathom
