// How pages of a StreamSource come into frames: fetched from the supply once, copied or forwarded
// to the devices that want them, and shown in batches; or shown where the supply has them.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>

#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/residency/raised.hpp"

namespace fathom {

/// Pages on their way from the supply to frames, and how far their copies are.
class StreamSource::Delivery {
 public:
  Delivery(StreamSource& source, bool weights, ShowInPlace show_in_place)
      : source_(source),
        weights_(weights),
        show_in_place_(show_in_place),
        copied_(source.replica_.size(), 0),
        unshown_(source.replica_.size()),
        empty_(source.replica_.size(), 0) {
    // Without a cache a copy is used once, as if no frame were free.
    for (const Replica& r : source.replica_)
      if (source.options_.cache != PageCache::None) empty_[index(r)] = r.table.empty();
  }
  /// Whatever happens, nothing reads the supply's memory afterwards. Pages of a sweep that was
  /// interrupted may not have arrived.
  ~Delivery() {
    for (Replica& r : source_.replica_) {
      r.copies->settle(in_place_);
      if (!complete_) r.table.forget_all();
    }
    for (const Held& page : held_)
      for (const std::byte* part : page.open) source_.ctx_->close_host(part);
  }
  void complete() { complete_ = true; }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  /// The next page, whose memory stays until every copy of it has ended.
  std::optional<SuppliedPage> next() {
    release_ended(false);
    if (auto page = source_.supply_->try_next()) return page;
    // The supply may be waiting for memory.
    show_unshown();
    release_ended(true);
    return source_.supply_->next();
  }
  /// Shows what is read in place and has not been shown.
  void show_unshown() {
    for (Replica& r : source_.replica_) show_unshown(r);
  }

  /// Has the device read a page in place, of which so many lines are wanted, if that costs less
  /// than a copy and the device can. False: it is to be copied.
  bool read_in_place(const SuppliedPage& page, Replica& r, std::uint32_t lines) {
    if (r.choice && r.choice->copy(lines, empty_[index(r)] > 0 ? PageChoice::kUsesOfKept : 1))
      return false;
    const std::byte* const data = r.copies->reachable(page.data);
    const std::byte* const weight = weights_ ? r.copies->reachable(page.weight_data) : nullptr;
    if (!data || (weights_ && !weight)) return false;
    in_place_ = true;
    hold(page).users.push_back({&r, kNotShown, true});
    open(page);
    unshown_[index(r)].push_back({page.page, data, weight});
    if (!r.device->gpu()) {  // whose kernels count them; lists that share a line do so once
      const std::uint64_t read =
          std::uint64_t{std::min(lines, lines_of(0, page.bytes))} * (weights_ ? 2 : 1);
      source_.traffic_.requests += read;
      source_.traffic_.bytes += read * kPageLine;
    }
    if (unshown_[index(r)].size() >= r.table.batch()) show_unshown(r);
    return true;
  }

  /// Copies a page into a frame that the device has taken for it: from a device that has it on its
  /// way, where this one reaches that.
  void copy(const SuppliedPage& page, Replica& r, std::size_t frame) {
    r.has_weights[frame] = weights_ ? 1 : 0;
    if (empty_[index(r)] > 0) --empty_[index(r)];
    ++source_.traffic_.cache_misses;
    const bool first = first_.page != page.page;
    if (!first && forward(page, r, frame)) return;
    const auto pieces = pieces_of(r, frame, page.data, page.weight_data, page);
    r.copies->copy(frame, {pieces.data(), piece_count()});
    ++source_.traffic_.requests;
    source_.traffic_.bytes += page.bytes + (weights_ ? page.weight_bytes() : 0);
    if (first) first_ = {&r, frame, page.page};
    hold(page).users.push_back({&r, ++copied_[index(r)], false});
  }

 private:
  static constexpr std::size_t kNotShown = ~std::size_t{0};
  static constexpr std::size_t kNoPage = ~std::size_t{0};

  /// What reads a page in the supply's memory.
  struct User {
    Replica* replica;
    std::size_t number;  // among the copies to this device, or its passes of this sweep
    bool in_place;
  };
  struct Held {
    std::size_t page;
    std::vector<User> users;
    std::vector<const std::byte*> open;  // to emulated devices
  };
  struct Place {
    const Replica* replica = nullptr;
    std::size_t frame = 0, page = kNoPage;
  };

