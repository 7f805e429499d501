#include "fathom/residency/cuda/gpu_source.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/parallel.hpp"
#include "fathom/residency/cuda/entries.hpp"
#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/cuda/list_cache.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/list_choice.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

using Entry = InterleavedEdges::Pair;
using detail::Entries;

constexpr int kIdBytes = GpuEdgeOptions::kPlainIdBytes;
constexpr std::size_t kWriteGrain = std::size_t{1} << 20;

}  // namespace

/// One array of the edges, wherever it is.
struct EdgeArray {
  Array<std::byte> on_device;
  std::unique_ptr<HostBlock> on_host;
  const void* at = nullptr;
  std::size_t bytes = 0;
  double ceiling = 0;  // of reads over the link, once it is in host memory
};

static std::span<const std::byte> block_of(const EdgeArray& array) {
  return {static_cast<const std::byte*>(array.at), array.at ? array.bytes : 0};
}

struct GpuSource::Layout {
  EdgeArray target, weight;
  bool weights = false;  // that the functors read
  bool wide = false, interleaved = false, narrow = false;
  bool placed = false, near = false;  // near: in device memory
  std::unique_ptr<ListCache> cache;
  int handle = 0;  // of spare()
};

/// Of the array with the targets of a layout, and whatever is between them.
template <class Layout>
static Entries::Form form_of(const Layout& layout) {
  return layout.narrow        ? Entries::Form::Narrow
         : layout.interleaved ? Entries::Form::Pair
         : layout.wide        ? Entries::Form::WideTarget
                              : Entries::Form::Target;
}

/// visit(array, form) for each that a layout has.
template <class Visit>
void GpuSource::for_each_array(Layout& layout, const Visit& visit) {
  visit(layout.target, form_of(layout));
  if (layout.weights && !layout.interleaved) visit(layout.weight, Entries::Form::Weight);
}

GpuSource::GpuSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                     const InterleavedEdges::Pair* pairs, Place place,
                     const GpuEdgeOptions& options)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      ctx_(&ctx),
      csr_(csr),
      owner_(std::move(owner)),
      pairs_(pairs),
      place_(place),
      options_(options),
      offset_(csr.vertices + std::size_t{1}, ctx.devices()[0].memory()),
      hints_(ctx.devices()[0], csr.vertices),
      counts_(ctx) {
  if (options.id_bytes != kIdBytes && options.id_bytes != 8)
    throw Error(ErrorCode::Usage, std::string("ids in edge lists have ") +
                                      (kIdBytes == 4 ? "4 or 8" : "8") + " bytes, not " +
                                      std::to_string(options.id_bytes));
  if (options.id_bits) narrow_here(*options.id_bits);
  start();
}

GpuSource::GpuSource(const Context& ctx, const store::NarrowLists& lists,
                     std::shared_ptr<const void> owner, Place place, const GpuEdgeOptions& options)
    : EdgeSource(lists.vertices, lists.edges, lists.weighted()),
      ctx_(&ctx),
      csr_{lists.vertices, lists.edges, lists.offset, nullptr, nullptr},
      narrow_(lists),
      owner_(std::move(owner)),
      pairs_(nullptr),
      place_(place),
      options_(options),
      offset_(lists.vertices + std::size_t{1}, ctx.devices()[0].memory()),
      value_(lists.values.size(), ctx.devices()[0].memory()),
      hints_(ctx.devices()[0], lists.vertices),
      counts_(ctx) {
  if (options.id_bytes != kIdBytes)
    throw Error(ErrorCode::Usage, "narrow lists have ids of " +
                                      std::to_string(lists.layout.id_bits) + " bits, not of " +
                                      std::to_string(options.id_bytes) + " bytes");
  start();
}

void GpuSource::narrow_here(int id_bits) {
  if (options_.id_bytes != kIdBytes)
    throw Error(ErrorCode::Usage, "narrowed lists have ids of some bits, not of " +
                                      std::to_string(options_.id_bytes) + " bytes");
  narrowing_.emplace(csr_, id_bits, ctx_->threads());
  narrow_ = {.layout = narrowing_->layout(),
             .vertices = csr_.vertices,
             .edges = csr_.edges,
             .offset = csr_.offset,
             .words = {},
             .values = narrowing_->values()};
  value_ = Array<Weight>(narrow_->values.size(), ctx_->devices()[0].memory());
}

