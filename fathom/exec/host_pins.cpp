#include "fathom/exec/host_pins.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fathom {
namespace {

std::uintptr_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace

/// The first memory that ends behind `at`. The mutex is held, as for the two that follow.
HostPins::Memories::const_iterator HostPins::first_from(std::uintptr_t at) const {
  const auto after = memory_.upper_bound(at);
  if (after == memory_.begin()) return after;
  const auto before = std::prev(after);
  return at - before->first < before->second.pieces->memory().size() ? before : after;
}

/// Whether some of it is being unpinned.
bool HostPins::going(std::span<const std::byte> memory) const {
  const std::uintptr_t last = address(memory.data()) + memory.size();
  for (auto at = first_from(address(memory.data())); at != memory_.end() && at->first < last; ++at)
    if (at->second.holders == 0) return true;
  return false;
}

/// The memory that holds `at`; null.
std::shared_ptr<PinnedPieces> HostPins::holding(std::uintptr_t at) const {
  const auto found = first_from(at);
  return found != memory_.end() && found->first <= at ? found->second.pieces : nullptr;
}

std::shared_ptr<PinnedPieces> HostPins::pin(std::shared_ptr<HostPinner> pinner,
                                            std::span<const std::byte> memory, std::size_t written,
                                            std::size_t piece_bytes) {
  const std::uintptr_t first = address(memory.data());
  std::unique_lock lock(mutex_);
  gone_.wait(lock, [&] { return !going(memory); });
  const auto next = memory_.lower_bound(first);
  if (next != memory_.end() && next->first == first &&
      next->second.pieces->memory().size() == memory.size()) {
    ++next->second.holders;
    return next->second.pieces;
  }
  if (memory.empty() || holding(first) ||
      (next != memory_.end() && next->first - first < memory.size()))
    return nullptr;
  auto pieces = std::make_shared<PinnedPieces>(std::move(pinner), memory, written, piece_bytes);
  memory_.emplace_hint(next, first, Memory{pieces});
  return pieces;
}

void HostPins::unpin(const std::byte* first) noexcept {
  std::unique_lock lock(mutex_);
  const auto at = memory_.find(address(first));
  if (at == memory_.end() || at->second.holders == 0 || --at->second.holders > 0) return;
  const std::shared_ptr<PinnedPieces> going = at->second.pieces;
  lock.unlock();
  going->end();  // waits for its thread
  lock.lock();
  memory_.erase(at);
  gone_.notify_all();
}

std::shared_ptr<const PinnedPieces> HostPins::at(const std::byte* first) const {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(address(first));
  return found == memory_.end() ? nullptr : found->second.pieces;
}

HostPins::Stretch HostPins::stretch(const void* p, std::size_t bytes) const {
  const std::uintptr_t first = address(p);
  const std::lock_guard lock(mutex_);
  if (const auto pieces = holding(first)) {
    const std::size_t at = first - address(pieces->memory().data());
    const std::size_t left = std::min(bytes, pieces->memory().size() - at);
    return {at < pieces->pinned() ? State::Pinned : State::Waiting,
            std::min(left, pieces->piece_bytes() - at % pieces->piece_bytes())};
  }
  const auto next = memory_.upper_bound(first);
  return {State::Unknown, next == memory_.end() ? bytes : std::min(bytes, next->first - first)};
}

HostPins::State HostPins::of_whole(const void* p) const {
  const std::lock_guard lock(mutex_);
  const auto pieces = holding(address(p));
  if (!pieces) return State::Unknown;
  return pieces->complete() ? State::Pinned : State::Waiting;
}

}  // namespace fathom
