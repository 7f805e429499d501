#include "fathom/residency/encoded/making_supply.hpp"

#include <algorithm>

#include "fathom/residency/ssd/page_buffer.hpp"

namespace fathom {

MakingSupply::MakingSupply(const Context& ctx, const PageShape& shape,
                           std::unique_ptr<PageSupply>&& from)
    : PageSupply(shape), ctx_(&ctx), from_(std::move(from)) {
  cache_handle_ = ctx.host_memory()->register_cache([this](std::size_t) { give_up(); });
}

MakingSupply::~MakingSupply() {
  ctx_->host_memory()->forget_cache(cache_handle_);
  from_->stop();
}

/// As many slots as are of use and fit, one at least.
void MakingSupply::obtain(std::size_t useful) {
  const std::size_t each = slot_bytes(weights_);
  if (slot_bytes_ < each) give_up();
  if (!slot_.empty()) return;
  const std::size_t room = std::min(host_room(*ctx_->host_memory()) / 8, limit_);
  const std::size_t slots = std::clamp<std::size_t>(room / each, 1, std::min(useful, kMostSlots));
  std::vector<Slot> slot(slots);
  memory_ = Array<std::byte>(slots * each, ctx_->host_memory());
  slot_bytes_ = each;
  slot_ = std::move(slot);
  ++changes_;
}

void MakingSupply::give_up() noexcept {
  if (to_come_ > 0) return;  // into them
  if (std::any_of(slot_.begin(), slot_.end(), [](const Slot& s) { return s.in_use; })) return;
  if (slot_.empty()) return;
  slot_.clear();
  here_.clear();
  memory_ = {};
  slot_bytes_ = 0;
  ++changes_;
}

void MakingSupply::limit_block(std::size_t bytes) {
  if (bytes == MemoryPool::kUnlimited) {
    limit_ = bytes;
    return from_->limit_block(bytes);
  }
  // Half each, but what either needs at least.
  const std::size_t least = from_->least_block(weights_);
  limit_ = std::max(slot_bytes(weights_), bytes > least ? (bytes - least) / 2 : std::size_t{0});
  from_->limit_block(bytes > limit_ ? std::max(least, bytes - limit_) : least);
  if (memory_.size() > limit_) give_up();
}

void MakingSupply::start(std::span<const std::size_t> pages, bool weights) {
  stop();
  weights_ = weights && weight_pages();
  if (pages.empty()) return;
  try {
    begin(pages, std::max(pages.size(), std::size_t{2}));
  } catch (const Error& e) {
    stop();
    if (e.code() != ErrorCode::DoesNotFit) throw;
    give_up();  // more slots than what is left of the budget has room for
    try {
      begin(pages, 1);
    } catch (...) {
      stop();
      throw;
    }
  }
}

void MakingSupply::begin(std::span<const std::size_t> pages, std::size_t useful) {
  obtain(useful);
  to_come_ = pages.size();
  std::vector<std::size_t> missing;
  for (const std::size_t page : pages) {
    const auto at = std::find_if(slot_.begin(), slot_.end(), [&](const Slot& s) {
      return s.page == page && (s.weights || !weights_);
    });
    if (at == slot_.end()) {
      missing.push_back(page);
      continue;
    }
    at->in_use = true;  // before its slot is taken for another page
    here_.push_back(static_cast<std::size_t>(at - slot_.begin()));
  }
  std::reverse(here_.begin(), here_.end());
  start_making(missing, weights_);
}

SuppliedPage MakingSupply::shown(std::size_t slot) {
  --to_come_;
  const std::size_t page = slot_[slot].page;
  return {page, data(slot), weights_ ? data(slot) + page_bytes() : nullptr, bytes_of(page)};
}

std::size_t MakingSupply::free_slot() const {
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    const std::size_t slot = (next_slot_ + i) % slot_.size();
    if (!slot_[slot].in_use) return slot;
  }
  return kNoPage;
}

std::optional<SuppliedPage> MakingSupply::made(bool wait) {
  if (to_come_ == 0) return std::nullopt;
  const auto page = next_to_make(wait);
  if (!page) return std::nullopt;
  const std::size_t slot = free_slot();
  next_slot_ = (slot + 1) % slot_.size();
  slot_[slot] = {kNoPage, false, true};
  ++changes_;
  try {
    make(*page, data(slot));
  } catch (...) {
    slot_[slot].in_use = false;
    throw;
  }
  slot_[slot].page = *page;
  slot_[slot].weights = weights_;
  return shown(slot);
}

std::optional<SuppliedPage> MakingSupply::next() {
  if (!here_.empty()) {
    const std::size_t slot = here_.back();
    here_.pop_back();
    return shown(slot);
  }
  if (slot_.empty() || free_slot() != kNoPage) return made(true);
  throw Error(ErrorCode::Internal, "pages were waited for while all slots were held");
}

std::optional<SuppliedPage> MakingSupply::try_next() {
  if (!here_.empty()) return next();
  // One stays for next().
  const auto held =
      std::count_if(slot_.begin(), slot_.end(), [](const Slot& s) { return s.in_use; });
  if (static_cast<std::size_t>(held) + 1 >= slot_.size()) return std::nullopt;
  return made(false);
}

void MakingSupply::release(std::size_t page) {
  const auto at = std::find_if(slot_.begin(), slot_.end(),
                               [&](const Slot& s) { return s.page == page && s.in_use; });
  if (at != slot_.end()) at->in_use = false;
}

void MakingSupply::stop() noexcept {
  from_->stop();
  to_come_ = 0;
  here_.clear();
  for (Slot& slot : slot_) slot.in_use = false;
}

}  // namespace fathom
