#include "fathom/residency/slotted_source.hpp"

#include <algorithm>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/residency/raised.hpp"

namespace fathom {

SlottedSource::SlottedSource(const Context& ctx, store::SlottedLists lists,
                             std::shared_ptr<const void> owner, Place place, std::size_t frames)
    : EdgeSource(lists.vertices, lists.edges, lists.weighted()),
      ctx_(&ctx),
      lists_(std::move(lists)),
      owner_(std::move(owner)),
      place_(place),
      tables_(lists_.rvt, lists_.vertices),
      frames_asked_(frames) {
  if ((place == Place::Mapped && ctx.separate()) ||
      (place == Place::Resident && ctx.devices().size() != 1))
    throw Error(ErrorCode::Internal, "slotted pages cannot be in that place");
  replica_.resize(ctx.devices().size());
  for (const Device& device : ctx.devices()) {
    Replica& r = replica_[static_cast<std::size_t>(device.index())];
    r.device = &device;
    put_tables(r);
    if (place == Place::Mapped) show_where_they_are(r);
    if (place == Place::Resident) make_resident(r);
    if (place == Place::Stream)
      r.cache_handle = device.memory()->register_cache([this, &r](std::size_t) {
        if (!sweeping_) release_frames(r);
      });
  }
  if (place == Place::Mapped) return;
  ctx.fence_host(lists_.offset, (std::size_t{lists_.vertices} + 1) * sizeof(EdgeId));
  ctx.fence_host(lists_.pages, pages() * lists_.layout.page_bytes);
}

SlottedSource::~SlottedSource() {
  if (place_ == Place::Mapped) return;
  if (place_ == Place::Stream)
    for (Replica& r : replica_) r.device->memory()->forget_cache(r.cache_handle);
  ctx_->unfence_host(lists_.offset);
  ctx_->unfence_host(lists_.pages);
}

void SlottedSource::put_tables(Replica& r) {
  auto put = [&](auto& array, const auto* from, std::size_t n) {
    using T = std::remove_cvref_t<decltype(*from)>;
    array = Array<T>(n, r.device->memory());
    ctx_->copy(array.data(), from, n * sizeof(T));
  };
  put(r.offset, lists_.offset, std::size_t{lists_.vertices} + 1);
  put(r.start_vid, tables_.start_vid.data(), tables_.start_vid.size());
  put(r.large, tables_.large.data(), tables_.large.size());
  put(r.hint, tables_.hint.data(), tables_.hint.size());
  r.page_at = Array<const std::byte*>(pages(), r.device->memory());
  if (place_ == Place::Stream)
    r.wanted = Array<std::uint64_t>((pages() + 63) / 64, r.device->memory());
}

void SlottedSource::put_page_table(Replica& r, const std::vector<const std::byte*>& at) {
  ctx_->copy(r.page_at.data(), at.data(), at.size() * sizeof(at[0]));
}

void SlottedSource::show_where_they_are(Replica& r) {
  std::vector<const std::byte*> at(pages());
  parallel_for(ctx_->threads(), pages(), 1, [&](std::size_t p, std::size_t, int) {
    if (lists_.check) lists_.check(p, 1);
    at[p] = lists_.page(p);
  });
  put_page_table(r, at);
}

void SlottedSource::make_resident(Replica& r) {
  r.frame = Array<std::byte>(pages() * lists_.layout.page_bytes, r.device->memory());
  std::vector<const std::byte*> at(pages());
  for (std::size_t p = 0; p < pages(); ++p) {
    ctx_->task().check();
    fetch(r, p, p);
    at[p] = r.frame.data() + p * lists_.layout.page_bytes;
  }
  put_page_table(r, at);
  traffic_ = {};  // loading is not part of a run
}

SlottedEdges SlottedSource::view(const Replica& r, EdgeId limit) const {
  return slotted_edges(r.page_at.data(),
                       {r.start_vid.data(), r.large.data(), r.hint.data(), tables_.hint_shift},
                       lists_.layout, limit);
}

const EdgeId* SlottedSource::offsets(const Device& device) {
  return replica_[static_cast<std::size_t>(device.index())].offset.data();
}

std::optional<AnyEdges> SlottedSource::whole(const SweepOptions& options) const {
  if (place_ == Place::Stream) return std::nullopt;
  return view(replica_[0], options.first);
}

std::optional<CsrView> SlottedSource::host_lists() const {
  if (!unpacked_) unpacked_ = store::unpack(lists_);
  return unpacked_->view();
}

void SlottedSource::sweep_pairs(const Context&, FunctionRef<void(const PairPass&)>) {
  throw Error(ErrorCode::Internal, "pairs of lists were asked of slotted pages");
}

void SlottedSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                          FunctionRef<void(const Pass&)> pass) {
  // Bitmaps of a GPU are not counted for this.
  if (ctx.on_gpu() ? active.form() == Frontier::Form::List : active.empty()) return;
  if (pages() == 0) return;
  if (place_ != Place::Stream) {
    ++passes_;
    return pass({ctx.devices()[0], view(replica_[0], options.first), 0, vertices()});
  }
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  for (Replica& r : replica_) {
    obtain_frames(r);
    const Raised sweeping(sweeping_);
    sweep_device(ctx, r, wanted_pages(ctx, r, active, options.first), options.first, pass);
  }
}

