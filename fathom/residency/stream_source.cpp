#include "fathom/residency/stream_source.hpp"

#include <algorithm>
#include <iterator>

#include "fathom/residency/raised.hpp"

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
      in_place_(!ctx.separate()),
      pages_(supply_->pages()),
      strategy_(ctx.separate() ? options.strategy : Strategy::Performance),
      chunks_asked_(options.chunks),
      frames_asked_(options.frames),
      trace_(options.trace) {
  replica_.resize(ctx.devices().size());
  for (const Device& device : ctx.devices()) {
    Replica& r = replica_[static_cast<std::size_t>(device.index())];
    r.device = &device;
    const std::size_t offsets = static_cast<std::size_t>(vertices()) + 1;
    // Where state is split they are not needed: whether they fit shows when they are.
    const std::size_t needed = offsets * sizeof(EdgeId) + pages_ * kTablesPerPage;
    if (in_place_ || (strategy_ != Strategy::Scalability && device.memory()->available() >= needed))
      r.offset = Array<EdgeId>(offsets, device.memory());
    r.wanted = Array<std::uint64_t>((pages_ + 63) / 64, device.memory());
  }
  for (Replica& r : replica_)
    r.cache_handle = r.device->memory()->register_cache([this, &r](std::size_t) {
      if (!sweeping_) release_frames(r);
    });
  for (const auto& memory : supply_->host_memory()) ctx.fence_host(memory.data(), memory.size());
}

StreamSource::~StreamSource() {
  for (Replica& r : replica_) r.device->memory()->forget_cache(r.cache_handle);
  for (const auto& memory : supply_->host_memory()) ctx_->unfence_host(memory.data());
}

void StreamSource::load_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> also) {
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (Replica& r : replica_)
      if (!r.offset.empty())
        ctx_->copy(r.offset.data() + first, offset.data(), offset.size_bytes());
    also(first, offset);
  });
}

void StreamSource::need_offsets() {
  std::vector<Replica*> without;
  for (Replica& r : replica_)
    if (r.offset.empty()) without.push_back(&r);
  if (without.empty()) return;
  for (Replica* r : without)
    r->offset = Array<EdgeId>(static_cast<std::size_t>(vertices()) + 1, r->device->memory());
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (Replica* r : without)
      ctx_->copy(r->offset.data() + first, offset.data(), offset.size_bytes());
  });
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
  if (in_place_) {  // the supply's buffer is the cache
    sum.cache_hits += sum.disk.page_hits;
    sum.cache_misses += sum.disk.page_misses;
  }
  return sum;
}

void StreamSource::obtain_frames(Replica& r, bool weights, std::size_t bytes) {
  if (pages_ == 0 || (r.frames > 0 && (!weights || !r.weight_data.empty()))) return;
  release_frames(r);
  const std::size_t page = supply_->page_bytes(), each = page * (weights ? 2 : 1);
  const std::size_t mine = split_ ? pages_ : (pages_ + replica_.size() - 1) / replica_.size();
  // An unlimited memory still is not filled with frames that no page will use.
  std::size_t frames = std::min(mine, bytes / each);
  if (frames_asked_ > 0) frames = std::min(mine, frames_asked_);
  frames = std::max<std::size_t>(frames, 1);
  // Both or none: caches, this one too, may be asked to give way for the second.
  Array<std::byte> data(frames * page, r.device->memory()), weight_data;
  if (weights) weight_data = Array<std::byte>(frames * page, r.device->memory());
  r.data = std::move(data);
  r.weight_data = std::move(weight_data);
  r.page_in_frame.assign(frames, kNoPage);
  r.has_weights.assign(frames, 0);
  r.next_frame = 0;
  r.frames = frames;
  std::size_t all = 0;
  for (const Replica& other : replica_) all += other.frames * each;
  cache_bytes_ = std::max(cache_bytes_, all);
}

void StreamSource::release_frames(Replica& r) {
  r.frames = 0;
  r.page_in_frame.clear();
  r.has_weights.clear();
  r.data = {};
  r.weight_data = {};
}

void StreamSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                         FunctionRef<void(const Pass&)> pass) {
  refuse_if_split();
  if (active.empty() || pages_ == 0) return;
  need_offsets();
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  SweepOptions wanted = options;
  wanted.weights = options.weights && weighted();
  const bool weight_pages = wanted.weights && supply_->weight_pages();
  for (Replica& r : replica_) {
    const std::vector<std::size_t> pages = wanted_pages(ctx, r, active, options.first);
    if (in_place_) {
      sweep_in_place(ctx, pages, wanted, pass);
      continue;
    }
    // Half of what is left goes to frames: the other direction's source and state yet to come get
    // the rest.
    obtain_frames(r, weight_pages, r.device->memory()->available() / 2);
    const Raised sweeping(sweeping_);
    sweep_frames(ctx, r, pages, wanted, pass);
  }
}

std::vector<std::size_t> StreamSource::wanted_pages(const Context& ctx, Replica& r,
                                                    const Frontier& active, EdgeId first) {
  const std::size_t words = r.wanted.size();
  ctx.launch(*r.device, [&] {
    std::fill(r.wanted.begin(), r.wanted.end(),
              active.form() == Frontier::Form::All && first == kWholeList ? ~std::uint64_t{0} : 0);
    if (words > 0 && r.wanted[0] != 0) return;
    mark_pages(r.device, active.on(*r.device), first, r.wanted.data());
  });
  std::vector<std::uint64_t> host(words);
  ctx.copy(host.data(), r.wanted.data(), words * sizeof(std::uint64_t));
  std::vector<std::size_t> pages;
  const auto turn = static_cast<std::size_t>(r.device->index());
  for (std::size_t p = turn; p < pages_; p += replica_.size())
    if ((host[p / 64] >> (p % 64) & 1) != 0) pages.push_back(p);
  return pages;
}

