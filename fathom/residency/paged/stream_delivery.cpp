// How pages of a StreamSource that are not in memory come into frames: fetched from the supply
// once, copied or forwarded to the devices that want them, and shown in batches; or shown where the
// supply has them. Where vertex state is split, pages in memory go this way too, since all devices
// want each.
#include <algorithm>
#include <deque>
#include <optional>

#include "fathom/residency/paged/stream_source.hpp"

namespace fathom {

/// Pages on their way from the supply to frames, and how far their copies are.
class StreamSource::Delivery {
 public:
  Delivery(StreamSource& source, bool weights, ShowInPlace show_in_place)
      : source_(source), weights_(weights), show_in_place_(show_in_place) {
    way_.reserve(source.devices_.size());  // no flag stays raised where memory runs out
    for (DevicePages& d : source.devices_) {
      Way& way = way_.emplace_back();
      // Without a cache a copy is used once, as if no frame were free.
      way.empty = source.options_.cache == PageCache::None ? 0 : d.table.empty();
      way.requests_before = d.copies->requests();
      d.sweeping = true;
    }
  }
  /// Whatever happens, nothing reads the supply's memory afterwards. Pages of a sweep that was
  /// interrupted may not have arrived.
  ~Delivery() {
    for (DevicePages& d : source_.devices_) {
      d.copies->settle(in_place_);
      if (!complete_) d.table.forget_all();
      d.traffic.requests += d.copies->requests() - way_[index(d)].requests_before;
      d.sweeping = false;
    }
    for (const Held& page : held_)
      for (const std::byte* part : page.open) source_.ctx_->close_host(part);
  }
  void complete() { complete_ = true; }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  /// The next page, whose memory stays until every copy of it has ended. `before_waiting`: for it.
  std::optional<SuppliedPage> next(FunctionRef<void()> before_waiting) {
    release_ended(false);
    if (auto page = source_.supply_->try_next()) return page;
    // The supply may be waiting for memory.
    before_waiting();
    for (DevicePages& d : source_.devices_) start(d);
    show_unshown();
    release_ended(true);
    return source_.supply_->next();
  }
  /// Shows what is read in place and has not been shown.
  void show_unshown() {
    for (DevicePages& d : source_.devices_) show_unshown(d);
  }

  /// Has the device read a page in place, of which so many lines are wanted, if that costs less
  /// than a copy and the device can. False: it is to be copied.
  bool read_in_place(const SuppliedPage& page, DevicePages& d, std::uint32_t lines) {
    if (d.choice && d.choice->copy(lines, way_[index(d)].empty > 0 ? PageChoice::kUsesOfKept : 1))
      return false;
    const std::byte* const data = d.copies->reachable(page.data, page.bytes);
    const std::byte* const weight =
        weights_ ? d.copies->reachable(page.weight_data, page.weight_bytes()) : nullptr;
    if (!data || (weights_ && !weight)) return false;
    in_place_ = true;
    hold(page).users.push_back({&d, kNotShown, true});
    open(page);
    Entries& unshown = way_[index(d)].unshown;
    unshown.push_back({page.page, data, weight});
    if (!d.device->gpu()) count_in_place(d, lines, page, weights_);
    if (unshown.size() >= d.table.batch()) show_unshown(d);
    return true;
  }

  /// Copies a page into a frame that the device has taken for it: from a device that has it on its
  /// way, where this one reaches that.
  void copy(const SuppliedPage& page, DevicePages& d, std::size_t frame) {
    Way& way = way_[index(d)];
    d.has_weights[frame] = weights_ ? 1 : 0;
    if (way.empty > 0) --way.empty;
    ++d.traffic.cache_misses;
    const bool first = first_.page != page.page;
    if (!first && forward(page, d, frame)) return;
    d.copies->copy(frame, source_.pieces_of(d, frame, page, weights_).span());
    d.traffic.bytes += page.bytes_moved();
    if (first) first_ = {&d, frame, page.page};
    hold(page).users.push_back({&d, ++way.copied, false});
    // The link shall not wait for neighbours while a good part of the supply's memory does.
    way.waiting += page.bytes_moved();
    const std::size_t memory = source_.supply_->block().size();
    if (way.waiting >= (memory > 0 ? std::min(kTogether, memory / 4) : kTogether)) start(d);
  }

 private:
  static constexpr std::size_t kNotShown = ~std::size_t{0};
  static constexpr std::size_t kNoPage = ~std::size_t{0};
  static constexpr std::size_t kTogether = std::size_t{16} << 20;  // bytes that reach the full rate

  /// What reads a page in the supply's memory.
  struct User {
    DevicePages* device;
    std::size_t number;  // among the copies to this device, or its passes of this sweep
    bool in_place;
  };
  struct Held {
    std::size_t page;
    std::vector<User> users;
    std::vector<const std::byte*> open;  // to emulated devices
  };
  struct Place {
    const DevicePages* device = nullptr;
    std::size_t frame = 0, page = kNoPage;
  };
  /// To one device.
  struct Way {
    std::size_t copied = 0;
    std::size_t waiting = 0;  // bytes of copies that may not have started
    std::size_t empty = 0;    // frames that no page has been copied to yet
    std::uint64_t requests_before = 0;
    Entries unshown;
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