void SlottedSource::obtain_frames(Replica& r) {
  if (r.frames > 0 || pages() == 0) return;
  const std::size_t page_bytes = lists_.layout.page_bytes;
  const std::size_t mine = (pages() + replica_.size() - 1) / replica_.size();
  // Half of what is left goes to frames: the other direction's source and state yet to come get
  // the rest.
  std::size_t frames = std::min(mine, r.device->memory()->available() / 2 / page_bytes);
  if (frames_asked_ > 0) frames = std::min(mine, frames_asked_);
  frames = std::max<std::size_t>(frames, 1);
  r.frame = Array<std::byte>(frames * page_bytes, r.device->memory());
  r.page_in_frame.assign(frames, kNoPage);
  r.next_frame = 0;
  r.frames = frames;
}

void SlottedSource::release_frames(Replica& r) {
  r.frames = 0;
  r.page_in_frame.clear();
  r.frame = {};
}

std::vector<std::size_t> SlottedSource::wanted_pages(const Context& ctx, Replica& r,
                                                     const Frontier& active, EdgeId first) {
  const std::size_t words = r.wanted.size();
  const bool all = active.form() == Frontier::Form::All && first == kWholeList;
  ctx.launch(*r.device, [&] {
    std::fill(r.wanted.begin(), r.wanted.end(), all ? ~std::uint64_t{0} : 0);
    if (all) return;
    const SlottedEdges edges = view(r, first);
    const EdgeId* offset = r.offset.data();
    std::uint64_t* wanted = r.wanted.data();
    cpu::for_active(ctx.threads(), active.on(*r.device), 0, vertices(), [&](VertexId v, int) {
      const EdgeId degree = offset[v + 1] - offset[v];
      if (degree == 0 || first == 0) return;
      const std::uint32_t last = edges.rvt.last_page_of(v);
      const std::uint32_t from = last - edges.rvt.large[last].index;
      // The page of the last edge that is shown: not one per capacity of `first`, which is larger.
      const EdgeId past = (std::min(degree, first) - 1) / edges.capacity;
      for (std::uint32_t p = from; p <= std::min<EdgeId>(last, from + past); ++p) {
        const AtomicRef word(wanted[p / 64]);
        const std::uint64_t bit = std::uint64_t{1} << (p % 64);
        if ((word.load() & bit) == 0) word.fetch_or(bit);
      }
    });
  });
  std::vector<std::uint64_t> host(words);
  ctx.copy(host.data(), r.wanted.data(), words * sizeof(std::uint64_t));
  std::vector<std::size_t> wanted;
  const auto turn = static_cast<std::size_t>(r.device->index());
  for (std::size_t p = turn; p < pages(); p += replica_.size())
    if ((host[p / 64] >> (p % 64) & 1) != 0) wanted.push_back(p);
  return wanted;
}

void SlottedSource::sweep_device(const Context& ctx, Replica& r,
                                 const std::vector<std::size_t>& wanted, EdgeId first,
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
  show(r, ready, first, pass);

  ready.clear();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (shown[i]) continue;
    ctx.task().check();
    const std::size_t frame = r.next_frame;
    r.next_frame = (frame + 1) % r.frames;
    fetch(r, wanted[i], frame);
    r.page_in_frame[frame] = wanted[i];
    ready.push_back(frame);
    if (ready.size() == r.frames) {
      show(r, ready, first, pass);
      ready.clear();
    }
  }
  show(r, ready, first, pass);
}

void SlottedSource::fetch(Replica& r, std::size_t page, std::size_t frame) {
  const std::size_t bytes = lists_.layout.page_bytes;
  if (lists_.check) lists_.check(page, 1);
  ctx_->copy(r.frame.data() + frame * bytes, lists_.page(page), bytes);
  ++traffic_.cache_misses;
  ++traffic_.requests;
  traffic_.bytes += bytes;
}

void SlottedSource::show(Replica& r, const std::vector<std::size_t>& frames, EdgeId first,
                         FunctionRef<void(const Pass&)> pass) {
  if (frames.empty()) return;
  std::vector<const std::byte*> at(pages(), nullptr);
  std::size_t lowest = kNoPage, highest = 0;
  for (const std::size_t f : frames) {
    const std::size_t page = r.page_in_frame[f];
    at[page] = r.frame.data() + f * lists_.layout.page_bytes;
    lowest = std::min(lowest, page);
    highest = std::max(highest, page);
  }
  put_page_table(r, at);
  ++passes_;
  const VertexId last = tables_.start_vid[highest];  // of a large page the only vertex
  pass({*r.device, view(r, first), tables_.start_vid[lowest],
        lists_.rvt[highest].lp_count != 0 ? last + 1 : tables_.start_vid[highest + 1]});
}

}  // namespace fathom
