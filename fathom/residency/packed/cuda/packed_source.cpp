#include "fathom/residency/packed/cuda/packed_source.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/packed/cuda/copy_groups.hpp"
#include "fathom/residency/packed/packed_list_reader.hpp"
#include "fathom/residency/packed/packed_places.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 20;  // copied between looks at an interrupt
constexpr std::uint64_t kGroupsAtOnce = 1u << 14;      // located, 16 M edges

}  // namespace

PackedSource::PackedSource(const Context& ctx, const store::PackedLists& lists,
                           std::shared_ptr<const void> owner, Place place,
                           const GpuEdgeOptions& options)
    : EdgeSource(lists.vertices, lists.edges, static_cast<bool>(lists.weights)),
      ctx_(&ctx),
      lists_(lists),
      owner_(std::move(owner)),
      place_(place),
      options_(options),
      offset_(lists.vertices + std::size_t{1}, ctx.devices()[0].memory()),
      group_(lists.index.size(), ctx.devices()[0].memory()),
      block_(blocks_before(lists.groups(), lists.edges), ctx.devices()[0].memory()),
      value_(lists.weights.values.size(), ctx.devices()[0].memory()),
      hints_(ctx.devices()[0], lists.vertices),
      counts_(ctx) {
  if (options.id_bytes != GpuEdgeOptions::kPlainIdBytes)
    throw Error(ErrorCode::Usage, "packed lists have ids of " +
                                      std::to_string(lists.layout.id_bits) + " bits, not of " +
                                      std::to_string(options.id_bytes) + " bytes");
  ctx.copy(offset_.data(), lists.offset, offset_.size() * sizeof(EdgeId));
  ctx.copy(group_.data(), lists.index.data(), lists.index.size_bytes());
  if (!value_.empty())
    ctx.copy(value_.data(), lists.weights.values.data(), lists.weights.values.size_bytes());
  find_blocks();
  const std::uint64_t words = lists.index.empty() ? 0 : lists.index.back();
  words_.there = std::as_bytes(std::span(lists.words, static_cast<std::size_t>(words)));
  if (lists.weights)
    weights_.there = {lists.weights.at,
                      static_cast<std::size_t>(lists.edges) * lists.weights.entry_bytes()};
  if (place != Place::Device) counts_.begin();
  handle_ = spare().enlist({[this] {
                              cache_.reset();
                              drop();
                            },
                            [this] {
                              return words_.on_device.size() + weights_.on_device.size() +
                                     (cache_ ? cache_->bytes() : 0);
                            },
                            [this](std::size_t bytes) { fill_cache(bytes); }});
}

PackedSource::~PackedSource() {
  ctx_->devices()[0].gpu()->settle();  // kernels of an interrupted run may read host memory
  spare().leave(handle_);
}

SpareMemory& PackedSource::spare() const {
  return SpareMemory::of(*ctx_->devices()[0].memory());
}

void PackedSource::find_blocks() {
  std::vector<std::uint32_t> some;
  for (std::uint64_t first = 0, last; first < lists_.groups(); first = last) {
    ctx_->task().check();
    last = std::min(first + kGroupsAtOnce, lists_.groups());
    const std::uint64_t begin = blocks_before(first, edges());
    some.resize(static_cast<std::size_t>(blocks_before(last, edges()) - begin));
    locate_blocks(lists_, first, last, ctx_->threads(), some);
    ctx_->copy(block_.data() + begin, some.data(), some.size() * sizeof(some[0]));
  }
}

bool PackedSource::goes_near() const {
  if (place_ != Place::DeviceIfRoom) return place_ == Place::Device;
  return spare().room() >= words_.there.size() + (reads_weights_ ? weights_.there.size() : 0);
}

void PackedSource::place_for(bool weights) {
  reads_weights_ = reads_weights_ || (weights && weighted());
  const bool fresh = !words_.at;
  if (fresh) place(words_, goes_near());
  if (reads_weights_ && !weights_.at) place(weights_, words_.near);
  if (!fresh || spare().in_run() || cache_use() == 0) return;
  // Of a run that has not said what its vertex state takes.
  const std::size_t left = spare().room(),
                    state = kBesideCaches + vertices() * detail::kStatePerVertex;
  fill_cache(std::min(cache_use(), left > state ? left - state : 0));
}

void PackedSource::place(Part& part, bool near) {
  if (near) {
    try {
      return place_near(part);
    } catch (const Error& e) {
      if (place_ != Place::DeviceIfRoom || e.code() != ErrorCode::DoesNotFit) throw;
    }
  }
  cuda::Gpu& gpu = *ctx_->devices()[0].gpu();
  if (!part.on_host)  // else from an earlier run
    part.on_host =
        HostBlock::over_link(*ctx_, gpu, options_.host_memory, part.there.data(), part.there.size(),
                             [&](std::size_t first, std::size_t last, std::byte* to) {
                               std::memcpy(to, part.there.data() + first, last - first);
                             });
  part.at = static_cast<const std::byte*>(part.on_host->data());
  part.near = false;
  if (&part == &words_)
    link_ceiling_ = sweep_ceiling(gpu.link(), part.on_host->way(), part.there.size(), 1);
}

