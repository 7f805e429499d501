// What a StreamSource takes of each device's memory: offsets, tables and frames, and how they give
// way.
#include <algorithm>

#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/residency/paged/table_sizes.hpp"
#include "fathom/residency/spare_memory.hpp"
#include "fathom/residency/ssd/section_reads.hpp"

namespace fathom {
namespace {

// Bytes per page of each device's tables, whatever the layout, and more.
constexpr std::size_t kTablesPerPage = 64;

}  // namespace

StreamSource::StreamSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
                           const PagingOptions& options)
    : EdgeSource(supply->vertices(), supply->edges(), supply->weighted()),
      ctx_(&ctx),
      supply_(std::move(supply)),
      fences_(ctx),
      on_host_(!ctx.separate()),
      pages_(supply_->pages()),
      deal_(PageDeal::of(pages_, supply_->page_bytes(),
                         supply_->shared_by_ranks() ? ctx.replicas() : ctx.devices().size())),
      strategy_(ctx.separate() ? options.strategy : Strategy::Performance),
      options_(options) {
  devices_.resize(ctx.devices().size());
  try {
    prepare_devices();
    enter_host_memory();
  } catch (...) {  // no destructor follows, and pools and the context must not keep what goes
    withdraw();
    throw;
  }
}

void StreamSource::prepare_devices() {
  const Context& ctx = *ctx_;
  for (const Device& device : ctx.devices()) {
    DevicePages& d = on(device);
    d.device = &device;
    const std::size_t before = supply_->shared_by_ranks() ? ctx.first_replica() : 0;
    d.turn = static_cast<std::uint32_t>(before) + static_cast<std::uint32_t>(device.index());
    const std::size_t offsets = static_cast<std::size_t>(vertices()) + 1;
    // Where state is split they are not needed: whether they fit shows when they are.
    const std::size_t needed = offsets * sizeof(EdgeId) + pages_ * kTablesPerPage;
    if (on_host_ || (strategy_ != Strategy::Scalability && device.memory()->available() >= needed))
      d.offset = Array<EdgeId>(offsets, device.memory());
    d.wanted = Array<std::uint64_t>((pages_ + 63) / 64, device.memory());
    d.copies = FrameCopies::of(ctx, device, pages_, options_.trace.get());
    prepare_in_place(d);
  }
  for (DevicePages& d : devices_) {
    SpareMemory& spare = SpareMemory::of(*d.device->memory());
    d.frames_handle = spare.enlist(
        {[&d] {
           if (!d.sweeping) release_frames(d);
         },
         [&d] { return d.sweeping ? 0 : d.data.size() + d.weight_data.size(); }, nullptr});
    d.offsets_handle =
        spare.enlist({[&d] {
                        if (!d.sweeping) d.offset = {};
                      },
                      [&d] { return d.sweeping ? 0 : d.offset.size() * sizeof(EdgeId); }, nullptr});
    d.hints_handle = spare.enlist(
        {[&d] { d.hint = {}; }, [&d] { return d.hint.size() * sizeof(VertexId); }, nullptr});
  }
}

StreamSource::~StreamSource() {
  withdraw();
}

void StreamSource::withdraw() noexcept {
  for (DevicePages& d : devices_) {
    for (const int handle : {d.frames_handle, d.offsets_handle, d.hints_handle})
      if (handle >= 0) SpareMemory::of(*d.device->memory()).leave(handle);
    if (d.copies) d.copies->settle(true);  // of an interrupted run, passes too may be under way
  }
  for (const std::byte* memory : pinned_) ctx_->unpin_host(memory);
}

void StreamSource::load_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> also) {
  const Holds held = hold_offsets();
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (DevicePages& d : devices_)
      if (!d.offset.empty())
        ctx_->copy(d.offset.data() + first, offset.data(), offset.size_bytes());
    also(first, offset);
  });
}

void StreamSource::keep_offsets_in_run() {
  for (const DevicePages& d : devices_)
    SpareMemory::of(*d.device->memory()).hold_within_run(d.offsets_handle);
}

StreamSource::Holds StreamSource::hold_offsets() const {
  Holds held;
  for (const DevicePages& d : devices_)
    held.push_back(SpareMemory::of(*d.device->memory()).hold(d.offsets_handle));
  return held;
}

StreamSource::Holds StreamSource::offsets_held() {
  Holds held = hold_offsets();
  need_offsets();
  return held;
}

