#include "fathom/residency/paged/stream_source.hpp"

#include <algorithm>
#include <iterator>

#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/pin_host.hpp"
#endif
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
      strategy_(ctx.separate() ? options.strategy : Strategy::Performance),
      options_(options) {
  replica_.resize(ctx.devices().size());
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
    Replica& r = replica_[static_cast<std::size_t>(device.index())];
    r.device = &device;
    const std::size_t offsets = static_cast<std::size_t>(vertices()) + 1;
    // Where state is split they are not needed: whether they fit shows when they are.
    const std::size_t needed = offsets * sizeof(EdgeId) + pages_ * kTablesPerPage;
    if (on_host_ || (strategy_ != Strategy::Scalability && device.memory()->available() >= needed))
      r.offset = Array<EdgeId>(offsets, device.memory());
    r.wanted = Array<std::uint64_t>((pages_ + 63) / 64, device.memory());
    r.copies = FrameCopies::of(ctx, device, pages_, options_.trace.get());
    prepare_in_place(r);
  }
  for (Replica& r : replica_) {
    SpareMemory& spare = SpareMemory::of(*r.device->memory());
    r.frames_handle = spare.enlist(
        {[this, &r] {
           if (!sweeping_) release_frames(r);
         },
         [this, &r] { return sweeping_ ? 0 : r.data.size() + r.weight_data.size(); }, nullptr});
    r.offsets_handle = spare.enlist(
        {[this, &r] {
           if (!sweeping_) r.offset = {};
         },
         [this, &r] { return sweeping_ ? 0 : r.offset.size() * sizeof(EdgeId); }, nullptr});
  }
}

void StreamSource::enter_host_memory() {
  for (const auto& memory : supply_->host_memory()) fences_.add(memory);
  pin(false);
}

/// GPUs may copy out of the supply's memory before all of it is pinned.
void StreamSource::pin(bool weights) {
  if (asked_to_pin_[weights]) return;
  pinned_.reserve(2);
  asked_to_pin_[weights] = true;
  const std::span<const std::byte> memory = supply_->page_memory(weights);
  if (!memory.empty() && ctx_->pin_host(memory.data(), memory.size()))
    pinned_.push_back(memory.data());
}

StreamSource::~StreamSource() {
  withdraw();
}

void StreamSource::withdraw() noexcept {
  for (Replica& r : replica_) {
    for (const int handle : {r.frames_handle, r.offsets_handle})
      if (handle >= 0) SpareMemory::of(*r.device->memory()).leave(handle);
    if (r.copies) r.copies->settle(true);  // of an interrupted run, passes too may be under way
  }
  for (const std::byte* memory : pinned_) ctx_->unpin_host(memory);
}

void StreamSource::prepare_in_place(Replica& r) {
  const bool copies_all =
      options_.page_move == PageMove::Copy || strategy_ == Strategy::Scalability || on_host_;
  const LinkProfile* const link =
      r.copies->link() ? r.copies->link() : options_.emulated_link.get();
  const bool by_cost = options_.page_move == PageMove::Auto;
  if (copies_all || pages_ == 0 || (by_cost && !link)) return;
  if (by_cost)
    r.choice.emplace(*link, ZeroCopyWay::Register, pages_ * std::uint64_t{supply_->page_bytes()},
                     supply_->page_bytes());
  r.lines = Array<std::uint32_t>(pages_, r.device->memory());
  r.link_count = Array<unsigned long long>(2, r.device->memory());
  const unsigned long long none = 0;
  ctx_->fill(*r.device, r.link_count.data(), r.link_count.size(), &none, sizeof(none));
}

void StreamSource::load_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> also) {
  const Holds held = hold_offsets();
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (Replica& r : replica_)
      if (!r.offset.empty())
        ctx_->copy(r.offset.data() + first, offset.data(), offset.size_bytes());
    also(first, offset);
  });
}

void StreamSource::keep_offsets_in_run() {
  for (const Replica& r : replica_)
    SpareMemory::of(*r.device->memory()).hold_within_run(r.offsets_handle);
}

StreamSource::Holds StreamSource::hold_offsets() const {
  Holds held;
  for (const Replica& r : replica_)
    held.push_back(SpareMemory::of(*r.device->memory()).hold(r.offsets_handle));
  return held;
}