/// All of it or, where something is refused or interrupted, nothing: the part stays as it was.
void PackedSource::place_near(Part& part) {
  Array<std::byte> brought(part.there.size(), ctx_->devices()[0].memory());
  for (std::size_t first = 0; first < brought.size(); first += kPiece) {
    ctx_->task().check();
    ctx_->copy(brought.data() + first, part.there.data() + first,
               std::min(kPiece, brought.size() - first));
  }
  part.on_device = std::move(brought);
  part.at = part.on_device.data();
  part.near = true;
  if (&part == &words_) link_ceiling_ = 0;
}

/// What gives way: arrays in device memory. Those in host memory stay, they are no cache.
void PackedSource::drop() {
  for (Part* const part : {&words_, &weights_}) {
    if (!part->near) continue;
    part->on_device = {};
    part->at = nullptr;
    part->near = false;
  }
}

std::size_t PackedSource::cache_use() const {
  if (!words_.at || words_.near || options_.cache == CachePolicy::None) return 0;
  const std::uint64_t ahead = words_of_weights(lists_.weights, reads_weights_);
  const std::size_t all =
      words_.there.size() + lists_.groups() * (ahead * sizeof(std::uint32_t) + sizeof(group_[0]));
  return options_.cache_bytes > 0 ? std::min(options_.cache_bytes, all) : all;
}

void PackedSource::fill_cache(std::size_t bytes) {
  const std::size_t places = lists_.groups() * sizeof(std::uint64_t);
  if (!words_.at || words_.near || bytes < places + places / 4) {
    cache_.reset();
    return;
  }
  if (cache_ && cache_->bytes() <= bytes && cache_->weights == reads_weights_ &&
      static_cast<double>(cache_->made_for) >= kEnoughOfCache * static_cast<double>(bytes))
    return;
  cache_.reset();
  try {
    const GroupChoice choice =
        choose_groups(lists_, options_.cache, (bytes - places) / sizeof(std::uint32_t),
                      reads_weights_, ctx_->threads(), ctx_->host_memory());
    const auto& memory = ctx_->devices()[0].memory();
    auto made = std::make_unique<Cache>();
    made->place = Array<std::uint64_t>(choice.place.size(), memory);
    made->words = Array<std::uint32_t>(choice.words, memory);
    made->weights = reads_weights_;
    made->edges = choice.edges;
    made->made_for = bytes;
    ctx_->copy(made->place.data(), choice.place.data(), places);
    cuda::copy_groups(*ctx_->devices()[0].gpu(), view({kWholeList, reads_weights_}),
                      made->place.data(), reads_weights_, made->words.data());
    cache_ = std::move(made);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
}

PackedEdges PackedSource::view(const SweepOptions& options) const {
  PackedEdges edges;
  edges.offset = offset_.data();
  edges.words = reinterpret_cast<const std::uint32_t*>(words_.at);
  edges.place = group_.data();
  edges.block = block_.data();
  if (options.weights && weighted()) {
    edges.weight = weights_.at;
    edges.values = value_.data();
  }
  edges.edges = this->edges();
  edges.id_bits = lists_.layout.id_bits;
  edges.code_bytes = static_cast<std::uint8_t>(lists_.weights.code_bytes);
  edges.limit = options.first;
  if (cache_) {
    edges.place = cache_->place.data();
    edges.near = cache_->words.data();
    edges.near_weights = cache_->weights;
  }
  return edges;
}

std::optional<AnyEdges> PackedSource::whole(const SweepOptions& options) const {
  const_cast<PackedSource*>(this)->place_for(options.weights);
  spare().hold_for_run(handle_);
  return view(options);
}

void PackedSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                         FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  place_for(options.weights);
  const auto held = spare().hold(handle_);  // the operator may allocate
  Pass all{ctx.devices()[0], view(options), 0, vertices()};
  const auto behind_link = [](const Part& part) {
    return part.at && !part.near ? std::span(part.at, part.there.size())
                                 : std::span<const std::byte>();
  };
  all.remote = !words_.near || (options.weights && weights_.at && !weights_.near);
  if (all.remote) all.link = counts_.window({behind_link(words_), behind_link(weights_)});
  pass(all);
}

void PackedSource::sweep_pairs(const Context&, FunctionRef<void(const PairPass&)>) {
  throw Error(ErrorCode::Usage, "triangles are counted in lists in CSR, not in packed ones");
}

void PackedSource::prepare(const Context&, const SweepOptions& options) {
  place_for(options.weights);
  spare().use(handle_);
  if (place_ == Place::DeviceIfRoom && words_.near != goes_near()) {
    // The vertex state of this run leaves more, or less, than that of the last one.
    cache_.reset();
    drop();
    words_.at = weights_.at = nullptr;
    place_for(options.weights);
  }
  if (words_.near) spare().hold_for_run(handle_);
  // Hints go first: a cache takes what is left.
  if (options.hints == Hints::Always ||
      (options.hints == Hints::Far && (!words_.near || !hints_.empty())))
    hints_.prepare(
        [&] {
          place_for(false);
          return handle_;
        },
        [&] { return view({}); });
  if (const std::size_t use = cache_use(); use > 0) spare().want(handle_, use);
}

void PackedSource::report_host_memory(HostMemoryReport& report) const {
  for (const Part* const part : {&words_, &weights_})
    if (part->on_host) report.add(part->on_host->report());
}

std::unique_ptr<ListReader> PackedSource::read_lists() {
  return std::make_unique<PackedListReader>(lists_);
}

}  // namespace fathom
