#include "fathom/residency/paged_source.hpp"

#include <algorithm>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/residency/host_arrays_supply.hpp"
#include "fathom/residency/raised.hpp"

namespace fathom {
namespace {

/// Gives up what was started, however a sweep ends.
struct StopSupply {
  PageSupply& supply;
  ~StopSupply() { supply.stop(); }
};

}  // namespace

PagedSource::PagedSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                         const PagingOptions& options)
    : PagedSource(ctx,
                  std::make_unique<HostArraysSupply>(csr, std::move(owner), options.page_bytes),
                  options) {}

PagedSource::PagedSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
                         const PagingOptions& options)
    : EdgeSource(supply->vertices(), supply->edges(), supply->weighted()),
      ctx_(&ctx),
      supply_(std::move(supply)),
      in_place_(!ctx.separate()),
      page_shift_(page_shift_of(supply_->page_bytes())),
      pages_(supply_->pages()),
      frames_asked_(options.frames),
      trace_(options.trace) {
  replica_.resize(ctx.devices().size());
  for (const Device& device : ctx.devices()) {
    Replica& r = replica_[static_cast<std::size_t>(device.index())];
    r.device = &device;
    r.offset = Array<EdgeId>(static_cast<std::size_t>(vertices()) + 1, device.memory());
    r.page_target = Array<const VertexId*>(pages_, device.memory());
    r.page_weight = Array<const Weight*>(weighted() ? pages_ : 0, device.memory());
    r.wanted = Array<std::uint64_t>((pages_ + 63) / 64, device.memory());
    ctx.launch(device, [&] {
      std::fill(r.page_target.begin(), r.page_target.end(), nullptr);
      std::fill(r.page_weight.begin(), r.page_weight.end(), nullptr);
    });
  }
  load_offsets();
  for (Replica& r : replica_)
    r.cache_handle = r.device->memory()->register_cache([this, &r](std::size_t) {
      if (!sweeping_) release_frames(r);
    });
  if (const auto csr = supply_->arrays()) {
    ctx.fence_host(csr->offset, (csr->vertices + std::size_t{1}) * sizeof(EdgeId));
    ctx.fence_host(csr->target, csr->edges * sizeof(VertexId));
    ctx.fence_host(csr->weight, csr->weight ? csr->edges * sizeof(Weight) : 0);
  }
}

PagedSource::~PagedSource() {
  for (Replica& r : replica_) r.device->memory()->forget_cache(r.cache_handle);
  const auto csr = supply_->arrays();
  if (!csr) return;
  for (const void* p :
       {static_cast<const void*>(csr->offset), static_cast<const void*>(csr->target),
        static_cast<const void*>(csr->weight)})
    ctx_->unfence_host(p);
}

void PagedSource::load_offsets() {
  page_vertex_.reserve(pages_);
  supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (Replica& r : replica_)
      ctx_->copy(r.offset.data() + first, offset.data(), offset.size_bytes());
    for (std::size_t i = 0; i < offset.size(); ++i)
      while (page_vertex_.size() < pages_ && page_vertex_.size() << page_shift_ < offset[i])
        page_vertex_.push_back(static_cast<VertexId>(first + i - 1));
  });
}

const EdgeId* PagedSource::offsets(const Device& device) {
  return replica_[static_cast<std::size_t>(device.index())].offset.data();
}

Traffic PagedSource::traffic() const {
  Traffic sum = traffic_;
  sum.disk = supply_->traffic();
  if (in_place_) {  // the supply's buffer is the cache
    sum.cache_hits += sum.disk.page_hits;
    sum.cache_misses += sum.disk.page_misses;
  }
  return sum;
}

