// How pages of a StreamSource come into frames: fetched from the supply once, copied or forwarded
// to the devices that want them, and shown in batches.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>

#include "fathom/residency/raised.hpp"
#include "fathom/residency/stream_source.hpp"

namespace fathom {

/// Pages on their way from the supply to frames, and how far their copies are.
class StreamSource::Delivery {
 public:
  Delivery(StreamSource& source, bool weights)
      : source_(source), weights_(weights), copied_(source.replica_.size(), 0) {}
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
    held_.back().copies.push_back({&r, ++copied_[index(r)]});
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
      for (const Copied& c : held_.front().copies)
        if (c.replica->copies->ended(wait ? c.number : 0) < c.number) return;
      source_.supply_->release(held_.front().page);
    }
  }

  StreamSource& source_;
  bool weights_, complete_ = false;
  std::deque<Held> held_;
  Place first_;                      // of the page copied last
  std::vector<std::size_t> copied_;  // by device
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

}  // namespace fathom
