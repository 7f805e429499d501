#include "fathom/residency/stream_source.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

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
      options_(options) {
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
    r.copies = FrameCopies::of(ctx, device, pages_, options_.trace.get());
  }
  for (Replica& r : replica_)
    r.cache_handle = r.device->memory()->register_cache([this, &r](std::size_t) {
      if (!sweeping_) release_frames(r);
    });
  for (const auto& memory : supply_->host_memory()) {
    ctx.fence_host(memory.data(), memory.size());
    if (ctx.pin_host(memory.data(), memory.size())) pinned_.push_back(memory.data());
  }
}

StreamSource::~StreamSource() {
  for (Replica& r : replica_) {
    r.device->memory()->forget_cache(r.cache_handle);
    r.copies->settle();
  }
  for (const auto& memory : supply_->host_memory()) ctx_->unfence_host(memory.data());
  for (const std::byte* memory : pinned_) ctx_->unpin_host(memory);
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

std::size_t StreamSource::frame_room(const Replica& r) const {
  const std::size_t available = r.device->memory()->available();
  // Half of what is left goes to frames: the other direction's source and state yet to come get
  // the rest. A GPU's frames are its cache, and how many sources share it is known.
  if (!r.device->gpu() || split_) return available / 2;
  return room_for_frames(available, edges(), options_.sources);
}

void StreamSource::obtain_frames(Replica& r, bool weights, FunctionRef<std::size_t()> room) {
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
  r.data = std::move(data);
  r.weight_data = std::move(weight_data);
  r.table = FrameTable(frames, pages_, page, options_.cache);
  r.has_weights.assign(frames, 0);
  std::size_t all = 0;
  for (const Replica& other : replica_) all += other.table.size() * each;
  cache_bytes_ = std::max(cache_bytes_, all);
}

void StreamSource::release_frames(Replica& r) {
  r.copies->settle();
  r.table = {};
  r.data = {};
  r.weight_data = {};
}

void StreamSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                         FunctionRef<void(const Pass&)> pass) {
  refuse_if_split();
  // Bitmaps of a GPU are not counted for this.
  if (ctx.on_gpu() ? active.form() == Frontier::Form::List : active.empty()) return;
  if (pages_ == 0) return;
  need_offsets();
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  SweepOptions shown = options;
  shown.weights = options.weights && weighted();
  if (in_place_)
    return sweep_in_place(ctx, wanted_pages(ctx, replica_[0], active, options.first), shown, pass);
  const bool weights = shown.weights && supply_->weight_pages();
  std::vector<Pages> wanted;
  for (Replica& r : replica_) {
    wanted.push_back(wanted_pages(ctx, r, active, options.first));
    obtain_frames(r, weights, [&] { return frame_room(r); });
  }
  deliver(ctx, wanted, shown, [&](Replica& r, const Pages& pages) {
    by_technique(pages, [&](Technique technique, const Pages& some) {
      Pages frames;
      const std::vector<PageEntry> entries = entries_of(r, some, weights, frames);
      show(r, entries, frames, shown, technique, pass);
    });
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

StreamSource::Pages StreamSource::wanted_pages(const Context& ctx, Replica& r,
                                               const Frontier& active, EdgeId first) {
  std::vector<std::uint64_t> marked((pages_ + 63) / 64, ~std::uint64_t{0});
  if (active.form() != Frontier::Form::All || first != kWholeList) {
    const std::uint64_t none = 0;
    ctx.fill(*r.device, r.wanted.data(), r.wanted.size(), &none, sizeof(none));
    mark_pages(r.device, active.on(*r.device), first, r.wanted.data());
    ctx.copy(marked.data(), r.wanted.data(), marked.size() * sizeof(marked[0]));
  }
  Pages pages;
  const auto turn = static_cast<std::size_t>(r.device->index());
  for (std::size_t p = turn; p < pages_; p += replica_.size())
    if ((marked[p / 64] >> (p % 64) & 1) != 0) pages.push_back(p);
  return pages;
}

void StreamSource::sweep_in_place(const Context& ctx, const Pages& wanted,
                                  const SweepOptions& options,
                                  FunctionRef<void(const Pass&)> pass) {
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

/// Pages on their way from the supply to frames, and how far their copies are.
class StreamSource::Delivery {
 public:
  Delivery(StreamSource& source, bool weights) : source_(source), weights_(weights) {}
  /// Whatever happens, nothing reads the supply's memory afterwards. Pages of a sweep that was
  /// interrupted may not have arrived.
  ~Delivery() {
    for (Replica& r : source_.replica_) {
      r.copies->settle();
      if (!complete_) r.table.forget_all();
    }
  }
  void complete() { complete_ = true; }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  /// The next page, whose memory stays until every copy of it has ended.
  std::optional<SuppliedPage> next() {
    release_ended(false);
    if (auto page = source_.supply_->try_next()) return page;
    // The supply may be waiting for memory.
    release_ended(true);
    return source_.supply_->next();
  }

  /// Copies a page into a frame that the device has taken for it: from a device that has it on its
  /// way, where this one reaches that.
  void copy(const SuppliedPage& page, Replica& r, std::size_t frame) {
    r.has_weights[frame] = weights_ ? 1 : 0;
    const bool first = held_.empty() || held_.back().page != page.page;
    if (!first && forward(page, r, frame)) return;
    const auto pieces = pieces_of(r, frame, page.data, page.weight_data, page);
    r.copies->copy(frame, {pieces.data(), piece_count()});
    ++source_.traffic_.requests;
    source_.traffic_.bytes += page.bytes + (weights_ ? page.weight_bytes() : 0);
    if (first) {
      held_.push_back({page.page, {}});
      first_ = {&r, frame};
    }
    held_.back().copies.push_back({&r, ++copied_[r.device->index()]});
  }

 private:
  struct Copied {
    Replica* replica;
    std::size_t number;  // among the copies to this device
  };
  struct Held {
    std::size_t page;
    std::vector<Copied> copies;
  };
  struct Place {
    const Replica* replica = nullptr;
    std::size_t frame = 0;
  };

  std::size_t piece_count() const { return weights_ ? 2 : 1; }
  std::array<FrameCopies::Piece, 2> pieces_of(Replica& r, std::size_t frame, const std::byte* data,
                                              const std::byte* weight_data,
                                              const SuppliedPage& page) const {
    const std::size_t at = frame * source_.supply_->page_bytes();
    return {{{r.data.data() + at, data, page.bytes},
             {weights_ ? r.weight_data.data() + at : nullptr, weight_data, page.weight_bytes()}}};
  }

  bool forward(const SuppliedPage& page, Replica& r, std::size_t frame) {
    const Replica& from = *first_.replica;
    const std::size_t at = first_.frame * source_.supply_->page_bytes();
    const auto pieces = pieces_of(r, frame, from.data.data() + at,
                                  weights_ ? from.weight_data.data() + at : nullptr, page);
    if (!r.copies->forward(*from.copies, first_.frame, frame, {pieces.data(), piece_count()}))
      return false;
    ++copied_[r.device->index()];
    return true;
  }

  void release_ended(bool wait) {
    for (; !held_.empty(); held_.pop_front()) {
      for (const Copied& c : held_.front().copies)
        if (c.replica->copies->ended(wait ? c.number : 0) < c.number) return;
      source_.supply_->release(held_.front().page);
    }
  }

  StreamSource& source_;
  bool weights_, complete_ = false;
  std::deque<Held> held_;
  Place first_;                        // of the page copied last
  std::map<int, std::size_t> copied_;  // by device
};

void StreamSource::deliver(const Context& ctx, const std::vector<Pages>& wanted,
                           const SweepOptions& options, ShowFrames show_frames) {
  const bool weights = options.weights && supply_->weight_pages();
  const Raised sweeping(sweeping_);
  // What is already here goes first: its frames are then free to be taken.
  std::vector<Pages> here(replica_.size()), missing(replica_.size());
  Pages to_fetch;
  for (std::size_t d = 0; d < replica_.size(); ++d) {
    Replica& r = replica_[d];
    clear_table(r);
    r.copies->begin_sweep(r.table.size());
    r.table.begin_sweep([&](std::size_t page) {
      return std::binary_search(wanted[d].begin(), wanted[d].end(), page);
    });
    for (const std::size_t page : wanted[d]) {
      if (r.table.has(page) && weights && r.has_weights[r.table.frame_of(page)] == 0)
        r.table.forget(page);  // comes again, with weights
      (r.table.has(page) ? here : missing)[d].push_back(page);
    }
    traffic_.cache_hits += here[d].size();
    traffic_.cache_misses += missing[d].size();
    to_fetch.insert(to_fetch.end(), missing[d].begin(), missing[d].end());
  }
  std::sort(to_fetch.begin(), to_fetch.end());
  to_fetch.erase(std::unique(to_fetch.begin(), to_fetch.end()), to_fetch.end());

  const StopSupply stop{*supply_};
  Delivery delivery(*this, weights);
  supply_->start(to_fetch, options.weights);
  std::vector<Pages> ready(replica_.size());
  auto show_ready = [&](std::size_t d) {
    if (ready[d].empty()) return;
    show_frames(replica_[d], ready[d]);
    for (const std::size_t page : ready[d]) replica_[d].table.shown(page);
    ready[d].clear();
  };
  auto add = [&](std::size_t d, std::size_t page) {
    ready[d].push_back(page);
    if (ready[d].size() == replica_[d].table.batch()) show_ready(d);
  };
  for (std::size_t d = 0; d < replica_.size(); ++d) {
    for (const std::size_t page : here[d]) add(d, page);
    show_ready(d);
  }
  while (const auto page = delivery.next()) {
    ctx.task().check();
    for (std::size_t d = 0; d < replica_.size(); ++d) {
      if (!std::binary_search(missing[d].begin(), missing[d].end(), page->page)) continue;
      Replica& r = replica_[d];
      if (!r.table.can_take(1)) show_ready(d);
      delivery.copy(*page, r, r.table.take(page->page));
      add(d, page->page);
    }
  }
  for (std::size_t d = 0; d < replica_.size(); ++d) show_ready(d);
  for (Replica& r : replica_) {
    r.copies->end_sweep();
    r.table.end_sweep();
  }
  delivery.complete();
}

void StreamSource::clear_table(Replica& r) {
  if (!r.shows_pages) return;
  const void* const nowhere = nullptr;
  const PageTable table = page_table(*r.device, weighted() && supply_->weight_pages());
  ctx_->fill(*r.device, table.data, pages_, &nowhere, sizeof(nowhere));
  if (table.weight) ctx_->fill(*r.device, table.weight, pages_, &nowhere, sizeof(nowhere));
  r.shows_pages = false;
}

PageEntry StreamSource::in_frame(const Replica& r, std::size_t page, bool weights) const {
  const std::size_t at = r.table.frame_of(page) * supply_->page_bytes();
  return {page, r.data.data() + at, weights ? r.weight_data.data() + at : nullptr};
}

std::vector<PageEntry> StreamSource::entries_of(const Replica& r, const Pages& pages, bool weights,
                                                Pages& frames) const {
  std::vector<PageEntry> entries;
  for (const std::size_t page : pages) {
    entries.push_back(in_frame(r, page, weights));
    frames.push_back(r.table.frame_of(page));
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

EdgeId StreamSource::offset_at(VertexId v) {
  if (!host_offset_.empty()) return host_offset_[v];
  need_offsets();
  EdgeId offset = 0;
  ctx_->copy(&offset, replica_[0].offset.data() + v, sizeof(offset));
  return offset;
}

}  // namespace fathom