StreamSource::Holds StreamSource::offsets_held() {
  Holds held = hold_offsets();
  need_offsets();
  return held;
}

void StreamSource::prepare(const Context&, const SweepOptions&) {
  if (!split_) keep_offsets_in_run();
}

void StreamSource::need_offsets() {
  keep_offsets_in_run();  // first, for those that are there must outlast that others are loaded
  std::vector<Replica*> without;
  for (Replica& r : replica_)
    if (r.offset.empty()) without.push_back(&r);
  if (without.empty()) return;
  // Offsets count as there when all of them are: a device that has no room, or a read that fails,
  // leaves none.
  std::vector<Array<EdgeId>> loaded;
  loaded.reserve(without.size());
  for (const Replica* r : without)
    loaded.emplace_back(static_cast<std::size_t>(vertices()) + 1, r->device->memory());
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (Array<EdgeId>& to : loaded)
      ctx_->copy(to.data() + first, offset.data(), offset.size_bytes());
  });
  for (std::size_t i = 0; i < without.size(); ++i) without[i]->offset = std::move(loaded[i]);
}

std::size_t StreamSource::least_sweep_memory() const {
  if (!on_host_) return 0;
  return std::max(frame_bytes(false), SectionReads::kBlockBytes) + SectionReads::kAlignment;
}

std::size_t StreamSource::table_bytes() const {
  const std::size_t lines = replica_[0].lines.size();
  return detail::page_bits_bytes(pages_) + layout_table_bytes() +
         (lines > 0 ? lines * sizeof(std::uint32_t) + 16 : 0);
}

std::size_t StreamSource::held_on(const Device& device) const {
  const Replica& r = replica_[static_cast<std::size_t>(device.index())];
  return r.data.size() + r.weight_data.size() +
         (r.offset.size() + r.shown.size()) * sizeof(EdgeId) + table_bytes();
}

const EdgeId* StreamSource::offsets(const Device& device) {
  Replica& r = replica_[static_cast<std::size_t>(device.index())];
  if (split_)  // where that of vertex 0 would be
    return reinterpret_cast<const EdgeId*>(reinterpret_cast<std::uintptr_t>(r.shown.data()) -
                                           r.first_shown * sizeof(EdgeId));
  need_offsets();
  return r.offset.data();
}

Traffic StreamSource::traffic() const {
  Traffic sum = traffic_;
  sum.disk = supply_->traffic();
  for (const Replica& r : replica_) {
    if (r.link_count.empty()) continue;
    unsigned long long in_place[2];
    ctx_->copy(in_place, r.link_count.data(), sizeof(in_place));
    sum.requests += in_place[0];
    sum.bytes += in_place[1];
  }
  if (on_host_) {  // the supply's buffer is the cache
    sum.cache_hits += sum.disk.page_hits;
    sum.cache_misses += sum.disk.page_misses;
  }
  return sum;
}

std::size_t StreamSource::frame_room(const Replica& r) const {
  const std::size_t available = r.device->memory()->available();
  // Half of what is left goes to frames: the other direction's source and state yet to come get
  // the rest. A GPU's frames are its cache, and how many sources share it is known.
  if (!r.device->gpu() || split_) return available / 2;
  return room_for_frames(available, edges(), options_.sources);
}

void StreamSource::report_host_memory([[maybe_unused]] HostMemoryReport& report) const {
#if FATHOM_WITH_CUDA
  const auto add = [&](const std::byte* memory, const char* way) {
    if (const auto pieces = cuda::host_pins().at(memory)) report.add(block_of(*pieces, way));
  };
  for (const std::byte* memory : pinned_) add(memory, "file");
  add(supply_->block().data(), "buffer");
#endif
}

