// Pages of a StreamSource that are in memory, shown to one device: found in its frames, read in
// place, or copied, a batch ahead of the kernels.
//
// Each GPU is served by a thread of its own: what operators do with a pass may wait for its device,
// and the start of a batch may wait for room in the driver's queues; neither then holds up another
// device's link.
#include <algorithm>
#include <optional>

#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/residency/raised.hpp"

namespace fathom {
namespace {

/// Pages of a sweep that was interrupted may not have arrived: none counts as being there.
class WholeSweep {
 public:
  explicit WholeSweep(FrameTable& table) : table_(table) {}
  ~WholeSweep() {
    if (!complete_) table_.forget_all();
  }
  WholeSweep(const WholeSweep&) = delete;
  WholeSweep& operator=(const WholeSweep&) = delete;
  void complete() { complete_ = true; }

 private:
  FrameTable& table_;
  bool complete_ = false;
};

/// Host memory that kernels of an emulated device read in place meanwhile.
class OpenPages {
 public:
  explicit OpenPages(const Context& ctx) : ctx_(ctx) {}
  ~OpenPages() {
    for (const std::byte* at : open_) ctx_.close_host(at);
  }
  OpenPages(const OpenPages&) = delete;
  OpenPages& operator=(const OpenPages&) = delete;
  void add(const std::byte* at, std::size_t bytes) {
    if (ctx_.on_gpu()) return;
    open_.push_back(at);
    ctx_.open_host(at, bytes);
  }

 private:
  const Context& ctx_;
  std::vector<const std::byte*> open_;
};

}  // namespace

struct StreamSource::Reach {
  struct Memory {
    const std::byte* host = nullptr;
    const std::byte* device = nullptr;  // the same; null: out of reach
    std::size_t bytes = 0;              // that are in reach, from its beginning

    const std::byte* find(const std::byte* at, std::size_t count) const {
      if (!device) return nullptr;
      const auto first = static_cast<std::size_t>(at - host);
      return first + count <= bytes ? device + first : nullptr;
    }
  };
  Memory data, weight;