void StreamSource::sweep_in_place(const Context& ctx, const std::vector<std::size_t>& wanted,
                                  const SweepOptions& options,
                                  FunctionRef<void(const Pass&)> pass) {
  const std::size_t most = frames_asked_ > 0 ? frames_asked_ : pages_;
  const StopSupply stop{*supply_};
  supply_->start(wanted, options.weights);
  cache_bytes_ = std::max(cache_bytes_, supply_->block().size());
  std::vector<Shown> now;
  while (auto page = supply_->next()) {
    ctx.task().check();
    now.clear();
    do {
      now.push_back({page->page, page->data, page->weight_data});
    } while (now.size() < most && (page = supply_->try_next()));
    show(ctx, replica_[0], now, options, pass);
    for (const Shown& s : now) supply_->release(s.page);
  }
}

void StreamSource::sweep_frames(const Context& ctx, Replica& r,
                                const std::vector<std::size_t>& wanted, const SweepOptions& options,
                                FunctionRef<void(const Pass&)> pass) {
  // What is already here goes first: it is then free to be replaced.
  const bool weights = options.weights && supply_->weight_pages();
  std::vector<Shown> ready = pages_here(r, wanted, weights);
  const std::vector<std::size_t> missing = without(wanted, ready);
  traffic_.cache_misses += missing.size();
  const StopSupply stop{*supply_};
  supply_->start(missing, options.weights);
  show(ctx, r, ready, options, pass);

  ready.clear();
  while (const auto page = supply_->next()) {
    ctx.task().check();
    const std::size_t frame = r.next_frame;
    r.next_frame = (frame + 1) % r.frames;
    fill(ctx, r, *page, frame);
    supply_->release(page->page);
    ready.push_back(in_frame(r, frame, weights));
    if (ready.size() == r.frames) {
      show(ctx, r, ready, options, pass);
      ready.clear();
    }
  }
  show(ctx, r, ready, options, pass);
}

std::vector<StreamSource::Shown> StreamSource::pages_here(Replica& r,
                                                          const std::vector<std::size_t>& wanted,
                                                          bool weights) {
  std::vector<Shown> here;
  for (std::size_t f = 0; f < r.frames; ++f) {
    if (!std::binary_search(wanted.begin(), wanted.end(), r.page_in_frame[f])) continue;
    if (weights && r.has_weights[f] == 0)
      r.page_in_frame[f] = kNoPage;  // comes again, with weights
    else
      here.push_back(in_frame(r, f, weights));
  }
  traffic_.cache_hits += here.size();
  return here;
}

std::vector<std::size_t> StreamSource::without(const std::vector<std::size_t>& wanted,
                                               const std::vector<Shown>& here) {
  std::vector<std::size_t> pages;
  pages.reserve(here.size());
  for (const Shown& s : here) pages.push_back(s.page);
  std::sort(pages.begin(), pages.end());
  std::vector<std::size_t> missing;
  std::set_difference(wanted.begin(), wanted.end(), pages.begin(), pages.end(),
                      std::back_inserter(missing));
  return missing;
}

StreamSource::Shown StreamSource::in_frame(const Replica& r, std::size_t frame,
                                           bool weights) const {
  const std::size_t at = frame * supply_->page_bytes();
  return {r.page_in_frame[frame], r.data.data() + at,
          weights ? r.weight_data.data() + at : nullptr};
}

void StreamSource::fill(const Context& ctx, Replica& r, const SuppliedPage& page,
                        std::size_t frame) {
  const std::size_t at = frame * supply_->page_bytes();
  const TraceScope span(trace_.get(), "copies", "page", page.bytes);
  ctx.copy(r.data.data() + at, page.data, page.bytes);
  if (page.weight_data) ctx.copy(r.weight_data.data() + at, page.weight_data, page.bytes);
  r.page_in_frame[frame] = page.page;
  r.has_weights[frame] = page.weight_data ? 1 : 0;
  ++traffic_.requests;
  traffic_.bytes += page.bytes * (page.weight_data ? 2 : 1);
}

void StreamSource::show(const Context& ctx, Replica& r, const std::vector<Shown>& pages,
                        const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  if (pages.empty()) return;
  const auto [lowest, highest] = std::minmax_element(
      pages.begin(), pages.end(), [](const Shown& a, const Shown& b) { return a.page < b.page; });
  auto write_tables = [&](bool there) {
    ctx.launch(*r.device, [&] { set_pages(*r.device, pages, there); });
  };
  ++passes_;
  write_tables(true);
  {
    const TraceScope span(trace_.get(), "kernels", "pass", pages.size() * supply_->page_bytes());
    pass({*r.device, view(*r.device, options), first_on(lowest->page), end_of(highest->page)});
  }
  write_tables(false);
}

EdgeId StreamSource::offset_at(VertexId v) {
  if (!host_offset_.empty()) return host_offset_[v];
  need_offsets();
  EdgeId offset = 0;
  ctx_->copy(&offset, replica_[0].offset.data() + v, sizeof(offset));
  return offset;
}

}  // namespace fathom