void StreamSource::obtain_frames(Replica& r, bool weights, FunctionRef<std::size_t()> room) {
  SpareMemory::of(*r.device->memory()).use(r.frames_handle);
  if (pages_ == 0 || (r.table.size() > 0 && (!weights || !r.weight_data.empty()))) return;
  release_frames(r);
  const std::size_t bytes = room();
  const std::size_t page = supply_->page_bytes(), each = page * (weights ? 2 : 1);
  const std::size_t mine = split_ ? pages_ : (pages_ + replica_.size() - 1) / replica_.size();
  // An unlimited memory still is not filled with frames that no page will use.
  std::size_t frames = std::min(mine, bytes / each);
  if (options_.frames > 0) frames = std::min(mine, options_.frames);
  frames = std::max<std::size_t>(frames, 1);
  // Both or none: caches, this one too, may be asked to give way for the second.
  Array<std::byte> data(frames * page, r.device->memory()), weight_data;
  if (weights) weight_data = Array<std::byte>(frames * page, r.device->memory());
  FrameTable table(frames, pages_, page, options_.cache);
  r.has_weights.assign(frames, 0);
  r.data = std::move(data);
  r.weight_data = std::move(weight_data);
  r.table = std::move(table);
  std::size_t all = 0;
  for (const Replica& other : replica_) all += other.table.size() * each;
  cache_bytes_ = std::max(cache_bytes_, all);
}

void StreamSource::release_frames(Replica& r) {
  r.copies->settle(false);
  r.table.clear();
  r.data = {};
  r.weight_data = {};
}

void StreamSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                         FunctionRef<void(const Pass&)> pass) {
  refuse_if_split();
  // Bitmaps of a GPU are not counted for this.
  if (ctx.on_gpu() ? active.form() == Frontier::Form::List : active.empty()) return;
  if (pages_ == 0) return;
  const auto held = offsets_held();
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  SweepOptions shown = options;
  shown.weights = options.weights && weighted();
  if (on_host_)
    return sweep_on_host(ctx, wanted_pages(ctx, replica_[0], active, options).pages, shown, pass);
  const bool weights = shown.weights && supply_->weight_pages();
  std::vector<Wanted> wanted;
  for (Replica& r : replica_) {
    wanted.push_back(wanted_pages(ctx, r, active, options));
    obtain_frames(r, weights, [&] { return frame_room(r); });
  }
  deliver(
      ctx, wanted, shown,
      [&](Replica& r, const Pages& pages) {
        by_technique(pages, [&](Technique technique, const Pages& some) {
          Pages frames;
          const std::vector<PageEntry> entries = entries_of(r, some, weights, frames);
          show(r, entries, frames, shown, technique, pass);
        });
      },
      [&](Replica& r, const std::vector<PageEntry>& pages) {
        show_in_place(r, pages, shown, pass);
      });
}

void StreamSource::by_technique(const Pages& pages,
                                FunctionRef<void(Technique, const Pages&)> show) const {
  if (options_.technique != Technique::Hybrid) return show(options_.technique, pages);
  const auto edges_each = static_cast<double>(edges()) / static_cast<double>(pages_);
  Pages sparse, dense;
  for (const std::size_t page : pages) {
    const auto vertices = static_cast<double>(end_of(page) - first_on(page));
    (edges_each < kSparseDegree * vertices ? sparse : dense).push_back(page);
  }
  if (!sparse.empty()) show(Technique::VertexCentric, sparse);
  if (!dense.empty()) show(Technique::EdgeCentric, dense);
}

StreamSource::Wanted StreamSource::all_pages(const Replica& r) const {
  Wanted all;
  for (auto p = static_cast<std::size_t>(r.device->index()); p < pages_; p += replica_.size())
    all.pages.push_back(p);
  if (!r.lines.empty()) all.lines.assign(pages_, lines_of(0, supply_->page_bytes()));
  return all;
}

StreamSource::Wanted StreamSource::wanted_pages(const Context& ctx, Replica& r,
                                                const Frontier& active,
                                                const SweepOptions& options) {
  const bool whole = active.form() == Frontier::Form::All && options.first == kWholeList;
  if (whole && (r.lines.empty() || !options.stops_early)) return all_pages(r);
  Wanted wanted;
  const auto turn = static_cast<std::size_t>(r.device->index());
  if (!r.lines.empty()) {
    const std::uint32_t none = 0;
    ctx.fill(*r.device, r.lines.data(), r.lines.size(), &none, sizeof(none));
    count_lines(*r.device, active.on(*r.device), options.first,
                options.stops_early ? PageChoice::kEarlyLines : ~std::uint32_t{0}, r.lines.data());
    wanted.lines.resize(pages_);
    ctx.copy(wanted.lines.data(), r.lines.data(), pages_ * sizeof(std::uint32_t));
    for (std::size_t p = turn; p < pages_; p += replica_.size())
      if (wanted.lines[p] > 0) wanted.pages.push_back(p);
    return wanted;
  }
  std::vector<std::uint64_t> marked(r.wanted.size());
  const std::uint64_t none = 0;
  ctx.fill(*r.device, r.wanted.data(), r.wanted.size(), &none, sizeof(none));
  mark_pages(r.device, active.on(*r.device), options.first, r.wanted.data());
  ctx.copy(marked.data(), r.wanted.data(), marked.size() * sizeof(marked[0]));
  for (std::size_t p = turn; p < pages_; p += replica_.size())
    if ((marked[p / 64] >> (p % 64) & 1) != 0) wanted.pages.push_back(p);
  return wanted;
}

