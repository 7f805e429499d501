#include "fathom/exec/cuda/host_copies.hpp"

#include <algorithm>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/pin_host.hpp"

namespace fathom::cuda {
namespace {

using PinState = HostPins::State;

}  // namespace

HostCopies::HostCopies(const Context& ctx, const Gpu& gpu)
    : gpu_(gpu),
      host_(ctx.host_memory()),
      // Each GPU has a thread that copies for it.
      threads_(std::max(1, ctx.threads() / static_cast<int>(ctx.devices().size()))) {}

HostCopies::~HostCopies() {
  drop_ring();
}

void HostCopies::drop_ring() noexcept {
  if (!ring_) return;
  cudaSetDevice(gpu_.ordinal());
  const std::size_t bytes = ring_->bytes();
  ring_.reset();
  host_->unreserve(bytes);
}

/// Null where the budget is tight.
Staging* HostCopies::ring() {
  if (ring_) return ring_.get();
  constexpr std::size_t kSlots = 4, kLeast = std::size_t{256} << 10;
  constexpr std::size_t kPlenty = 16;  // times as much: most is for vertex state and pages
  std::size_t slot = kGoodBytes;
  while (slot >= kLeast && host_->available() / kPlenty < kSlots * slot) slot /= 2;
  if (slot < kLeast) return nullptr;
  gpu_.activate();
  host_->reserve(kSlots * slot);
  try {
    ring_ = std::make_unique<Staging>(kSlots, slot, threads_);
  } catch (...) {
    host_->unreserve(kSlots * slot);
    throw;
  }
  return ring_.get();
}

bool HostCopies::staged(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const auto [state, count] = host_pins().stretch(at, bytes);
    if (state == PinState::Waiting) return true;
    at += count;
    bytes -= count;
  }
  return false;
}

void HostCopies::queue(cudaStream_t stream, std::span<const Transfer> transfers) {
  gpu_.activate();
  waiting_.clear();
  for (Transfer t : transfers)
    while (t.bytes > 0) {
      const auto [state, count] = host_pins().stretch(t.from, t.bytes);
      if (state == PinState::Waiting) {
        waiting_.push_back({t.to, t.from, count});
        staged_bytes_ += count;
      } else {
        check(cudaMemcpyAsync(t.to, t.from, count, cudaMemcpyDefault, stream), "copying pages");
      }
      t = {static_cast<std::byte*>(t.to) + count, static_cast<const std::byte*>(t.from) + count,
           t.bytes - count};
    }
  if (waiting_.empty()) return;
  if (Staging* const its = ring()) return its->send(stream, waiting_);
  for (const Transfer& t : waiting_)
    check(cudaMemcpyAsync(t.to, t.from, t.bytes, cudaMemcpyDefault, stream), "copying pages");
}

}  // namespace fathom::cuda
