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

/// The memory that holds `at`; null. The mutex is held.
std::shared_ptr<PinnedPieces> HostPins::holding(std::uintptr_t at) const {
  const auto after = memory_.upper_bound(at);
  if (after == memory_.begin()) return nullptr;
  const auto& [first, memory] = *std::prev(after);
  return at - first < memory.pieces->memory().size() ? memory.pieces : nullptr;
}

std::shared_ptr<PinnedPieces> HostPins::pin(std::shared_ptr<HostPinner> pinner,
                                            std::span<const std::byte> memory, std::size_t written,
                                            std::size_t piece_bytes) {
  const std::uintptr_t first = address(memory.data());
  const std::lock_guard lock(mutex_);
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
  std::shared_ptr<PinnedPieces> gone;  // declared first: it waits for its thread without the mutex
  const std::lock_guard lock(mutex_);
  const auto at = memory_.find(address(first));
  if (at == memory_.end() || --at->second.holders > 0) return;
  gone = std::move(at->second.pieces);
  memory_.erase(at);
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