void StreamSource::sweep_on_host(const Context& ctx, const Pages& wanted,
                                 const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  const std::size_t most = options_.frames > 0 ? options_.frames : pages_;
  const StopSupply stop{*supply_};
  clear_table(replica_[0]);
  supply_->start(wanted, options.weights);
  cache_bytes_ = std::max(cache_bytes_, supply_->block().size());
  std::vector<PageEntry> now;
  while (auto page = supply_->next()) {
    ctx.task().check();
    now.clear();
    do {
      now.push_back({page->page, page->data, page->weight_data});
    } while (now.size() < most && (page = supply_->try_next()));
    show(replica_[0], now, {}, options, Technique::ByLength, pass);
    for (const PageEntry& s : now) supply_->release(s.page);
  }
}

void StreamSource::clear_table(Replica& r) {
  if (!r.shows_pages) return;
  const void* const nowhere = nullptr;
  const PageTable table = page_table(*r.device, weighted() && supply_->weight_pages());
  ctx_->fill(*r.device, table.data, pages_, &nowhere, sizeof(nowhere));
  if (table.weight) ctx_->fill(*r.device, table.weight, pages_, &nowhere, sizeof(nowhere));
  r.shows_pages = false;
}

std::vector<PageEntry> StreamSource::entries_of(const Replica& r, const Pages& pages, bool weights,
                                                Pages& frames) const {
  std::vector<PageEntry> entries;
  for (const std::size_t page : pages) {
    frames.push_back(r.table.frame_of(page));
    const std::size_t at = frames.back() * supply_->page_bytes();
    entries.push_back({page, r.data.data() + at, weights ? r.weight_data.data() + at : nullptr});
  }
  return entries;
}

void StreamSource::show(Replica& r, const std::vector<PageEntry>& pages, const Pages& frames,
                        const SweepOptions& options, Technique technique,
                        FunctionRef<void(const Pass&)> pass) {
  const auto [lowest, highest] =
      std::minmax_element(pages.begin(), pages.end(),
                          [](const PageEntry& a, const PageEntry& b) { return a.page < b.page; });
  const PageTable table = page_table(*r.device, options.weights && supply_->weight_pages());
  ++passes_;
  r.shows_pages = true;
  r.copies->begin_pass(table, pages);
  Pass shown{*r.device, view(*r.device, options), first_on(lowest->page), end_of(highest->page)};
  shown.technique = technique;
  pass(shown);
  r.copies->end_pass(table, pages, frames, pages.size() * supply_->page_bytes());
  r.shows_pages = false;
}

void StreamSource::show_in_place(Replica& r, const std::vector<PageEntry>& pages,
                                 const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  Pages ids;
  for (const PageEntry& entry : pages) ids.push_back(entry.page);
  std::sort(ids.begin(), ids.end());
  by_technique(ids, [&](Technique technique, const Pages& some) {
    std::vector<PageEntry> entries;
    std::copy_if(pages.begin(), pages.end(), std::back_inserter(entries),
                 [&](const PageEntry& entry) {
                   return std::binary_search(some.begin(), some.end(), entry.page);
                 });
    show(r, entries, {}, options, technique, [&](const Pass& shown) {
      Pass in_place = shown;
      in_place.remote = true;
      // All that such a pass reads of edges is there.
      if (r.device->gpu()) in_place.link = {0, ~std::uintptr_t{0}, r.link_count.data()};
      pass(in_place);
    });
  });
}

EdgeId StreamSource::offset_at(VertexId v) {
  if (!host_offset_.empty()) return host_offset_[v];
  if (replica_[0].offset.empty()) need_offsets();
  EdgeId offset = 0;
  ctx_->copy(&offset, replica_[0].offset.data() + v, sizeof(offset));
  return offset;
}

}  // namespace fathom
