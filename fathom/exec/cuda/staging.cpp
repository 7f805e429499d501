#include "fathom/exec/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include "fathom/core/parallel.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

// Small enough that a dozen threads share 100,000 updates.
constexpr std::size_t kPiece = std::size_t{128} << 10;

}  // namespace

Staging::Staging(std::size_t slots, std::size_t slot_bytes, int threads)
    : slot_bytes_(slot_bytes), threads_(threads), sent_(slots) {
  try {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, bytes(), cudaHostAllocDefault), "allocating pinned memory");
    memory_ = static_cast<std::byte*>(memory);
    for (cudaEvent_t& event : sent_)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
  } catch (...) {
    release();
    throw;
  }
}

Staging::~Staging() {
  release();
}

void Staging::release() noexcept {
  for (const cudaEvent_t event : sent_) {
    if (!event) continue;
    cudaEventSynchronize(event);
    cudaEventDestroy(event);
  }
  if (memory_) cudaFreeHost(memory_);
}

void Staging::copy(void* to, const void* from, std::size_t bytes) const {
  parallel_for(threads_, bytes, kPiece, [&](std::size_t a, std::size_t b, int) {
    std::memcpy(static_cast<std::byte*>(to) + a, static_cast<const std::byte*>(from) + a, b - a);
  });
}

void Staging::send(cudaStream_t stream, std::span<const Transfer> transfers) {
  std::vector<Transfer> parts;  // of one slot
  std::size_t filled = 0;
  for (const Transfer& t : transfers)
    for (std::size_t done = 0; done < t.bytes;) {
      const std::size_t count = std::min(slot_bytes_ - filled, t.bytes - done);
      parts.push_back({static_cast<std::byte*>(t.to) + done,
                       static_cast<const std::byte*>(t.from) + done, count});
      done += count;
      filled += count;
      if (filled < slot_bytes_) continue;
      send_slot(stream, parts);
      parts.clear();
      filled = 0;
    }
  if (!parts.empty()) send_slot(stream, parts);
}

void Staging::send_slot(cudaStream_t stream, std::span<const Transfer> parts) {
  std::vector<std::size_t> begin{0};  // of each part in the slot, and the end
  for (const Transfer& part : parts) begin.push_back(begin.back() + part.bytes);
  std::byte* const into = take_slot();
  parallel_for(threads_, begin.back(), kPiece, [&](std::size_t a, std::size_t b, int) {
    auto k = static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), a) -
                                      begin.begin() - 1);
    for (; a < b; ++k) {
      const std::size_t count = std::min(b, begin[k + 1]) - a;
      std::memcpy(into + a, static_cast<const std::byte*>(parts[k].from) + (a - begin[k]), count);
      a += count;
    }
  });
  for (std::size_t k = 0; k < parts.size();) {
    std::size_t last = k + 1;  // neighbours at their destination go together
    while (last < parts.size() &&
           static_cast<std::byte*>(parts[last].to) ==
               static_cast<std::byte*>(parts[last - 1].to) + parts[last - 1].bytes)
      ++last;
    check(cudaMemcpyAsync(parts[k].to, into + begin[k], begin[last] - begin[k],
                          cudaMemcpyHostToDevice, stream),
          "copying memory");
    k = last;
  }
  leave_slot(stream);
}

std::byte* Staging::take_slot() {
  // An event that was never recorded has happened.
  check(cudaEventSynchronize(sent_[next_]), "waiting for a copy");
  return slot(next_);
}

void Staging::leave_slot(cudaStream_t stream) {
  check(cudaEventRecord(sent_[next_], stream), "recording an event");
  next_ = (next_ + 1) % sent_.size();
}

void Staging::receive(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
  const std::size_t parts = (bytes + slot_bytes_ - 1) / slot_bytes_, slots = sent_.size();
  const auto size_of = [&](std::size_t part) {
    return std::min(slot_bytes_, bytes - part * slot_bytes_);
  };
  // Copies run ahead of what is taken out of the slots.
  for (std::size_t part = 0; part < parts + slots; ++part) {
    if (part >= slots && part - slots < parts) {
      const std::size_t old = part - slots;
      check(cudaEventSynchronize(sent_[old % slots]), "waiting for a copy (or an earlier kernel)");
      copy(static_cast<std::byte*>(to) + old * slot_bytes_, slot(old % slots), size_of(old));
    }
    if (part >= parts) continue;
    const std::size_t k = part % slots;
    check(cudaEventSynchronize(sent_[k]), "waiting for a copy");
    check(cudaMemcpyAsync(slot(k), static_cast<const std::byte*>(from) + part * slot_bytes_,
                          size_of(part), cudaMemcpyDeviceToHost, stream),
          "copying memory");
    check(cudaEventRecord(sent_[k], stream), "recording an event");
  }
}

}  // namespace fathom::cuda