  Held& hold(const SuppliedPage& page) {
    if (held_.empty() || held_.back().page != page.page) held_.push_back({page.page, {}, {}});
    return held_.back();
  }

  void open(const SuppliedPage& page) {
    Held& held = held_.back();
    if (!held.open.empty()) return;
    held.open.push_back(page.data);
    source_.ctx_->open_host(page.data, page.bytes);
    if (!weights_) return;
    held.open.push_back(page.weight_data);
    source_.ctx_->open_host(page.weight_data, page.weight_bytes());
  }

  void show_unshown(Replica& r) {
    std::vector<PageEntry>& pages = unshown_[index(r)];
    if (pages.empty()) return;
    show_in_place_(r, pages);
    pages.clear();
    for (Held& held : held_)
      for (User& user : held.users)
        if (user.replica == &r && user.number == kNotShown) user.number = r.copies->passes();
  }

  bool has_ended(const User& user, bool wait) const {
    if (user.number == kNotShown) return false;
    FrameCopies& copies = *user.replica->copies;
    const std::size_t least = wait ? user.number : 0;
    return (user.in_place ? copies.passes_ended(least) : copies.ended(least)) >= user.number;
  }

  static std::size_t index(const Replica& r) { return static_cast<std::size_t>(r.device->index()); }
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
    ++copied_[index(r)];
    return true;
  }

  void release_ended(bool wait) {
    for (; !held_.empty(); held_.pop_front()) {
      for (const User& user : held_.front().users)
        if (!has_ended(user, wait)) return;
      for (const std::byte* part : held_.front().open) source_.ctx_->close_host(part);
      source_.supply_->release(held_.front().page);
    }
  }

  StreamSource& source_;
  bool weights_, complete_ = false;
  bool in_place_ = false;  // some page is, or was, read in the supply's memory
  ShowInPlace show_in_place_;
  std::deque<Held> held_;
  Place first_;  // of the page copied last
  // By device:
  std::vector<std::size_t> copied_;
  std::vector<std::vector<PageEntry>> unshown_;
  std::vector<std::size_t> empty_;  // frames that no page has been copied to yet
};

void StreamSource::deliver(const Context& ctx, const std::vector<Wanted>& wanted,
                           const SweepOptions& options, ShowFrames show_frames,
                           ShowInPlace show_pages_in_place) {
  const bool weights = options.weights && supply_->weight_pages();
  pin(weights);
  const Raised sweeping(sweeping_);
  // What is already here goes first: its frames are then free to be taken.
  std::vector<Pages> here(replica_.size()), missing(replica_.size());
  Pages to_fetch;
  for (std::size_t d = 0; d < replica_.size(); ++d) {
    Replica& r = replica_[d];
    clear_table(r);
    r.copies->begin_sweep(r.table.size());
    r.table.begin_sweep([&](std::size_t page) {
      return std::binary_search(wanted[d].pages.begin(), wanted[d].pages.end(), page);
    });
    for (const std::size_t page : wanted[d].pages) {
      if (r.table.has(page) && weights && r.has_weights[r.table.frame_of(page)] == 0)
        r.table.forget(page);  // comes again, with weights
      (r.table.has(page) ? here : missing)[d].push_back(page);
    }
    traffic_.cache_hits += here[d].size();
    to_fetch.insert(to_fetch.end(), missing[d].begin(), missing[d].end());
  }
  std::sort(to_fetch.begin(), to_fetch.end());
  to_fetch.erase(std::unique(to_fetch.begin(), to_fetch.end()), to_fetch.end());

  const StopSupply stop{*supply_};
  Delivery delivery(*this, weights, show_pages_in_place);
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
      const std::vector<std::uint32_t>& lines = wanted[d].lines;
      if (!lines.empty() && delivery.read_in_place(*page, r, lines[page->page])) continue;
      if (!r.table.can_take(1)) show_ready(d);
      delivery.copy(*page, r, r.table.take(page->page));
      add(d, page->page);
    }
  }
  for (std::size_t d = 0; d < replica_.size(); ++d) show_ready(d);
  delivery.show_unshown();
  for (Replica& r : replica_) {
    r.copies->end_sweep();
    r.table.end_sweep();
  }
  delivery.complete();
}

}  // namespace fathom