void GpuSource::start() {
  if (!value_.empty())
    ctx_->copy(value_.data(), narrow_->values.data(), narrow_->values.size_bytes());
  ctx_->copy(offset_.data(), csr_.offset, offset_.size() * sizeof(EdgeId));
  if (place_ == Place::Host || place_ == Place::DeviceIfRoom) counts_.begin();
}

GpuSource::~GpuSource() {
  ctx_->devices()[0].gpu()->settle();  // kernels of an interrupted run may read host memory
  for (const auto* layout : {&plain_, &weighted_})
    if (*layout) spare().leave((*layout)->handle);
}

SpareMemory& GpuSource::spare() const {
  return SpareMemory::of(*ctx_->devices()[0].memory());
}

GpuSource::Layout& GpuSource::layout(bool weights) {
  weights = weights && weighted() && !narrow_;
  std::unique_ptr<Layout>& its = weights ? weighted_ : plain_;
  if (!its) {
    auto fresh = std::make_unique<Layout>();
    Layout* const l = fresh.get();
    l->weights = weights;
    l->wide = options_.id_bytes > kIdBytes;
    l->interleaved = weights && options_.interleave && !l->wide;
    l->narrow = narrow_.has_value();
    l->handle = spare().enlist({[this, l] {
                                  l->cache.reset();
                                  drop(*l);
                                },
                                [l] {
                                  return l->target.on_device.size() + l->weight.on_device.size() +
                                         (l->cache ? l->cache->bytes() : 0);
                                },
                                [this, l](std::size_t bytes) { fill_cache(*l, bytes); }});
    its = std::move(fresh);
  }
  if (!its->placed) {
    place(*its, goes_near(*its));
    // Of a run that has not said what its vertex state takes.
    const std::size_t left = spare().room(),
                      state = kBesideCaches + vertices() * detail::kStatePerVertex;
    if (!spare().in_run() && cache_use(*its) > 0)
      fill_cache(*its, std::min(cache_use(*its), left > state ? left - state : 0));
  }
  return *its;
}

std::uint32_t GpuSource::entry_bits(const Layout& layout) const {
  if (layout.narrow) return narrow_->layout.entry_bits();
  return static_cast<std::uint32_t>(8 * entries(form_of(layout)).unit());
}

bool GpuSource::goes_near(const Layout& layout) const {
  if (place_ != Place::DeviceIfRoom) return place_ == Place::Device;
  const std::size_t separate = layout.weights && !layout.interleaved ? sizeof(Weight) : 0;
  return spare().room() >=
         edges() * separate + edges() / 8 * entry_bits(layout) + entry_bits(layout);
}

/// What gives way: arrays in device memory. Those in host memory stay, they are no cache.
void GpuSource::drop(Layout& layout) const {
  if (!layout.near) return;
  layout.target.on_device = {};
  layout.weight.on_device = {};
  layout.near = layout.placed = false;
}

void GpuSource::place(Layout& layout, bool near) {
  if (near) {
    try {
      return place_near(layout);
    } catch (const Error& e) {
      if (place_ != Place::DeviceIfRoom || e.code() != ErrorCode::DoesNotFit) throw;
      near = false;  // what is free lies scattered
    }
  }
  cuda::Gpu& gpu = *ctx_->devices()[0].gpu();
  for_each_array(layout, [&](EdgeArray& array, Entries::Form form) {
    const Entries entries = this->entries(form);
    const std::size_t bytes = entries.bytes();
    array.bytes = bytes;
    if (array.on_host) {  // from an earlier run
      array.at = array.on_host->data();
      return;
    }
    if (place_ != Place::Managed) {
      array.on_host = HostBlock::over_link(*ctx_, gpu, options_.host_memory, entries.there(), bytes,
                                           [&](std::size_t first, std::size_t last, std::byte* to) {
                                             entries.write(first, last, to);
                                           });
      array.ceiling = sweep_ceiling(gpu.link(), array.on_host->way(), bytes, 1);
    } else {
      array.on_host = HostBlock::migrating(gpu, bytes, ctx_->host_memory());
      auto* const to = static_cast<std::byte*>(array.on_host->data());
      parallel_for(ctx_->threads(), bytes, kWriteGrain,
                   [&](std::size_t a, std::size_t b, int) { entries.write(a, b, to + a); });
    }
    array.at = array.on_host->data();
  });
  layout.near = false;
  layout.placed = true;
  link_ceiling_ = layout.target.ceiling;
}

