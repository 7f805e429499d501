#include "fathom/exec/cuda/pin_host.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

constexpr std::uintptr_t kPage = 4096;

class DriverPinner final : public HostPinner {
 public:
  DriverPinner() { check(cudaGetDevice(&device_), "asking for the current device"); }

  std::string pin(const std::byte* first, std::size_t bytes) override {
    cudaError_t status = cudaSetDevice(device_);  // of a new thread's
    if (status == cudaSuccess) status = enter(first, bytes, cudaHostRegisterReadOnly);
    // Where the platform knows no read-only registration, memory that may be written will do.
    if (status == cudaErrorNotSupported || status == cudaErrorInvalidValue)
      status = enter(first, bytes, 0);
    if (status == cudaSuccess) return "";
    return std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")";
  }

  void unpin(const std::byte* first) noexcept override {
    if (cudaHostUnregister(const_cast<std::byte*>(first)) != cudaSuccess) cudaGetLastError();
  }

 private:
  static cudaError_t enter(const std::byte* first, std::size_t bytes, unsigned flags) {
    const cudaError_t status =
        cudaHostRegister(const_cast<std::byte*>(first), (bytes + kPage - 1) / kPage * kPage,
                         cudaHostRegisterPortable | flags);
    if (status != cudaSuccess) cudaGetLastError();  // an answer, not the next kernel's error
    return status;
  }

  int device_ = 0;
};

}  // namespace

HostPins& host_pins() {
  static HostPins pins;
  return pins;
}

std::shared_ptr<PinnedPieces> pin_pieces(std::span<const std::byte> memory, std::size_t written) {
  // Whole pages are pinned, and copies of memory that is pinned in part fail: only what starts on
  // a page and shares its last one with nothing (a section of a store, a mapped array) qualifies.
  constexpr std::size_t kPinFrom = std::size_t{1} << 21;  // less may share its pages with others
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % kPage != 0 || memory.size() < kPinFrom)
    return nullptr;
  auto pieces = host_pins().pin(std::make_shared<DriverPinner>(), memory, written);
  if (!pieces || !pieces->ended() || pieces->pinned() > 0) return pieces;
  host_pins().unpin(memory.data());
  return nullptr;
}

bool pin_host(const void* p, std::size_t bytes) {
  return pin_pieces({static_cast<const std::byte*>(p), bytes}) != nullptr;
}

void unpin_host(const void* p) noexcept {
  host_pins().unpin(static_cast<const std::byte*>(p));
}

}  // namespace fathom::cuda
