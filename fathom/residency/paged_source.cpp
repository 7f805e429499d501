#include "fathom/residency/paged_source.hpp"

#include <algorithm>
#include <bit>

#include "fathom/core/atomic.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/cpu/for_active.hpp"

namespace fathom {

PagedSource::PagedSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                         const PagingOptions& options)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      ctx_(&ctx),
      csr_(csr),
      owner_(std::move(owner)),
      frames_asked_(options.frames) {
  if (!std::has_single_bit(options.page_bytes) || options.page_bytes < sizeof(VertexId) ||
      options.page_bytes > std::size_t{1} << 32)
    throw Error(ErrorCode::Usage, "a page has a power of two of bytes between 4 and 4 GiB, not " +
                                      format_bytes(options.page_bytes));
  page_shift_ = static_cast<std::uint32_t>(std::countr_zero(options.page_bytes / sizeof(VertexId)));
  const EdgeId page_edges = EdgeId{1} << page_shift_;
  pages_ = static_cast<std::size_t>((csr.edges + page_edges - 1) >> page_shift_);

  const std::size_t offsets = static_cast<std::size_t>(csr.vertices) + 1;
  replica_.resize(ctx.devices().size());
  for (const Device& device : ctx.devices()) {
    Replica& r = replica_[static_cast<std::size_t>(device.index())];
    r.device = &device;
    r.offset = Array<EdgeId>(offsets, device.memory());
    ctx.copy(r.offset.data(), csr.offset, offsets * sizeof(EdgeId));
    r.page_target = Array<const VertexId*>(pages_, device.memory());
    if (weighted()) r.page_weight = Array<const Weight*>(pages_, device.memory());
    r.wanted = Array<std::uint64_t>((pages_ + 63) / 64, device.memory());
    r.cache_handle = device.memory()->register_cache([this, &r] {
      if (!sweeping_) release_frames(r);
    });
  }
  ctx.fence_host(csr.offset, offsets * sizeof(EdgeId));
  ctx.fence_host(csr.target, csr.edges * sizeof(VertexId));
  ctx.fence_host(csr.weight, csr.weight ? csr.edges * sizeof(Weight) : 0);
}

PagedSource::~PagedSource() {
  for (Replica& r : replica_) r.device->memory()->forget_cache(r.cache_handle);
  for (const void* p :
       {static_cast<const void*>(csr_.offset), static_cast<const void*>(csr_.target),
        static_cast<const void*>(csr_.weight)})
    ctx_->unfence_host(p);
}

const EdgeId* PagedSource::offsets(const Device& device) {
  return replica_[static_cast<std::size_t>(device.index())].offset.data();
}

void PagedSource::obtain_frames(Replica& r) {
  if (r.frames > 0 || pages_ == 0) return;
  const std::size_t edge_bytes = sizeof(VertexId) + (weighted() ? sizeof(Weight) : 0);
  const std::size_t frame_bytes = edge_bytes << page_shift_;
  const std::size_t mine = (pages_ + replica_.size() - 1) / replica_.size();
  // An unlimited memory still is not filled with frames that no page will use. Half of what is
  // left goes to frames: the other direction's source and state yet to come get the rest.
  std::size_t frames = std::min(mine, r.device->memory()->available() / 2 / frame_bytes);
  if (frames_asked_ > 0) frames = std::min(mine, frames_asked_);
  frames = std::max<std::size_t>(frames, 1);
  r.target = Array<VertexId>(frames << page_shift_, r.device->memory());
  if (weighted()) r.weight = Array<Weight>(frames << page_shift_, r.device->memory());
  r.page_in_frame.assign(frames, kNoPage);
  r.next_frame = 0;
  r.frames = frames;
}

void PagedSource::release_frames(Replica& r) {
  r.frames = 0;
  r.page_in_frame.clear();
  r.target = {};
  r.weight = {};
}

void PagedSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                        FunctionRef<void(const Pass&)> pass) {
  if (active.empty() || pages_ == 0) return;
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  for (Replica& r : replica_) {
    obtain_frames(r);
    sweeping_ = true;
    struct Done {
      bool& flag;
      ~Done() { flag = false; }
    } done{sweeping_};
    sweep_device(ctx, r, wanted_pages(ctx, r, active, options.first), options, pass);
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

void PagedSource::sweep_device(const Context& ctx, Replica& r,
                               const std::vector<std::size_t>& wanted, const SweepOptions& options,
                               FunctionRef<void(const Pass&)> pass) {
  // What is already here goes first: it is then free to be replaced.
  std::vector<std::size_t> ready;
  std::vector<bool> shown(wanted.size(), false);
  for (std::size_t f = 0; f < r.frames; ++f) {
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), r.page_in_frame[f]);
    if (at == wanted.end() || *at != r.page_in_frame[f]) continue;
    shown[static_cast<std::size_t>(at - wanted.begin())] = true;
    ready.push_back(f);
  }
  traffic_.cache_hits += ready.size();
  show(ctx, r, ready, options, pass);

  ready.clear();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (shown[i]) continue;
    ctx.task().check();
    const std::size_t frame = r.next_frame;
    r.next_frame = (frame + 1) % r.frames;
    fetch(ctx, r, wanted[i], frame);
    ready.push_back(frame);
    if (ready.size() == r.frames) {
      show(ctx, r, ready, options, pass);
      ready.clear();
    }
  }
  show(ctx, r, ready, options, pass);
}