  void start(DevicePages& d) {
    d.copies->start();
    way_[index(d)].waiting = 0;
  }

  void show_unshown(DevicePages& d) {
    Entries& pages = way_[index(d)].unshown;
    if (pages.empty()) return;
    show_in_place_(d, pages);
    pages.clear();
    for (Held& held : held_)
      for (User& user : held.users)
        if (user.device == &d && user.number == kNotShown) user.number = d.copies->passes();
  }

  bool has_ended(const User& user, bool wait) const {
    if (user.number == kNotShown) return false;
    FrameCopies& copies = *user.device->copies;
    const std::size_t least = wait ? user.number : 0;
    return (user.in_place ? copies.passes_ended(least) : copies.ended(least)) >= user.number;
  }

  static std::size_t index(const DevicePages& d) {
    return static_cast<std::size_t>(d.device->index());
  }

  bool forward(const SuppliedPage& page, DevicePages& d, std::size_t frame) {
    const DevicePages& from = *first_.device;
    const std::size_t at = first_.frame * source_.supply_->page_bytes();
    SuppliedPage there = page;
    there.data = from.data.data() + at;
    there.encoded = nullptr;
    if (weights_) there.weight_data = from.weight_data.data() + at;
    if (!d.copies->forward(*from.copies, first_.frame, frame,
                           source_.pieces_of(d, frame, there, weights_).span()))
      return false;
    ++way_[index(d)].copied;
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
  Place first_;           // of the page copied last
  std::vector<Way> way_;  // [devices]
};

void StreamSource::deliver(const Context& ctx, const std::vector<Wanted>& wanted,
                           const SweepOptions& options, ShowFrames show_frames,
                           ShowInPlace show_pages_in_place) {
  const bool weights = options.weights && supply_->weight_pages();
  /// Of one device: pages that are copied and not yet shown, all of a batch and some of the next.
  struct Batches {
    Pages missing, ahead, next;
  };
  std::vector<Batches> batches(devices_.size());
  auto show_these = [&](DevicePages& d, Pages& pages) {
    if (pages.empty()) return;
    show_frames(d, pages);
    for (const std::size_t page : pages) d.table.shown(page);
    pages.clear();
  };
  // The batch before is shown when this one's copies are under way.
  auto end_batch = [&](DevicePages& d, Batches& its) {
    show_these(d, its.ahead);
    if (its.next.empty()) return;
    d.copies->show_copied();
    its.ahead.swap(its.next);
  };
  std::vector<Pages> here(devices_.size());
  Pages to_fetch;
  for (std::size_t k = 0; k < devices_.size(); ++k) {
    DevicePages& d = devices_[k];
    d.copies->begin_sweep(d.table.size(), page_table(*d.device, weights));
    d.table.begin_sweep([&](std::size_t page) { return wanted[k].lines[page] > 0; });
    for (const std::size_t page : wanted[k].pages) {
      if (d.table.has(page) && weights && d.has_weights[d.table.frame_of(page)] == 0)
        d.table.forget(page);  // comes again, with weights
      (d.table.has(page) ? here[k] : batches[k].missing).push_back(page);
    }
    d.traffic.cache_hits += here[k].size();
    to_fetch.insert(to_fetch.end(), batches[k].missing.begin(), batches[k].missing.end());
  }
  std::sort(to_fetch.begin(), to_fetch.end());
  to_fetch.erase(std::unique(to_fetch.begin(), to_fetch.end()), to_fetch.end());

  const StopSupply stop{*supply_};
  Delivery delivery(*this, weights, show_pages_in_place);
  supply_->start(to_fetch, options.weights);
  // What is already here goes first: its frames are then free to be taken.
  for (std::size_t k = 0; k < devices_.size(); ++k)
    for (Pages& batch : batches_of(here[k], devices_[k].table.batch()))
      show_these(devices_[k], batch);
  auto show_ahead = [&] {
    for (std::size_t k = 0; k < devices_.size(); ++k) show_these(devices_[k], batches[k].ahead);
  };
  while (const auto page = delivery.next(show_ahead)) {
    ctx.task().check();
    for (std::size_t k = 0; k < devices_.size(); ++k) {
      DevicePages& d = devices_[k];
      Batches& its = batches[k];
      if (!std::binary_search(its.missing.begin(), its.missing.end(), page->page)) continue;
      const bool may_read = !split_ && !d.lines.empty();
      if (may_read && delivery.read_in_place(*page, d, wanted[k].lines[page->page])) continue;
      if (!d.table.can_take(1)) show_these(d, its.ahead);
      if (!d.table.can_take(1)) {
        end_batch(d, its);
        show_these(d, its.ahead);
      }
      delivery.copy(*page, d, d.table.take(page->page));
      its.next.push_back(page->page);
      if (its.next.size() == d.table.batch()) end_batch(d, its);
    }
  }
  for (std::size_t k = 0; k < devices_.size(); ++k) {
    end_batch(devices_[k], batches[k]);
    show_these(devices_[k], batches[k].ahead);
  }
  delivery.show_unshown();
  for (DevicePages& d : devices_) {
    d.copies->end_sweep();
    d.table.end_sweep();
  }
  delivery.complete();
}

}  // namespace fathom