detail::Entries GpuSource::entries(Entries::Form form) const {
  return {csr_, pairs_, narrow_ ? &*narrow_ : nullptr, narrowing_ ? &*narrowing_ : nullptr, form};
}

/// All of it or, where something is refused or interrupted, nothing: the layout stays as it was.
void GpuSource::place_near(Layout& layout) {
  std::vector<Array<std::byte>> brought;
  for_each_array(layout, [&](EdgeArray&, Entries::Form form) {
    const Entries entries = this->entries(form);
    brought.push_back(entries.on_device(*ctx_, ctx_->devices()[0], 0, entries.bytes()));
  });
  std::size_t next = 0;
  for_each_array(layout, [&](EdgeArray& array, Entries::Form) {
    array.on_device = std::move(brought[next++]);
    array.at = array.on_device.data();
    array.bytes = array.on_device.size();
  });
  layout.near = layout.placed = true;
  link_ceiling_ = 0;
}

std::size_t GpuSource::cache_use(const Layout& layout) const {
  const bool separate_weights = layout.weights && !layout.interleaved;
  if (layout.near || place_ == Place::Managed || options_.cache == CachePolicy::None ||
      layout.wide || separate_weights)
    return 0;
  const std::size_t all = ListCache::bytes_of(vertices(), edges(), entry_bits(layout));
  return options_.cache_bytes > 0 ? std::min(options_.cache_bytes, all) : all;
}

void GpuSource::fill_cache(Layout& layout, std::size_t bytes) {
  const std::size_t index = vertices() * sizeof(std::uint32_t);
  if (bytes < index + index / 4) {  // the index alone would take most of it
    layout.cache.reset();
    return;
  }
  if (layout.cache && layout.cache->bytes() <= bytes &&
      static_cast<double>(layout.cache->made_for()) >= kEnoughOfCache * static_cast<double>(bytes))
    return;
  layout.cache.reset();
  std::vector<std::uint32_t> reads;
  if (options_.cache == CachePolicy::Reuse)
    reads = narrow_ && !narrowing_ ? count_reads(*narrow_, ctx_->threads())
                                   : count_reads(csr_, ctx_->threads());
  try {
    layout.cache = std::make_unique<ListCache>(*ctx_, ctx_->devices()[0], csr_, options_.cache,
                                               bytes, entry_bits(layout), view(layout, {}), reads);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
}

std::optional<AnyEdges> GpuSource::whole(const SweepOptions& options) const {
  const Layout& l = const_cast<GpuSource*>(this)->layout(options.weights);
  spare().hold_for_run(l.handle);
  return view(l, options);
}

AnyEdges GpuSource::view(const Layout& l, const SweepOptions& options) const {
  const EdgeId* const offset = offset_.data();
  const auto* target = static_cast<const VertexId*>(l.target.at);
  const auto* weight = static_cast<const Weight*>(l.weight.at);
  if (l.narrow) {
    NarrowEdges far{offset,
                    static_cast<const std::uint32_t*>(l.target.at),
                    options.weights && weighted() ? value_.data() : nullptr,
                    narrow_->layout.entry_bits(),
                    narrow_->layout.id_bits,
                    options.first};
    if (!l.cache) return far;
    NarrowEdges near = far;
    near.words = reinterpret_cast<const std::uint32_t*>(l.cache->data());
    return CachedEdges<NarrowEdges>{far, near, l.cache->index(), l.cache->unit_shift()};
  }
  if (l.wide)
    return NarrowEdges{offset,       static_cast<const std::uint32_t*>(l.target.at), weight, 64, 64,
                       options.first};
  if (l.interleaved) {
    const InterleavedEdges far{offset, static_cast<const Entry*>(l.target.at), options.first};
    if (!l.cache) return far;
    const InterleavedEdges near{nullptr, reinterpret_cast<const Entry*>(l.cache->data()),
                                options.first};
    return CachedEdges<InterleavedEdges>{far, near, l.cache->index(), l.cache->unit_shift()};
  }
  const FlatEdges far{offset, target, weight, 0, options.first};
  if (!l.cache) return far;
  const FlatEdges near{nullptr, reinterpret_cast<const VertexId*>(l.cache->data()), nullptr, 0,
                       options.first};
  return CachedEdges<FlatEdges>{far, near, l.cache->index(), l.cache->unit_shift()};
}

void GpuSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                      FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  const Layout& l = layout(options.weights);
  const auto held = spare().hold(l.handle);  // the operator may allocate
  Pass all{ctx.devices()[0], view(l, options), 0, vertices()};
  all.remote = !l.near;
  all.access = options_.access;
  if (all.remote && place_ != Place::Managed)
    all.link = counts_.window({block_of(l.target), block_of(l.weight)});
  pass(all);
}

void GpuSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const Layout& l = layout(false);
  if (l.wide || l.narrow)
    throw Error(ErrorCode::Usage, std::string("triangles are counted with plain ids, not ") +
                                      (l.wide ? "of 8 bytes" : "in narrow lists"));
  const auto held = spare().hold(l.handle);
  const AnyEdges all = view(l, {});
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

EdgeId GpuSource::near_edges() const {
  return plain_ && plain_->cache ? plain_->cache->edges() : 0;
}

void GpuSource::report_host_memory(HostMemoryReport& report) const {
  if (place_ == Place::Managed) return;
  for (const auto* layout : {&plain_, &weighted_}) {
    if (!*layout) continue;
    for (const EdgeArray* array : {&(*layout)->target, &(*layout)->weight})
      if (array->on_host) report.add(array->on_host->report());
  }
}

void GpuSource::prepare(const Context&, const SweepOptions& options) {
  Layout& l = layout(options.weights);
  spare().use(l.handle);
  if (place_ == Place::DeviceIfRoom && l.near != goes_near(l)) {
    // The vertex state of this run leaves more, or less, than that of the last one.
    const bool near = goes_near(l);
    l.cache.reset();
    drop(l);
    place(l, near);
  }
  if (l.near) spare().hold_for_run(l.handle);
  // Hints go first: a cache takes what is left.
  const bool hints = options.hints == Hints::Always ||
                     (options.hints == Hints::Far && (!l.near || !hints_.empty()));
  if (hints && place_ != Place::Managed)
    hints_.prepare([&] { return layout(false).handle; }, [&] { return view(*plain_, {}); });
  if (const std::size_t use = cache_use(l); use > 0) spare().want(l.handle, use);
  if (place_ == Place::Managed) start_cold(l);
}

void GpuSource::start_cold(const Layout& l) const {
  // Every run starts cold (or, when asked for, with as much as fits already there).
  const cuda::Gpu& gpu = *ctx_->devices()[0].gpu();
  for (const EdgeArray* array : {&l.target, &l.weight}) {
    if (!array->on_host || array->on_host->size() == 0) continue;
    void* const data = array->on_host->data();
    const std::size_t bytes = array->on_host->size();
    const cudaMemLocation device{cudaMemLocationTypeDevice, {gpu.ordinal()}};
    const cudaMemLocation host{cudaMemLocationTypeHost, {0}};
    // Copies made for reading stay on the device until the advice goes.
    cuda::check(cudaMemAdvise(data, bytes, cudaMemAdviseUnsetReadMostly, device),
                "advising unified memory");
    cuda::check(cudaMemPrefetchAsync(data, bytes, host, 0, gpu.stream()),
                "evicting unified memory");
    gpu.wait();
    if (options_.read_mostly)
      cuda::check(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, device),
                  "advising unified memory");
    if (options_.prefetch) {
      const std::size_t fits = std::min(bytes, ctx_->devices()[0].memory()->available() / 2);
      cuda::check(cudaMemPrefetchAsync(data, fits, device, 0, gpu.stream()),
                  "prefetching unified memory");
    }
  }
  gpu.wait();
}

}  // namespace fathom
