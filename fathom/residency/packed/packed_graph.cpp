// Graphs over packed lists, of a store or in memory.
#include "fathom/residency/packed/packed_graph.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "fathom/residency/encoded/decoding_supply.hpp"
#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/packed/host_packed_supply.hpp"
#include "fathom/residency/packed/packed_places.hpp"
#include "fathom/residency/packed/packed_way.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/packed/cuda/packed_source.hpp"
#endif

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
  std::uint64_t bytes = 0;                           // of both directions, without offsets
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
  // Devices decode what is copied to them.
  if (!ctx.separate()) pages = std::make_unique<DecodingSupply>(ctx, std::move(pages));
  return std::make_unique<PagedSource>(ctx, std::move(pages), paging);
}

/// How the lists of a graph are placed.
struct Placing {
  ResidencyOptions options;  // of a kind that is resolved
  bool chosen = false;       // by nobody
  bool in_place = false;     // a GPU reads them as they are
};

std::unique_ptr<EdgeSource> place_packed(const Context& ctx, const PackedLists& lists,
                                         const std::shared_ptr<const void>& owner,
                                         const Placing& how) {
  const ResidencyOptions& options = how.options;
  if (options.kind == Kind::Stream) return stream_packed(ctx, lists, owner, options.paging);
#if FATHOM_WITH_CUDA
  if (how.in_place) {
    using Place = PackedSource::Place;
    const Place where = options.kind == Kind::ZeroCopy ? Place::Host
                        : how.chosen                   ? Place::DeviceIfRoom
                                                       : Place::Device;
    return std::make_unique<PackedSource>(ctx, lists, owner, where, options.gpu);
  }
#endif
  const auto its = unpacked(ctx, lists, owner, true);
  if (!ctx.on_gpu()) return std::make_unique<FlatSource>(ctx, its->view, its, nullptr);
  return detail::place(ctx, its->view, its, options, nullptr, how.chosen);
}

/// What a GPU has of packed lists that it reads in place, but for offsets.
std::uint64_t placed_bytes(const PackedLists& lists) {
  return lists.bytes() - lists.index.size_bytes() + bytes_of_places(lists.edges);
}
/// The same of a file's, whose sections need not be read for it. Where in-lists are the out-lists
/// both are placed.
std::uint64_t stored_bytes(const store::Store& store, int directions) {
  std::uint64_t out = 0, in = 0;
  for (const store::SectionInfo& section : store.sections()) {
    const std::string& name = section.name;
    if (!name.ends_with(".packed") && !name.ends_with(".codes") && !name.ends_with(".weights"))
      continue;
    if (name.starts_with("out.")) out += section.bytes;
    if (name.starts_with("in.")) in += section.bytes;
  }
  const std::uint64_t places = bytes_of_places(store.header().edges);
  return out + places + (directions > 1 ? (in > 0 ? in : out) + places : 0);
}

/// Of both directions, which are in host memory in CSR meanwhile.
std::unique_ptr<EdgeSource> build(const Context& ctx, const PackedOrigin& its,
                                  detail::BuiltLists which, bool directed,
                                  const ResidencyOptions& options) {
  if (which == detail::BuiltLists::Oriented && its.oriented)
    if (const auto stored = its.oriented())
      return detail::place(ctx, *stored, its.owner, detail::oriented_options(ctx, options));
  const auto out = unpacked(ctx, its.out(), its.owner, false);
  const auto in = directed && its.in ? unpacked(ctx, its.in(), its.owner, false) : nullptr;
  return detail::build_oriented(ctx, which, out->view, in ? &in->view : nullptr, directed, options);
}