/// Takes at most `bytes` for frames, but one at least.
void PagedSource::obtain_frames(Replica& r, bool weights, std::size_t bytes) {
  if (pages_ == 0 || (r.frames > 0 && (!weights || !r.weight.empty()))) return;
  release_frames(r);
  const std::size_t edge_bytes = sizeof(VertexId) + (weights ? sizeof(Weight) : 0);
  const std::size_t mine = (pages_ + replica_.size() - 1) / replica_.size();
  // An unlimited memory still is not filled with frames that no page will use.
  std::size_t frames = std::min(mine, bytes / (edge_bytes << page_shift_));
  if (frames_asked_ > 0) frames = std::min(mine, frames_asked_);
  frames = std::max<std::size_t>(frames, 1);
  r.target = Array<VertexId>(frames << page_shift_, r.device->memory());
  if (weights) r.weight = Array<Weight>(frames << page_shift_, r.device->memory());
  r.page_in_frame.assign(frames, kNoPage);
  r.has_weights.assign(frames, 0);
  r.next_frame = 0;
  r.frames = frames;
  std::size_t all = 0;
  for (const Replica& each : replica_) all += each.frames * (edge_bytes << page_shift_);
  cache_bytes_ = std::max(cache_bytes_, all);
}

void PagedSource::release_frames(Replica& r) {
  r.frames = 0;
  r.page_in_frame.clear();
  r.has_weights.clear();
  r.target = {};
  r.weight = {};
}

void PagedSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                        FunctionRef<void(const Pass&)> pass) {
  if (active.empty() || pages_ == 0) return;
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  SweepOptions wanted = options;
  wanted.weights = options.weights && weighted();
  for (Replica& r : replica_) {
    const std::vector<std::size_t> pages = wanted_pages(ctx, r, active, options.first);
    if (in_place_) {
      sweep_in_place(ctx, pages, wanted, pass);
      continue;
    }
    // Half of what is left goes to frames: the other direction's source and state yet to come get
    // the rest.
    obtain_frames(r, wanted.weights, r.device->memory()->available() / 2);
    const Raised sweeping(sweeping_);
    sweep_frames(ctx, r, pages, wanted, pass);
  }
}

std::vector<std::size_t> PagedSource::wanted_pages(const Context& ctx, Replica& r,
                                                   const Frontier& active, EdgeId first) {
  const std::size_t words = r.wanted.size();
  ctx.launch(*r.device, [&] {
    std::fill(r.wanted.begin(), r.wanted.end(),
              active.form() == Frontier::Form::All && first == kWholeList ? ~std::uint64_t{0} : 0);
    if (words > 0 && r.wanted[0] != 0) return;
    const EdgeId* offset = r.offset.data();
    std::uint64_t* wanted = r.wanted.data();
    cpu::for_active(ctx.threads(), active.on(*r.device), 0, vertices(), [&](VertexId v, int) {
      const EdgeCursor list = detail::list_of(offset, v, first);
      if (list.pos == list.end) return;
      const EdgeId last_page = (list.end - 1) >> page_shift_;
      for (EdgeId p = list.pos >> page_shift_; p <= last_page; ++p) {
        const AtomicRef word(wanted[p >> 6]);
        const std::uint64_t bit = std::uint64_t{1} << (p & 63);
        if ((word.load() & bit) == 0) word.fetch_or(bit);
      }
    });
  });
  std::vector<std::uint64_t> host(words);
  ctx.copy(host.data(), r.wanted.data(), words * sizeof(std::uint64_t));
  std::vector<std::size_t> pages;
  const auto turn = static_cast<std::size_t>(r.device->index());
  for (std::size_t p = turn; p < pages_; p += replica_.size())
    if ((host[p / 64] >> (p % 64) & 1) != 0) pages.push_back(p);
  return pages;
}

void PagedSource::sweep_in_place(const Context& ctx, const std::vector<std::size_t>& wanted,
                                 const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  const std::size_t most = frames_asked_ > 0 ? frames_asked_ : pages_;
  const StopSupply stop{*supply_};
  supply_->start(wanted, options.weights);
  cache_bytes_ = std::max(cache_bytes_, supply_->block().size());
  std::vector<Shown> now;
  while (auto page = supply_->next()) {
    ctx.task().check();
    now.clear();
    do {
      now.push_back({page->page, page->targets(), page->weights()});
    } while (now.size() < most && (page = supply_->try_next()));
    show(ctx, replica_[0], now, options, pass);
    for (const Shown& s : now) supply_->release(s.page);
  }
}