void PagedSource::fetch(const Context& ctx, Replica& r, std::size_t page, std::size_t frame) {
  const EdgeId first = static_cast<EdgeId>(page) << page_shift_;
  const std::size_t count = std::min(EdgeId{1} << page_shift_, edges() - first);
  const std::size_t at = frame << page_shift_;
  ctx.copy(r.target.data() + at, csr_.target + first, count * sizeof(VertexId));
  if (weighted()) ctx.copy(r.weight.data() + at, csr_.weight + first, count * sizeof(Weight));
  r.page_in_frame[frame] = page;
  ++traffic_.cache_misses;
  ++traffic_.requests;
  traffic_.bytes += count * (sizeof(VertexId) + (weighted() ? sizeof(Weight) : 0));
}

void PagedSource::show(const Context& ctx, Replica& r, const std::vector<std::size_t>& frames,
                       const SweepOptions& options, FunctionRef<void(const Pass&)> pass) {
  if (frames.empty()) return;
  std::size_t lowest = kNoPage, highest = 0;
  ctx.launch(*r.device, [&] {
    std::fill(r.page_target.begin(), r.page_target.end(), nullptr);
    std::fill(r.page_weight.begin(), r.page_weight.end(), nullptr);
    for (const std::size_t f : frames) {
      const std::size_t page = r.page_in_frame[f];
      r.page_target[page] = r.target.data() + (f << page_shift_);
      if (weighted()) r.page_weight[page] = r.weight.data() + (f << page_shift_);
      lowest = std::min(lowest, page);
      highest = std::max(highest, page);
    }
  });
  const EdgeId last_edge = std::min((static_cast<EdgeId>(highest) + 1) << page_shift_, edges()) - 1;
  ++passes_;
  pass({*r.device,
        PagedEdges{r.offset.data(), r.page_target.data(),
                   weighted() ? r.page_weight.data() : nullptr, page_shift_, options.first},
        vertex_at(static_cast<EdgeId>(lowest) << page_shift_), vertex_at(last_edge) + 1});
}

VertexId PagedSource::vertex_at(EdgeId position) const {
  const EdgeId* const end = csr_.offset + csr_.vertices + 1;
  return static_cast<VertexId>(std::upper_bound(csr_.offset, end, position) - csr_.offset - 1);
}

std::vector<VertexId> PagedSource::cut_into_whole_lists(std::size_t capacity) const {
  std::vector<VertexId> cut{0};
  while (cut.back() < vertices()) {
    const EdgeId from = csr_.offset[cut.back()];
    const EdgeId* const end = csr_.offset + csr_.vertices + 1;
    const auto next = static_cast<VertexId>(
        std::upper_bound(csr_.offset + cut.back(), end, from + capacity) - csr_.offset - 1);
    if (next == cut.back())
      throw Error(ErrorCode::DoesNotFit,
                  "the list of one vertex has " + format_count(csr_.degree(next)) +
                      " edges, but half of the page frames hold " + format_count(capacity) +
                      "; at least " + format_bytes(csr_.degree(next) * 2 * sizeof(VertexId)) +
                      " of page frames are needed");
    cut.push_back(next);
  }
  return cut;
}

FlatEdges PagedSource::load_lists(const Context& ctx, Replica& r, VertexId first, VertexId last,
                                  std::size_t half) {
  const EdgeId base = csr_.offset[first];
  const std::size_t count = csr_.offset[last] - base;
  VertexId* const to = r.target.data() + half * (r.target.size() / 2);
  ctx.copy(to, csr_.target + base, count * sizeof(VertexId));
  ++traffic_.requests;
  traffic_.bytes += count * sizeof(VertexId);
  return {r.offset.data(), to, nullptr, base, kWholeList};
}

void PagedSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  if (edges() == 0) return;
  for (Replica& r : replica_) {
    obtain_frames(r);
    std::fill(r.page_in_frame.begin(), r.page_in_frame.end(), kNoPage);  // halves overwrite pages
    const std::vector<VertexId> cut = cut_into_whole_lists(r.target.size() / 2);
    const auto devices = replica_.size();
    for (auto a = static_cast<std::size_t>(r.device->index()); a + 1 < cut.size(); a += devices) {
      const FlatEdges lists = load_lists(ctx, r, cut[a], cut[a + 1], 0);
      for (std::size_t b = 0; b + 1 < cut.size(); ++b) {
        ctx.task().check();
        const FlatEdges others = b == a ? lists : load_lists(ctx, r, cut[b], cut[b + 1], 1);
        ++passes_;
        pass({*r.device, lists, cut[a], cut[a + 1], others, cut[b], cut[b + 1]});
      }
    }
  }
}

}  // namespace fathom