/// Of one GPU that does not have its vertex state split, whatever is asked for.
detail::PackedWay resolve_on_gpu(const Context& ctx, const ResidencyOptions& wanted,
                                 const detail::GraphCounts& counts, const detail::ListSize& plain,
                                 std::uint64_t packed_bytes) {
  ResidencyOptions any = wanted;
  any.kind = Kind::Auto;
  detail::ListSize packed = plain;
  packed.bytes = packed_bytes;
  packed.in_place = true;
  // Ids wider than they need be are an array's.
  const PackedReads reads =
      wanted.gpu.packed == PackedReads::Auto && wanted.gpu.id_bytes != GpuEdgeOptions::kPlainIdBytes
          ? PackedReads::Unpacked
          : wanted.gpu.packed;
  return detail::choose_packed_way(wanted.kind, reads,
                                   detail::resolve(ctx, any, counts.vertices, plain),
                                   detail::resolve(ctx, any, counts.vertices, packed));
}

/// On the host lists are unpacked where that fits, and streamed otherwise. Several GPUs stream
/// them packed; what one does choose_packed_way() says.
detail::PackedWay resolve_packed(const Context& ctx, const ResidencyOptions& wanted,
                                 const detail::GraphCounts& counts, std::uint64_t packed_bytes) {
  const int directions = counts.directions();
  const detail::ListSize plain =
      detail::stored_lists(ctx, detail::bytes_of_lists(counts.edges, counts.weighted, directions),
                           directions, counts.vertices);
  detail::Resolved resolved = detail::resolve(ctx, wanted, counts.vertices, plain);
  const bool split = wanted.paging.strategy == Strategy::Scalability;
  if (ctx.on_gpu() && ctx.replicas() == 1 && !split)
    return resolve_on_gpu(ctx, wanted, counts, plain, packed_bytes);
  if (resolved.kind != Kind::Auto) return {std::move(resolved)};
  const std::uint64_t offsets = (counts.vertices + std::uint64_t{1}) * sizeof(EdgeId) *
                                static_cast<std::uint64_t>(directions);
  return {detail::choose_for_decoded(
      {"unpacked", plain.bytes + offsets, plain.host_room,
       detail::least_stream(counts.vertices, directions, wanted.paging.page_bytes)})};
}

Graph make(const Context& ctx, const detail::GraphCounts& counts, PackedOrigin origin,
           const ResidencyOptions& wanted) {
  ResidencyOptions options = wanted;
  detail::PackedWay way = resolve_packed(ctx, wanted, counts, origin.bytes);
  options.kind = way.resolved.kind;
  options.paging.sources = static_cast<std::size_t>(counts.directions());
  auto state = detail::new_state(ctx, counts, options.kind, std::move(way.resolved.reason));
  const auto its = std::make_shared<const PackedOrigin>(std::move(origin));
  const bool directed = counts.directed;
  const Placing how{options, wanted.kind == Kind::Auto, way.in_place};
  state->open_out = [&ctx, its, how] { return place_packed(ctx, its->out(), its->owner, how); };
  state->open_in = [&ctx, its, how] { return place_packed(ctx, its->in(), its->owner, how); };
  // What the host has built is in its memory already.
  if (!ctx.separate() && options.kind == Kind::Resident) options.kind = Kind::Auto;
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
  const auto counts = detail::GraphCounts::of(header);
  const int threads = ctx.threads();
  PackedOrigin origin{store->path(),
                      store,
                      [store, threads] { return *store->packed_out(threads); },
                      {},
                      [store, threads] { return store->oriented(threads); },
                      stored_bytes(*store, counts.directions())};
  if (header.symmetric || header.has_in_edges)
    origin.in = [store, threads] { return *store->packed_in(threads); };
  return make(ctx, counts, std::move(origin), options);
}

Graph make_graph(const Context& ctx, const PackedLists& out, const PackedLists* in, bool directed,
                 const ResidencyOptions& options, const std::shared_ptr<const void>& owner) {
  PackedOrigin origin{"", owner, [out] { return out; }, {}, {}, placed_bytes(out)};
  if (in) {
    origin.in = [its = *in] { return its; };
    origin.bytes += placed_bytes(*in);
  }
  return make(ctx,
              {out.vertices, out.edges, directed, static_cast<bool>(out.weights), in != nullptr},
              std::move(origin), options);
}

}  // namespace fathom