void StreamSource::need_offsets() {
  keep_offsets_in_run();  // first, for those that are there must outlast that others are loaded
  std::vector<DevicePages*> without;
  for (DevicePages& d : devices_)
    if (d.offset.empty()) without.push_back(&d);
  if (without.empty()) return;
  // Offsets count as there when all of them are: a device that has no room, or a read that fails,
  // leaves none.
  std::vector<Array<EdgeId>> loaded;
  loaded.reserve(without.size());
  for (const DevicePages* d : without)
    loaded.emplace_back(static_cast<std::size_t>(vertices()) + 1, d->device->memory());
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (Array<EdgeId>& to : loaded)
      ctx_->copy(to.data() + first, offset.data(), offset.size_bytes());
  });
  for (std::size_t i = 0; i < without.size(); ++i) without[i]->offset = std::move(loaded[i]);
}

const EdgeId* StreamSource::offsets(const Device& device) {
  DevicePages& d = on(device);
  if (split_)  // where that of vertex 0 would be
    return reinterpret_cast<const EdgeId*>(reinterpret_cast<std::uintptr_t>(d.shown.data()) -
                                           d.first_shown * sizeof(EdgeId));
  need_offsets();
  return d.offset.data();
}

EdgeId StreamSource::offset_at(VertexId v) {
  if (const auto lists = supply_->arrays()) return lists->offset[v];
  if (!host_offset_.empty()) return host_offset_[v];
  if (devices_[0].offset.empty()) need_offsets();
  EdgeId offset = 0;
  ctx_->copy(&offset, devices_[0].offset.data() + v, sizeof(offset));
  return offset;
}

std::size_t StreamSource::least_sweep_memory() const {
  if (!on_host_) return 0;
  const std::size_t least = std::max(frame_bytes(false), SectionReads::kBlockBytes);
  return std::max(least, supply_->least_block(false) / 2) + SectionReads::kAlignment;
}

std::size_t StreamSource::table_bytes() const {
  const std::size_t lines = devices_[0].lines.size();
  return detail::page_bits_bytes(pages_) + layout_table_bytes() +
         (lines > 0 ? lines * sizeof(std::uint32_t) + 16 : 0);
}

std::size_t StreamSource::held_on(const Device& device) const {
  const DevicePages& d = devices_[static_cast<std::size_t>(device.index())];
  return d.data.size() + d.weight_data.size() +
         (d.offset.size() + d.shown.size()) * sizeof(EdgeId) + d.hint.size() * sizeof(VertexId) +
         table_bytes();
}

std::size_t StreamSource::frame_room(const DevicePages& d) const {
  const std::size_t available = d.device->memory()->available();
  // Half of what is left goes to frames: the other direction's source and state yet to come get
  // the rest. A GPU's frames are its cache, and how many sources share it is known.
  if (!d.device->gpu() || split_) return available / 2;
  return room_for_frames(available, edges(), options_.sources);
}

void StreamSource::obtain_frames(DevicePages& d, bool weights, FunctionRef<std::size_t()> room,
                                 std::size_t most) {
  SpareMemory::of(*d.device->memory()).use(d.frames_handle);
  if (pages_ == 0 || (d.table.size() > 0 && (!weights || !d.weight_data.empty()))) return;
  release_frames(d);
  const std::size_t bytes = room();
  const std::size_t page = supply_->page_bytes(), each = page * (weights ? 2 : 1);
  // An unlimited memory still is not filled with frames that no page will use.
  if (most == 0) most = split_ ? pages_ : deal_.count(d.turn, pages_);
  std::size_t frames = std::min(most, bytes / each);
  if (options_.frames > 0) frames = std::min(most, options_.frames);
  frames = std::max<std::size_t>(frames, 1);
  // Both or none: caches, this one too, may be asked to give way for the second.
  Array<std::byte> data(frames * page, d.device->memory()), weight_data;
  if (weights) weight_data = Array<std::byte>(frames * page, d.device->memory());
  FrameTable table(frames, pages_, page, options_.cache);
  d.has_weights.assign(frames, 0);
  d.data = std::move(data);
  d.weight_data = std::move(weight_data);
  d.table = std::move(table);
}

void StreamSource::note_cache_bytes() {
  std::size_t all = 0;
  for (const DevicePages& d : devices_) all += d.data.size() + d.weight_data.size();
  cache_bytes_ = std::max(cache_bytes_, all);
}

void StreamSource::release_frames(DevicePages& d) {
  d.copies->settle(false);
  d.table.clear();
  d.data = {};
  d.weight_data = {};
}

}  // namespace fathom