void PagedSource::sweep_frames(const Context& ctx, Replica& r,
                               const std::vector<std::size_t>& wanted, const SweepOptions& options,
                               FunctionRef<void(const Pass&)> pass) {
  // What is already here goes first: it is then free to be replaced.
  std::vector<Shown> ready;
  std::vector<bool> is_here(wanted.size(), false);
  for (std::size_t f = 0; f < r.frames; ++f) {
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), r.page_in_frame[f]);
    if (at == wanted.end() || *at != r.page_in_frame[f]) continue;
    if (options.weights && r.has_weights[f] == 0) {
      r.page_in_frame[f] = kNoPage;  // comes again, with weights
      continue;
    }
    is_here[static_cast<std::size_t>(at - wanted.begin())] = true;
    ready.push_back(in_frame(r, f, options.weights));
  }
  traffic_.cache_hits += ready.size();
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!is_here[i]) missing.push_back(wanted[i]);
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
    ready.push_back(in_frame(r, frame, options.weights));
    if (ready.size() == r.frames) {
      show(ctx, r, ready, options, pass);
      ready.clear();
    }
  }
  show(ctx, r, ready, options, pass);
}

PagedSource::Shown PagedSource::in_frame(const Replica& r, std::size_t frame, bool weights) const {
  const std::size_t at = frame << page_shift_;
  return {r.page_in_frame[frame], r.target.data() + at, weights ? r.weight.data() + at : nullptr};
}

void PagedSource::fill(const Context& ctx, Replica& r, const SuppliedPage& page,
                       std::size_t frame) {
  const std::size_t at = frame << page_shift_;
  const TraceScope span(trace_.get(), "copies", "page", page.bytes);
  ctx.copy(r.target.data() + at, page.data, page.bytes);
  if (page.weight_data) ctx.copy(r.weight.data() + at, page.weight_data, page.bytes);
  r.page_in_frame[frame] = page.page;
  r.has_weights[frame] = page.weight_data ? 1 : 0;
  ++traffic_.requests;
  traffic_.bytes += page.bytes * (page.weight_data ? 2 : 1);
}

void PagedSource::show(const Context& ctx, Replica& r, const std::vector<Shown>& pages,
                       const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  if (pages.empty()) return;
  auto write_tables = [&](bool there) {
    ctx.launch(*r.device, [&] {
      for (const Shown& s : pages) {
        r.page_target[s.page] = there ? s.target : nullptr;
        if (options.weights) r.page_weight[s.page] = there ? s.weight : nullptr;
      }
    });
  };
  const auto [lowest, highest] = std::minmax_element(
      pages.begin(), pages.end(), [](const Shown& a, const Shown& b) { return a.page < b.page; });
  // The next page's first edge may belong to the list that this one ends with.
  const VertexId last =
      highest->page + 1 < pages_ ? page_vertex_[highest->page + 1] + 1 : vertices();
  ++passes_;
  write_tables(true);
  {
    const TraceScope span(trace_.get(), "kernels", "pass",
                          (pages.size() << page_shift_) * sizeof(VertexId));
    pass({*r.device,
          PagedEdges{r.offset.data(), r.page_target.data(),
                     options.weights ? r.page_weight.data() : nullptr, page_shift_, options.first},
          page_vertex_[lowest->page], last});
  }
  write_tables(false);
}

EdgeId PagedSource::offset_at(VertexId v) const {
  EdgeId offset = 0;
  ctx_->copy(&offset, replica_[0].offset.data() + v, sizeof(offset));
  return offset;
}

}  // namespace fathom