  /// The page where it is, if the device reaches all of it.
  std::optional<PageEntry> entry_of(const SuppliedPage& page) const {
    const PageEntry entry{
        page.page, data.find(page.data, page.bytes),
        page.weight_data ? weight.find(page.weight_data, page.weight_bytes()) : nullptr};
    if (!entry.data || (page.weight_data && !entry.weight)) return std::nullopt;
    return entry;
  }
};

StreamSource::Reach StreamSource::reach_of(const DevicePages& d, bool weights) const {
  const auto memory_of = [&](bool of_weights) -> Reach::Memory {
    const std::span<const std::byte> memory = supply_->page_memory(of_weights);
    if (const auto bytes = supply_->reach(of_weights))
      return {memory.data(), memory.data(), *bytes};
    return {memory.data(), d.copies->reachable(memory.data(), memory.size()), memory.size()};
  };
  if (d.lines.empty()) return {};
  return {memory_of(false), weights ? memory_of(true) : Reach::Memory{}};
}

void StreamSource::serve(DevicePages& d, const Frontier& active, const SweepOptions& options,
                         FunctionRef<void(const Pass&)> pass) {
  const bool weights = options.weights && supply_->weight_pages();
  obtain_frames(d, weights, [&] { return frame_room(d); });
  const Wanted wanted = wanted_pages(d, active, options);
  const Raised sweeping(d.sweeping);
  d.copies->begin_sweep(d.table.size(), page_table(*d.device, weights));
  d.table.begin_sweep([&](std::size_t page) { return wanted.lines[page] > 0; });
  WholeSweep whole(d.table);

  const Reach reach = reach_of(d, weights);  // what is still to be pinned can be staged, not read
  // Without a cache a copy is used once, as if no frame were free.
  std::size_t empty = options_.cache == PageCache::None ? 0 : d.table.empty();
  Pages here, to_copy;
  Entries in_place;
  OpenPages open(*ctx_);
  for (const std::size_t p : wanted.pages) {
    if (d.table.has(p) && weights && d.has_weights[d.table.frame_of(p)] == 0)
      d.table.forget(p);  // comes again, with weights
    if (d.table.has(p)) {
      here.push_back(p);
      continue;
    }
    const std::uint32_t lines = wanted.lines[p];
    const bool worth_a_copy =
        d.lines.empty() ||
        (d.choice && d.choice->copy(lines, empty > 0 ? PageChoice::kUsesOfKept : 1));
    if (!worth_a_copy) {
      const SuppliedPage page = supply_->page(p, weights);
      if (const auto entry = reach.entry_of(page)) {
        in_place.push_back(*entry);
        open.add(page.data, page.bytes);
        if (weights) open.add(page.weight_data, page.weight_bytes());
        if (!d.device->gpu()) count_in_place(d, lines, page, weights);
        continue;
      }
    }
    to_copy.push_back(p);
    if (empty > 0) --empty;
  }
  d.traffic.cache_hits += here.size();
  d.traffic.cache_misses += to_copy.size();
  const auto show_these = [&](DevicePages& its, const Pages& pages) {
    show_frames(its, pages, options, pass);
    for (const std::size_t page : pages) its.table.shown(page);
  };
  // Batches, so that the first frames are free while the others are still being read.
  for (const Pages& batch : batches_of(here, d.table.batch())) show_these(d, batch);
  if (!in_place.empty()) show(d, in_place, true, options, pass);
  copy_and_show(d, to_copy, weights, show_these);
  d.copies->end_sweep();
  d.table.end_sweep();
  whole.complete();
}

std::vector<StreamSource::Pages> StreamSource::batches_of(const Pages& pages, std::size_t most) {
  std::vector<Pages> batches;
  for (std::size_t at = 0; at < pages.size(); at += most) {
    const auto first = pages.begin() + static_cast<std::ptrdiff_t>(at);
    batches.emplace_back(first,
                         first + static_cast<std::ptrdiff_t>(std::min(most, pages.size() - at)));
  }
  return batches;
}

void StreamSource::copy_and_show(DevicePages& d, const Pages& pages, bool weights,
                                 ShowFrames show_these) {
  const std::vector<Pages> batches = batches_of(pages, d.table.batch());
  const std::uint64_t requests_before = d.copies->requests();
  std::size_t copied = 0;
  auto copy_next = [&] {
    for (const std::size_t p : batches[copied++]) {
      const SuppliedPage page = supply_->page(p, weights);
      const std::size_t frame = d.table.take(p);
      d.has_weights[frame] = weights ? 1 : 0;
      d.copies->copy(frame, pieces_of(d, frame, page, weights).span());
      d.traffic.bytes += page.bytes_moved();
    }
    d.copies->start();
  };
  for (std::size_t k = 0; k < batches.size(); ++k) {
    ctx_->task().check();
    if (copied == k) copy_next();
    d.copies->show_copied();
    // The next batch goes ahead while this one is shown, unless only its frames are left.
    if (copied < batches.size() && d.table.can_take(batches[copied].size())) copy_next();
    show_these(d, batches[k]);
  }
  d.traffic.requests += d.copies->requests() - requests_before;
}

StreamSource::FramePieces StreamSource::pieces_of(DevicePages& d, std::size_t frame,
                                                  const SuppliedPage& page, bool weights) const {
  const std::size_t at = frame * supply_->page_bytes();
  return {{{{d.data.data() + at, page.data, page.bytes, page.encoded, false},
            {weights ? d.weight_data.data() + at : nullptr, page.weight_data, page.weight_bytes(),
             page.encoded, true}}},
          weights ? 2u : 1u};
}

/// Of an emulated device; kernels of GPUs count what they read. Lists that share a line do so once.
void StreamSource::count_in_place(DevicePages& d, std::uint32_t lines, const SuppliedPage& page,
                                  bool weights) {
  const std::uint64_t read =
      std::uint64_t{std::min(lines, lines_of(0, page.bytes))} * (weights ? 2 : 1);
  d.traffic.requests += read;
  d.traffic.bytes += read * kPageLine;
}

}  // namespace fathom
