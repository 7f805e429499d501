#include "fathom/residency/cuda/gpu_source.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/residency/cuda/hints.hpp"
#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/cuda/list_cache.hpp"

namespace fathom {
namespace {

using Entry = InterleavedEdges::Pair;

constexpr std::size_t kStaging = std::size_t{64} << 20;
// What a cache leaves for the state of an algorithm: bytes per vertex (PageRank's, the largest of
// the fixed ones), and for operators' temporary data.
constexpr std::size_t kStatePerVertex = 40;
constexpr std::size_t kReserve = std::size_t{64} << 20;

/// How entries of the edge arrays are made from the host's.
struct Entries {
  const CsrView& csr;
  const Entry* pairs;  // may be null
  enum class Form { Target, WideTarget, Weight, Pair } form;

  std::size_t bytes() const { return form == Form::WideTarget || form == Form::Pair ? 8 : 4; }
  void write(EdgeId first, EdgeId count, std::byte* to) const {
    switch (form) {
      case Form::Target:
        std::memcpy(to, csr.target + first, count * sizeof(VertexId));
        return;
      case Form::Weight:
        std::memcpy(to, csr.weight + first, count * sizeof(Weight));
        return;
      case Form::WideTarget:
        for (EdgeId i = 0; i < count; ++i)
          reinterpret_cast<std::uint64_t*>(to)[i] = csr.target[first + i];
        return;
      case Form::Pair:
        if (pairs) {
          std::memcpy(to, pairs + first, count * sizeof(Entry));
          return;
        }
        for (EdgeId i = 0; i < count; ++i)
          reinterpret_cast<Entry*>(to)[i] = {csr.target[first + i], csr.weight[first + i]};
        return;
    }
  }
  void write_all(int threads, std::byte* to) const {
    parallel_for(threads, csr.edges, std::size_t{1} << 18,
                 [&](std::size_t a, std::size_t b, int) { write(a, b - a, to + a * bytes()); });
  }
};

}  // namespace

/// One array of the edges, wherever it is.
struct EdgeArray {
  Array<std::byte> on_device;
  std::unique_ptr<HostBlock> on_host;
  const void* at = nullptr;
  std::size_t bytes = 0;
};

struct GpuSource::Layout {
  EdgeArray target, weight;
  bool wide = false, interleaved = false;
  std::unique_ptr<ListCache> cache;
};

std::size_t GpuSource::resident_bytes(const CsrView& csr) {
  return csr.edges * (sizeof(VertexId) + (csr.weight ? sizeof(Weight) : 0));
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
      offset_(csr.vertices + std::size_t{1}, ctx.devices()[0].memory()) {
  if (options.id_bytes != 4 && options.id_bytes != 8)
    throw Error(ErrorCode::Usage,
                "ids in edge lists have 4 or 8 bytes, not " + std::to_string(options.id_bytes));
  ctx.copy(offset_.data(), csr.offset, offset_.size() * sizeof(EdgeId));
  if (place != Place::Host) return;
  counts_ = Array<unsigned long long>(2, ctx.devices()[0].memory());
  const unsigned long long none = 0;
  ctx.fill(ctx.devices()[0], counts_.data(), counts_.size(), &none, sizeof(none));
}

GpuSource::~GpuSource() = default;

GpuSource::Layout& GpuSource::layout(bool weights) {
  weights = weights && weighted();
  std::unique_ptr<Layout>& layout = weights ? weighted_ : plain_;
  if (!layout) {
    auto fresh = std::make_unique<Layout>();
    place(*fresh, weights);
    layout = std::move(fresh);
  }
  return *layout;
}

void GpuSource::place(Layout& layout, bool weights) {
  cuda::Gpu& gpu = *ctx_->devices()[0].gpu();
  layout.wide = options_.id_bytes == 8;
  layout.interleaved = weights && options_.interleave && !layout.wide;
  auto put = [&](EdgeArray& array, Entries::Form form) {
    const Entries entries{csr_, pairs_, form};
    const std::size_t bytes = csr_.edges * entries.bytes();
    array.bytes = bytes;
    if (place_ == Place::Device) {
      array.on_device = Array<std::byte>(bytes, ctx_->devices()[0].memory());
      Array<std::byte> staging(std::min(bytes, kStaging), ctx_->host_memory());
      const EdgeId step = kStaging / entries.bytes();
      for (EdgeId first = 0; first < csr_.edges; first += step) {
        ctx_->task().check();
        const EdgeId count = std::min(step, csr_.edges - first);
        entries.write(first, count, staging.data());
        ctx_->copy(array.on_device.data() + first * entries.bytes(), staging.data(),
                   count * entries.bytes());
      }
      array.at = array.on_device.data();
      return;
    }
    const ZeroCopyWay way = options_.host_memory.value_or(HostBlock::farthest_reaching(gpu, bytes));
    if (place_ == Place::Host) link_ceiling_ = sweep_ceiling(gpu.link(), way, bytes, 1);
    const bool as_it_is = form == Entries::Form::Target || form == Entries::Form::Weight;
    if (place_ == Place::Host && way == ZeroCopyWay::Register && as_it_is) {
      const void* there = form == Entries::Form::Target ? static_cast<const void*>(csr_.target)
                                                        : static_cast<const void*>(csr_.weight);
      array.on_host = HostBlock::pin(there, bytes);
      array.at = there;
      if (array.on_host) return;
    }
    array.on_host = place_ == Place::Host
                        ? std::make_unique<HostBlock>(gpu, way, bytes, ctx_->host_memory())
                        : HostBlock::migrating(gpu, bytes, ctx_->host_memory());
    entries.write_all(ctx_->threads(), static_cast<std::byte*>(array.on_host->data()));
    array.at = array.on_host->data();
  };
  if (layout.interleaved) {
    put(layout.target, Entries::Form::Pair);
  } else {
    put(layout.target, layout.wide ? Entries::Form::WideTarget : Entries::Form::Target);
    if (weights) put(layout.weight, Entries::Form::Weight);
  }

  const bool separate_weights = weights && !layout.interleaved;
  if (place_ != Place::Host || options_.cache == CachePolicy::None || layout.wide ||
      separate_weights)
    return;
  const std::size_t left = ctx_->devices()[0].memory()->available();
  const std::size_t state = kReserve + vertices() * kStatePerVertex;
  std::size_t room = left > state ? left - state : 0;
  if (options_.cache_bytes > 0) room = std::min(options_.cache_bytes, left);
  const Entries entries{csr_, pairs_,
                        layout.interleaved ? Entries::Form::Pair : Entries::Form::Target};
  const std::size_t index = vertices() * sizeof(std::uint32_t);
  if (room < index + index / 4) return;  // the index alone would take most of it
  std::vector<std::uint32_t> reads;
  if (options_.cache == CachePolicy::Reuse) {
    reads.resize(vertices());
    parallel_for(ctx_->threads(), csr_.edges, std::size_t{1} << 18,
                 [&](std::size_t a, std::size_t b, int) {
                   for (; a < b; ++a)
                     AtomicRef(reads[csr_.target[a]]).fetch_add(1u, Order::Relaxed);
                 });
  }
  layout.cache = std::make_unique<ListCache>(
      *ctx_, csr_, options_.cache, room, entries.bytes(),
      [&](EdgeId first, EdgeId count, std::byte* to) { entries.write(first, count, to); }, reads);
}

std::optional<AnyEdges> GpuSource::whole(const SweepOptions& options) const {
  const Layout& l = const_cast<GpuSource*>(this)->layout(options.weights);
  const EdgeId* const offset = offset_.data();
  const auto* target = static_cast<const VertexId*>(l.target.at);
  const auto* weight = static_cast<const Weight*>(l.weight.at);
  if (l.wide)
    return WideEdges{offset, static_cast<const std::uint64_t*>(l.target.at), weight, options.first};
  if (l.interleaved) {
    const InterleavedEdges far{offset, static_cast<const Entry*>(l.target.at), options.first};
    if (!l.cache) return far;
    const InterleavedEdges near{nullptr, reinterpret_cast<const Entry*>(l.cache->data()),
                                options.first};
    return CachedEdges<InterleavedEdges>{far, near, l.cache->index(), l.cache->unit_shift(),
                                         options.near_only};
  }
  const FlatEdges far{offset, target, weight, 0, options.first};
  if (!l.cache) return far;
  const FlatEdges near{nullptr, reinterpret_cast<const VertexId*>(l.cache->data()), nullptr, 0,
                       options.first};
  return CachedEdges<FlatEdges>{far, near, l.cache->index(), l.cache->unit_shift(),
                                options.near_only};
}

void GpuSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                      FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  Pass all{ctx.devices()[0], *whole(options), 0, vertices()};
  all.remote = place_ != Place::Device;
  all.access = options_.access;
  if (place_ == Place::Host) all.link = window(layout(options.weights));
  pass(all);
}

void GpuSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const Layout& l = layout(false);
  if (l.wide) throw Error(ErrorCode::Usage, "triangles are counted with ids of 4 bytes, not 8");
  const AnyEdges all = *whole({});
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

LinkWindow GpuSource::window(const Layout& layout) const {
  // Targets and weights may be two blocks: device memory never lies between host blocks.
  LinkWindow link{~std::uintptr_t{0}, 0, const_cast<unsigned long long*>(counts_.data())};
  for (const EdgeArray* array : {&layout.target, &layout.weight}) {
    if (!array->at) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(array->at);
    link.first = std::min(link.first, first);
    link.last = std::max(link.last, first + array->bytes);
  }
  return link;
}

EdgeId GpuSource::near_edges() const {
  return plain_ && plain_->cache ? plain_->cache->edges() : 0;
}

Traffic GpuSource::traffic() const {
  Traffic sum;
  if (counts_.empty()) return sum;
  unsigned long long counts[2];
  ctx_->copy(counts, counts_.data(), sizeof(counts));
  sum.requests = counts[0];
  sum.bytes = counts[1];
  return sum;
}

void GpuSource::prepare(const Context& ctx, const SweepOptions& options) {
  // Hints go first: a cache takes what is left.
  const bool wants_hints = options.hints && hint_.empty() && place_ != Place::Managed;
  if (wants_hints) hint_ = Array<VertexId>(vertices(), ctx.devices()[0].memory());
  Layout& l = layout(options.weights);
  if (wants_hints)
    std::visit(
        [&](const auto& view) {
          if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(view)>, DynamicEdges>)
            cuda::find_hints(*ctx.devices()[0].gpu(), view, vertices(), hint_.data());
        },
        *whole({}));
  if (place_ != Place::Managed) return;
  // Every run starts cold (or, when asked for, with as much as fits already there).
  const cuda::Gpu& gpu = *ctx.devices()[0].gpu();
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
      const std::size_t fits = std::min(bytes, ctx.devices()[0].memory()->available() / 2);
      cuda::check(cudaMemPrefetchAsync(data, fits, device, 0, gpu.stream()),
                  "prefetching unified memory");
    }
  }
  gpu.wait();
}

}  // namespace fathom
