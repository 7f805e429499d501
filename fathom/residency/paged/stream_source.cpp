#include "fathom/residency/paged/stream_source.hpp"

#include <algorithm>
#include <set>

#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/pin_host.hpp"
#endif
#include "fathom/residency/host_memory.hpp"

namespace fathom {

void StreamSource::enter_host_memory() {
  for (const auto& memory : supply_->host_memory()) fences_.add(memory);
  pin(false);
}

/// GPUs may copy out of the supply's memory before all of it is pinned.
void StreamSource::pin(bool weights) {
  if (asked_to_pin_[weights] || supply_->reach(weights)) return;
  pinned_.reserve(2);
  asked_to_pin_[weights] = true;
  const std::span<const std::byte> memory = supply_->page_memory(weights);
  if (!memory.empty() && ctx_->pin_host(memory.data(), memory.size()))
    pinned_.push_back(memory.data());
}

void StreamSource::make_ready(bool weights, bool whole) {
  pin(weights);
  supply_->make_ready(weights, whole, [&] {
    for (DevicePages& d : devices_) d.copies->settle(true);
  });
}

void StreamSource::prepare(const Context& ctx, const SweepOptions& options) {
  if (split_) return;
  keep_offsets_in_run();
  if (!ctx.on_gpu() || !serves() || strategy_ == Strategy::Scalability) return;
  const bool weights = options.weights && supply_->weight_pages();
  make_ready(weights, reads_all_in_place());
  try {
    // Before the run's state, which they give way to: what that leaves may still be most of it.
    for (DevicePages& d : devices_) obtain_frames(d, weights, [&] { return frame_room(d); });
    note_cache_bytes();
    if (options.hints != Hints::None) prepare_hints();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does with less, or says what it needs
  }
}

void StreamSource::prepare_in_place(DevicePages& d) {
  const bool copies_all = options_.page_move == PageMove::Copy ||
                          strategy_ == Strategy::Scalability || on_host_ || supply_->encoded();
  const LinkProfile* const link =
      d.copies->link() ? d.copies->link() : options_.emulated_link.get();
  const bool by_cost = options_.page_move == PageMove::Auto;
  if (copies_all || pages_ == 0 || (by_cost && !link)) return;
  // The whole cost of a page is in its data: weights beside it double both sides of the comparison.
  if (by_cost)
    d.choice.emplace(*link, supply_->way(), pages_ * std::uint64_t{supply_->page_bytes()},
                     supply_->page_bytes());
  d.lines = Array<std::uint32_t>(pages_, d.device->memory());
  d.link_count = Array<unsigned long long>(2, d.device->memory());
  d.copies->clear(d.link_count.data(), d.link_count.size() * sizeof(d.link_count[0]));
}

double StreamSource::link_ceiling() const {
  double sum = 0;
#if FATHOM_WITH_CUDA
  std::set<int> counted;  // devices on one card share its link
  for (const DevicePages& d : devices_)
    if (d.device->gpu() && serves() && counted.insert(d.device->ordinal()).second)
      sum += d.device->gpu()->link().copies.to_device;
#endif
  return sum;
}

std::uint64_t StreamSource::passes() const {
  std::uint64_t sum = 0;
  for (const DevicePages& d : devices_) sum += d.passes;
  return sum;
}

Traffic StreamSource::traffic() const {
  Traffic sum;
  sum.disk = supply_->traffic();
  for (const DevicePages& d : devices_) {
    sum = sum + d.traffic;
    if (d.link_count.empty()) continue;
    unsigned long long in_place[2];
    d.copies->fetch(in_place, d.link_count.data(), sizeof(in_place));
    sum.requests += in_place[0];
    sum.bytes += in_place[1];
  }
  if (on_host_) {  // the supply's buffer is the cache
    sum.cache_hits += sum.disk.page_hits;
    sum.cache_misses += sum.disk.page_misses;
  }
  return sum;
}

void StreamSource::report_host_memory(HostMemoryReport& report) const {
  supply_->report_host_memory(report);
#if FATHOM_WITH_CUDA
  const auto add = [&](const std::byte* memory, const char* way) {
    if (const auto pieces = cuda::host_pins().at(memory)) report.add(block_of(*pieces, way));
  };
  for (const std::byte* memory : pinned_) add(memory, "file");
  add(supply_->block().data(), "buffer");
#endif
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
    return sweep_on_host(ctx, wanted_pages(devices_[0], active, options).pages, shown, pass);
  const bool weights = shown.weights && supply_->weight_pages();
  make_ready(weights, reads_all_in_place());
  if (serves()) {
    ctx.on_each([&](const Device& device) { serve(on(device), active, shown, pass); });
    return note_cache_bytes();
  }
  std::vector<Wanted> wanted;
  for (DevicePages& d : devices_) {
    wanted.push_back(wanted_pages(d, active, options));
    obtain_frames(d, weights, [&] { return frame_room(d); });
  }
  note_cache_bytes();
  deliver(
      ctx, wanted, shown,
      [&](DevicePages& d, const Pages& pages) { show_frames(d, pages, shown, pass); },
      [&](DevicePages& d, const Entries& pages) { show(d, pages, true, shown, pass); });
}

void StreamSource::by_technique(const Entries& pages,
                                FunctionRef<void(Technique, const Entries&)> show) const {
  if (on_host_) return show(Technique::ByLength, pages);
  if (options_.technique != Technique::Hybrid) return show(options_.technique, pages);
  const auto edges_each = static_cast<double>(edges()) / static_cast<double>(pages_);
  Entries sparse, dense;
  for (const PageEntry& entry : pages) {
    const auto vertices = static_cast<double>(end_of(entry.page) - first_on(entry.page));
    (edges_each < kSparseDegree * vertices ? sparse : dense).push_back(entry);
  }
  if (!sparse.empty()) show(Technique::VertexCentric, sparse);
  if (!dense.empty()) show(Technique::EdgeCentric, dense);
}

StreamSource::Wanted StreamSource::wanted_pages(DevicePages& d, const Frontier& active,
                                                const SweepOptions& options) {
  const std::uint32_t all_lines = lines_of(0, supply_->page_bytes());
  Wanted wanted;
  const bool whole = active.form() == Frontier::Form::All && options.first == kWholeList;
  if (whole && (d.lines.empty() || !options.stops_early)) {
    wanted.lines.assign(pages_, all_lines);
  } else if (!d.lines.empty()) {
    d.copies->clear(d.lines.data(), pages_ * sizeof(std::uint32_t));
    count_lines(*d.device, active.on(*d.device), options.first,
                options.stops_early ? PageChoice::kEarlyLines : ~std::uint32_t{0}, d.lines.data());
    wanted.lines.resize(pages_);
    d.copies->fetch(wanted.lines.data(), d.lines.data(), pages_ * sizeof(std::uint32_t));
  } else {
    std::vector<std::uint64_t> marked(d.wanted.size());
    d.copies->clear(d.wanted.data(), d.wanted.size() * sizeof(std::uint64_t));
    mark_pages(d.device, active.on(*d.device), options.first, d.wanted.data());
    d.copies->fetch(marked.data(), d.wanted.data(), marked.size() * sizeof(marked[0]));
    wanted.lines.resize(pages_);
    for (std::size_t p = 0; p < pages_; ++p)
      if ((marked[p / 64] >> (p % 64) & 1) != 0) wanted.lines[p] = all_lines;
  }
  for (std::size_t p = 0; p < pages_; ++p) {
    if (wanted.lines[p] == 0) continue;
    if (deal_.device_of(p) == d.turn)
      wanted.pages.push_back(p);
    else
      wanted.lines[p] = 0;
  }
  return wanted;
}

void StreamSource::sweep_on_host(const Context& ctx, const Pages& wanted,
                                 const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  DevicePages& d = devices_[0];
  const std::size_t most = options_.frames > 0 ? options_.frames : pages_;
  const StopSupply stop{*supply_};
  d.copies->begin_sweep(0, page_table(*d.device, options.weights && supply_->weight_pages()));
  supply_->start(wanted, options.weights);
  cache_bytes_ = std::max(cache_bytes_, supply_->block().size());
  Entries now;
  while (auto page = supply_->next()) {
    ctx.task().check();
    now.clear();
    do {
      now.push_back({page->page, page->data, page->weight_data});
    } while (now.size() < most && (page = supply_->try_next()));
    show(d, now, false, options, pass);
    for (const PageEntry& s : now) supply_->release(s.page);
  }
}

StreamSource::Entries StreamSource::entries_of(const DevicePages& d, const Pages& pages,
                                               bool weights) const {
  Entries entries;
  entries.reserve(pages.size());
  for (const std::size_t page : pages) {
    const std::size_t at = d.table.frame_of(page) * supply_->page_bytes();
    entries.push_back({page, d.data.data() + at, weights ? d.weight_data.data() + at : nullptr});
  }
  return entries;
}

StreamSource::Pages StreamSource::frames_of(const DevicePages& d, const Entries& pages) {
  Pages frames;
  frames.reserve(pages.size());
  for (const PageEntry& entry : pages) frames.push_back(d.table.frame_of(entry.page));
  return frames;
}

void StreamSource::show_frames(DevicePages& d, const Pages& pages, const SweepOptions& options,
                               FunctionRef<void(const Pass&)> pass) {
  show(d, entries_of(d, pages, options.weights && supply_->weight_pages()), false, options, pass);
}

void StreamSource::show(DevicePages& d, const Entries& pages, bool in_place,
                        const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  const PageTable table = page_table(*d.device, options.weights && supply_->weight_pages());
  by_technique(pages, [&](Technique technique, const Entries& some) {
    const auto [lowest, highest] =
        std::minmax_element(some.begin(), some.end(),
                            [](const PageEntry& a, const PageEntry& b) { return a.page < b.page; });
    ++d.passes;
    d.copies->begin_pass(table, some);
    Pass shown{*d.device, view(*d.device, options), first_on(lowest->page), end_of(highest->page)};
    shown.technique = technique;
    shown.remote = in_place;
    if (in_place) {
      shown.access = options_.access;
      // All that such a pass reads of edges is there.
      if (d.device->gpu()) shown.link = {0, ~std::uintptr_t{0}, d.link_count.data()};
    }
    pass(shown);
    const bool in_frames = !in_place && !on_host_;
    d.copies->end_pass(in_frames ? frames_of(d, some) : Pages{},
                       some.size() * supply_->page_bytes());
  });
}

}  // namespace fathom
