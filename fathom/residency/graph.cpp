#include <algorithm>
#include <optional>

#include "fathom/core/units.hpp"
#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/spare_memory.hpp"
#include "fathom/residency/ssd/page_buffer.hpp"
#include "fathom/residency/ssd/streamed_store.hpp"
#include "fathom/store/narrow/narrowing.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/cuda/gpu_source.hpp"
#include "fathom/residency/cuda/pinned_lists.hpp"
#include "fathom/residency/shares/cuda/gpu_shares.hpp"
#endif

namespace fathom {

using Kind = ResidencyOptions::Kind;

namespace detail {

/// Arrays copied into budgeted host memory, huge pages where the system grants them.
struct ResidentCopy {
  Array<EdgeId> offset;
  Array<VertexId> target;
  Array<Weight> weight;
};

Resolved choose_for_gpu(const GpuNeeds& needs) {
  const std::uint64_t needed = needs.list_bytes + needs.vertices * kStatePerVertex;
  const std::string sizes = format_bytes(needed) + " of lists and vertex state, " +
                            format_bytes(needs.left) + " of device memory";
  if (needed < needs.left / 10 * 9) return {Kind::Resident, "they fit: " + sizes};
  const std::uint64_t split_state =
      kSplitStatePerVertex + static_cast<std::uint64_t>(needs.directions) * sizeof(EdgeId);
  if (needs.may_split && needs.vertices * split_state > needs.left)
    return {Kind::Stream, "vertex state alone does not fit, and may be split: " + sizes};
  if (needs.list_bytes > needs.host_left)
    return {Kind::Stream,
            "they do not fit, and " + format_bytes(needs.host_left) +
                " of host memory are too little for the lists, which stay on disk: " + sizes};
  const bool keeps_all_state = needs.vertices * kStatePerVertex <= needs.left;
  if (needs.sweeps && !(needs.in_place && keeps_all_state))
    return {Kind::Stream, "they do not fit, and every superstep reads all of them: " + sizes};
  return {Kind::ZeroCopy, "they do not fit: " + sizes};
}

std::shared_ptr<Graph::State> new_state(const Context& ctx, const GraphCounts& counts, Kind kind,
                                        std::string reason) {
  auto state = std::make_shared<Graph::State>();
  state->vertices = counts.vertices;
  state->edges = counts.edges;
  state->directed = counts.directed;
  state->weighted = counts.weighted;
  state->has_in = counts.has_in;
  state->kind = kind;
  state->on_devices = ctx.separate();
  state->reason = std::move(reason);
  return state;
}

Resolved choose_for_gpus(Kind asked, const SharesOfGpus& shares) {
  if (asked == Kind::ZeroCopy && !shares.plain)
    throw Error(
        ErrorCode::Usage,
        "several GPUs read plain ids of 4 bytes over their links; packed, narrow and slotted "
        "lists, and ids of other widths, are streamed or take one GPU");
  if (asked == Kind::Stream || asked == Kind::ZeroCopy) return {asked, "asked for"};
  if (asked != Kind::Auto)
    throw Error(ErrorCode::Usage,
                "several GPUs stream their edges (the stream residency), or read them over their "
                "links (zerocopy); the resident and managed residencies take one GPU");
  if (shares.bytes != 0 && shares.bytes <= shares.left)
    return {Kind::ZeroCopy, "each of several GPUs has room for its share of the lists"};
  return {Kind::Stream, "several GPUs have pages dealt out to them"};
}

std::uint64_t bytes_of_share(std::uint64_t lists, std::uint64_t vertices, int directions,
                             std::uint64_t devices) {
  // An eighth more, as shares are of whole lists.
  return lists / devices / 8 * 9 +
         (vertices + 1) * sizeof(EdgeId) * static_cast<std::uint64_t>(directions) +
         vertices * kStatePerVertex;
}

bool streams_from_file(const PagingOptions& paging) {
  return paging.from_disk || !paging.ssd.empty() || paging.trace ||
         paging.strategy == Strategy::Scalability;
}

/// @throws as choose_for_gpus().
static Resolved resolve_for_gpus(const Context& ctx, const ResidencyOptions& options,
                                 VertexId vertices, const ListSize& lists) {
  SharesOfGpus shares;
  shares.plain =
      lists.plain && !options.gpu.id_bits && options.gpu.id_bytes == GpuEdgeOptions::kPlainIdBytes;
  if (options.kind == Kind::Auto && shares.plain && !streams_from_file(options.paging)) {
    shares.bytes = bytes_of_share(lists.bytes, vertices, lists.directions, ctx.replicas());
    shares.left = ~std::uint64_t{0};
    for (const Device& device : ctx.devices())
      shares.left = std::min<std::uint64_t>(shares.left, obtainable(*device.memory()));
    shares.left = least_among_ranks(ctx, shares.left);
  }
  return choose_for_gpus(options.kind, shares);
}

std::uint64_t bytes_of_lists(EdgeId edges, bool weighted, int directions) {
  return edges * (sizeof(VertexId) + (weighted ? sizeof(Weight) : 0)) *
         static_cast<std::uint64_t>(directions);
}

std::uint64_t bytes_as_placed(const Context& ctx, const GraphCounts& counts,
                              const GpuEdgeOptions& options) {
  if (!ctx.on_gpu() || !options.id_bits)
    return bytes_of_lists(counts.edges, counts.weighted, counts.directions());
  const store::NarrowLayout narrow =
      store::bound_of_layout(counts.vertices, counts.weighted, *options.id_bits);
  return narrow.words(counts.edges) * sizeof(std::uint64_t) *
         static_cast<std::uint64_t>(counts.directions());
}

ListSize stored_lists(const Context& ctx, std::uint64_t bytes, int directions, VertexId vertices) {
  const std::uint64_t room = host_room(*ctx.host_memory()), state = vertices * kHostStatePerVertex;
  return {bytes, directions, room > state ? room - state : 0};
}

Resolved resolve(const Context& ctx, const ResidencyOptions& options, VertexId vertices,
                 const ListSize& lists) {
  const Kind kind = options.kind;
  const bool split = options.paging.strategy == Strategy::Scalability;
  if (split && ctx.ranks() > 1)
    throw Error(ErrorCode::Usage,
                "strategy s splits vertex state over the devices of one process; ranks have all of "
                "it");
  if (split && !ctx.separate())
    throw Error(ErrorCode::Usage,
                "strategy s splits vertex state over the memories of GPUs or emulated devices; the "
                "host has one memory");
  if (!ctx.separate()) {
    if (kind == Kind::ZeroCopy || kind == Kind::Managed)
      throw Error(ErrorCode::Usage, "the zero-copy and managed residencies need a GPU");
    return {kind,
            kind == Kind::Auto ? "the processor reads the arrays where they are" : "asked for"};
  }
  if (!ctx.on_gpu()) {
    if (kind != Kind::Auto && kind != Kind::Stream)
      throw Error(ErrorCode::Usage, "emulated devices stream their edges");
    return {Kind::Stream, "emulated devices stream their edges"};
  }
  if (ctx.replicas() > 1) return resolve_for_gpus(ctx, options, vertices, lists);
  if (split && kind != Kind::Auto && kind != Kind::Stream)
    throw Error(ErrorCode::Usage, "strategy s streams its edges (the stream residency)");
  if (split) return {Kind::Stream, "edges are streamed past the chunks of vertex state"};
  if (kind != Kind::Auto) return {kind, "asked for"};
  return choose_for_gpu({lists.bytes, vertices, lists.directions, options.sweeps,
                         obtainable(*ctx.devices()[0].memory()), lists.host_room,
                         options.paging.strategy != Strategy::Performance, lists.in_place});
}

#if FATHOM_WITH_CUDA
static std::unique_ptr<EdgeSource> stream_to_gpus(const Context& ctx, const CsrView& csr,
                                                  std::shared_ptr<const void> owner,
                                                  const ResidencyOptions& options) {
  constexpr int kPlain = GpuEdgeOptions::kPlainIdBytes;
  if (options.gpu.id_bytes != kPlain)
    throw Error(ErrorCode::Usage, "streamed edges have ids of " + std::to_string(kPlain) +
                                      " bytes, not " + std::to_string(options.gpu.id_bytes));
  PagingOptions paging = options.paging;
  paging.access = options.gpu.access;
  auto lists = std::make_unique<PinnedListsSupply>(ctx, csr, std::move(owner), paging.page_bytes,
                                                   options.gpu.host_memory);
  return std::make_unique<PagedSource>(ctx, std::move(lists), paging);
}
#endif

std::unique_ptr<EdgeSource> place(const Context& ctx, CsrView csr,
                                  std::shared_ptr<const void> owner,
                                  const ResidencyOptions& options,
                                  const InterleavedEdges::Pair* pairs,
                                  [[maybe_unused]] bool chosen) {
#if FATHOM_WITH_CUDA
  if (ctx.on_gpu()) {
    if (options.kind == Kind::Stream) return stream_to_gpus(ctx, csr, std::move(owner), options);
    if (ctx.replicas() > 1)
      return std::make_unique<GpuShares>(ctx, csr, std::move(owner), pairs, options.gpu);
    using Place = GpuSource::Place;
    const auto where = options.kind == Kind::Resident
                           ? (chosen ? Place::DeviceIfRoom : Place::Device)
                       : options.kind == Kind::ZeroCopy ? Place::Host
                                                        : Place::Managed;
    return std::make_unique<GpuSource>(ctx, csr, std::move(owner), pairs, where, options.gpu);
  }
#endif
  if (options.kind == Kind::Stream)
    return std::make_unique<PagedSource>(ctx, csr, std::move(owner), options.paging);
  if (options.kind == Kind::Resident) {
    const auto& pool = ctx.host_memory();
    auto copy = std::make_shared<ResidentCopy>();
    copy->offset = Array<EdgeId>::copy_of({csr.offset, csr.vertices + std::size_t{1}}, pool);
    copy->target = Array<VertexId>::copy_of({csr.target, csr.edges}, pool);
    if (csr.weight) copy->weight = Array<Weight>::copy_of({csr.weight, csr.edges}, pool);
    csr.offset = copy->offset.data();
    csr.target = copy->target.data();
    csr.weight = csr.weight ? copy->weight.data() : nullptr;
    owner = copy;
  }
  return std::make_unique<FlatSource>(ctx, csr, std::move(owner), pairs);
}

void stream_from_disk(const Context& ctx, const std::string& path, const PagingOptions& options,
                      Graph::State& state) {
  const StreamedStore lists(ctx, path, options);
  state.open_out = [lists] { return lists.out(); };
  state.open_in = [lists] { return lists.in(); };
  if (lists.has_oriented()) state.orient_by(ctx, [lists] { return lists.oriented(); });
}

ResidencyOptions oriented_options(const Context& ctx, ResidencyOptions options) {
  // Pairs are of lists of all shares.
  if (ctx.on_gpu() && ctx.replicas() > 1) options.kind = Kind::Stream;
  options.gpu.id_bits.reset();  // kernels intersect plain lists
  if (options.gpu.cache == CachePolicy::Auto) options.gpu.cache = CachePolicy::Reuse;
  return options;
}

std::shared_ptr<const void> reserve(const Context& ctx, std::size_t bytes) {
  ctx.host_memory()->reserve(bytes);
  return {ctx.host_memory().get(),
          [pool = ctx.host_memory(), bytes](const void*) { pool->unreserve(bytes); }};
}

}  // namespace detail

using detail::place;
using detail::resolve;
using detail::Resolved;

VertexId Graph::vertices() const {
  return state_->vertices;
}
EdgeId Graph::edges() const {
  return state_->edges;
}
bool Graph::directed() const {
  return state_->directed;
}
bool Graph::weighted() const {
  return state_->weighted;
}

std::string Graph::residency() const {
  switch (state_->kind) {
    case Kind::Stream:
      return "stream";
    case Kind::ZeroCopy:
      return "zerocopy";
    case Kind::Managed:
      return "managed";
    case Kind::Resident:
      return link_ceiling() > 0 ? "zerocopy" : "resident";  // vertex state may have needed the room
    default:
      return state_->mapped ? "mapped" : "resident";
  }
}

EdgeSource& Graph::out() const {
  if (state_->check) state_->check();
  if (!state_->out) state_->out = state_->open_out();
  return *state_->out;
}

bool Graph::has_in() const {
  return !state_->directed || state_->has_in;
}

EdgeSource& Graph::in() const {
  if (!state_->directed) return out();
  if (!state_->has_in) throw Error(ErrorCode::Internal, "in-edges were used where there are none");
  if (state_->check) state_->check();
  if (!state_->in) state_->in = state_->open_in();
  return *state_->in;
}

const std::string& Graph::residency_reason() const {
  return state_->reason;
}

void Graph::for_each_open(FunctionRef<void(EdgeSource&, store::Lists)> visit) const {
  if (state_->out) visit(*state_->out, store::Lists::Out);
  if (state_->in) visit(*state_->in, store::Lists::In);
  if (!state_->oriented) return;
  if (const auto oriented = state_->oriented->opened()) visit(*oriented, store::Lists::Oriented);
}

double Graph::link_ceiling() const {
  double ceiling = 0;
  for_each_open([&](EdgeSource& source, store::Lists) {
    ceiling = std::max(ceiling, source.link_ceiling());
  });
  return ceiling;
}

bool Graph::split() const {
  const SplitEdges* const edges = state_->out ? state_->out->split_edges() : nullptr;
  return edges && edges->was_split();
}

std::size_t Graph::cache_bytes() const {
  // On the host all sources of a store share one buffer; frames of devices are each source's own.
  std::size_t all = 0;
  for_each_open([&](EdgeSource& source, store::Lists) {
    const std::size_t bytes = source.cache_bytes();
    all = state_->on_devices ? all + bytes : std::max(all, bytes);
  });
  return all;
}

Traffic Graph::traffic() const {
  Traffic sum = state_->oriented ? state_->oriented->traffic_before() : Traffic{};
  for_each_open([&](EdgeSource& source, store::Lists) { sum = sum + source.traffic(); });
  return sum;
}

std::shared_ptr<EdgeSource> Graph::oriented() const {
  if (state_->check) state_->check();
  if (!state_->oriented)
    throw Error(ErrorCode::Internal, "oriented lists were used where there are none");
  return state_->oriented->get();
}

void Graph::prepare_oriented() const {
  if (state_->check) state_->check();
  if (state_->oriented) state_->oriented->prepare();
}

Graph make_graph(const Context& ctx, const CsrView& out, const CsrView* in, bool directed,
                 const ResidencyOptions& wanted, const std::shared_ptr<const void>& owner) {
  ResidencyOptions options = wanted;
  const detail::GraphCounts counts{out.vertices, out.edges, directed, out.weight != nullptr,
                                   in != nullptr};
  Resolved resolved = resolve(ctx, wanted, out.vertices,
                              {.bytes = detail::bytes_as_placed(ctx, counts, wanted.gpu),
                               .directions = counts.directions(),
                               .plain = true});
  options.kind = resolved.kind;
  options.paging.sources = directed && in ? 2 : 1;
  auto state = detail::new_state(ctx, counts, options.kind, std::move(resolved.reason));
  const std::optional<CsrView> in_view = in ? std::optional(*in) : std::nullopt;
  const bool chosen = wanted.kind == Kind::Auto;
  state->open_out = [&ctx, out, owner, options, chosen] {
    return place(ctx, out, owner, options, nullptr, chosen);
  };
  state->open_in = [&ctx, in_view, owner, options, chosen] {
    return place(ctx, *in_view, owner, options, nullptr, chosen);
  };
  state->build_by(ctx, [&ctx, out, in_view, directed, options](detail::BuiltLists which) {
    return detail::build_oriented(ctx, which, out, in_view ? &*in_view : nullptr, directed,
                                  options);
  });
#if FATHOM_WITH_CUDA
  detail::orient_on_device(ctx, *state, options);
#endif
  return Graph(std::move(state));
}

Graph make_graph(const Context& ctx, graph::BuiltGraph built, bool directed,
                 const ResidencyOptions& options) {
  auto owner = std::make_shared<graph::BuiltGraph>(std::move(built));
  const CsrView out = owner->out.view();
  if (!owner->in) return make_graph(ctx, out, nullptr, directed, options, owner);
  const CsrView in = owner->in->view();
  return make_graph(ctx, out, &in, directed, options, owner);
}

}  // namespace fathom
