#include "fathom/residency/ssd/encoded_ssd_supply.hpp"

#include <algorithm>
#include <cstring>

namespace fathom {

EncodedSsdSupply::EncodedSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer,
                                   store::SectionId offsets, std::size_t page_bytes)
    : PageSupply(PageShape::csr(buffer->reads().file().layout().header.vertices,
                                buffer->reads().file().layout().header.edges,
                                buffer->reads().file().layout().header.weighted, page_bytes)),
      ctx_(&ctx),
      buffer_(std::move(buffer)),
      offsets_(offsets),
      place_of_(pages(), 0),
      turn_(*buffer_) {}

void EncodedSsdSupply::announce(std::span<const store::SectionId> sections) {
  for (std::size_t p = 0; p < pages(); ++p)
    for (const bool weights : {false, true})
      most_units_[weights] = std::max(most_units_[weights], units_of(p, weights).size());
  for (const store::SectionId id : sections) {
    const std::uint64_t bytes = buffer_->reads().section(id).bytes, unit = buffer_->unit_bytes();
    buffer_->announce(static_cast<std::size_t>((bytes + unit - 1) / unit));
  }
}

std::array<std::uint32_t, 4> EncodedSsdSupply::format_in(store::SectionId section) const {
  std::array<std::uint32_t, 4> format{};
  read_section(*ctx_, buffer_->reads(), section,
               [&](std::uint64_t, std::span<const std::byte> part) {
                 std::memcpy(format.data(), part.data(), std::min(sizeof(format), part.size()));
               });
  return format;
}

void EncodedSsdSupply::for_each_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) {
  stop();
  turn_.begin();
  read_offsets(*ctx_, buffer_->reads(), offsets_, vertices(), edges(), piece);
  turn_.end();
}

bool EncodedSsdSupply::has_all_of(std::size_t page) const {
  for (const PageBuffer::Unit& unit : units_of(page, weights_)) {
    const std::uint32_t slot = buffer_->find(unit);
    if (slot == PageBuffer::kNone || !buffer_->is_ready(slot)) return false;
  }
  return true;
}

void EncodedSsdSupply::start(std::span<const std::size_t> pages, bool weights) {
  stop();
  weights_ = weights && weight_pages();
  if (pages.empty()) return;
  turn_.begin();
  // One page can then be used while another is read; less than that still works, without overlap.
  const std::size_t each = most_units();
  try {
    buffer_->begin_sweep(each * std::min<std::size_t>(2, pages.size()));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    buffer_->begin_sweep(each);
  }
  wanted_.resize(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    wanted_[i].page = pages[i];
    place_of_[pages[i]] = i;
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (has_all_of(pages[i])) {
      take(wanted_[i]);
      ready_.push_back(i);
      ++turn_.traffic().page_hits;
    } else {
      queue_.push_back(i);
      ++turn_.traffic().page_misses;
    }
  }
  read_ahead();
}

/// Pins or loads its units; what is there is pinned before anything makes room.
void EncodedSsdSupply::take(Held& held) {
  const std::vector<PageBuffer::Unit> units = units_of(held.page, weights_);
  held.slots.assign(units.size(), PageBuffer::kNone);
  for (std::size_t u = 0; u < units.size(); ++u) {
    held.slots[u] = buffer_->find(units[u]);
    if (held.slots[u] != PageBuffer::kNone) buffer_->pin(held.slots[u]);
  }
  loads_ = true;
  for (std::size_t u = 0; u < units.size(); ++u)
    if (held.slots[u] == PageBuffer::kNone) held.slots[u] = buffer_->load(units[u]);
}

void EncodedSsdSupply::read_ahead() {
  while (!queue_.empty() && buffer_->can_queue() && buffer_->loadable() >= most_units()) {
    take(wanted_[queue_.front()]);
    under_way_.push_back(queue_.front());
    queue_.pop_front();
  }
  buffer_->poll(false);
  take_ready();
}

void EncodedSsdSupply::take_ready() {
  const auto is_ready = [&](std::size_t i) {
    const std::vector<std::uint32_t>& slots = wanted_[i].slots;
    return std::all_of(slots.begin(), slots.end(),
                       [&](std::uint32_t slot) { return buffer_->is_ready(slot); });
  };
  const auto still = std::stable_partition(under_way_.begin(), under_way_.end(),
                                           [&](std::size_t i) { return !is_ready(i); });
  ready_.insert(ready_.end(), still, under_way_.end());
  under_way_.erase(still, under_way_.end());
}

std::optional<SuppliedPage> EncodedSsdSupply::next() {
  for (;;) {
    read_ahead();
    if (!ready_.empty()) return pop();
    if (under_way_.empty()) {
      if (queue_.empty()) return std::nullopt;
      throw Error(ErrorCode::Internal, "pages were waited for while all of the buffer was held");
    }
    buffer_->poll(true);
    take_ready();
  }
}

std::optional<SuppliedPage> EncodedSsdSupply::try_next() {
  read_ahead();
  const bool may_hold_more =
      (queue_.empty() && under_way_.empty()) || (held_ + 1) * most_units() * 2 <= buffer_->slots();
  if (ready_.empty() || !may_hold_more) return std::nullopt;
  return pop();
}

std::optional<SuppliedPage> EncodedSsdSupply::pop() {
  Held& held = wanted_[ready_.front()];
  ready_.pop_front();
  ++held_;
  std::vector<const std::byte*> units;
  units.reserve(held.slots.size());
  for (const std::uint32_t slot : held.slots) units.push_back(buffer_->data(slot));
  held.encoded = page_in(held.page, weights_, units);
  SuppliedPage page{held.page, nullptr, nullptr, bytes_of(held.page)};
  page.encoded = held.encoded.get();
  page.encoded_weights = weights_;
  return page;
}

void EncodedSsdSupply::release(std::size_t page) {
  Held& held = wanted_[place_of_[page]];
  for (const std::uint32_t slot : held.slots) buffer_->unpin(slot);
  held.slots.clear();
  held.encoded.reset();
  --held_;
}

void EncodedSsdSupply::stop() noexcept {
  if (loads_) buffer_->cancel();
  loads_ = false;
  turn_.end();
  for (Held& held : wanted_) {
    for (const std::uint32_t slot : held.slots)
      if (slot != PageBuffer::kNone) buffer_->unpin(slot);
  }
  wanted_.clear();
  queue_.clear();
  under_way_.clear();
  ready_.clear();
  held_ = 0;
}

}  // namespace fathom
