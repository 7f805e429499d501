#include "fathom/dynamic/cuda/update_upload.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "fathom/core/parallel.hpp"

namespace fathom::dynamic::gpu {
namespace {

std::size_t loops_among(const EdgeUpdate* first, const EdgeUpdate* last) {
  return static_cast<std::size_t>(
      std::count_if(first, last, [](const EdgeUpdate& e) { return e.source == e.target; }));
}

bool is_pinned(const void* p) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess)
    return attributes.type == cudaMemoryTypeHost;
  cudaGetLastError();
  return false;
}

}  // namespace

UpdateUpload::~UpdateUpload() {
  if (!memory_) return;
  for (const cudaEvent_t event : sent_) {
    cudaEventSynchronize(event);
    cudaEventDestroy(event);
  }
  cudaFreeHost(memory_);
  ctx_.host_memory()->unreserve(2 * kHalf);
}

/// Whether there is pinned memory: it is left to others where the budget is tight.
bool UpdateUpload::staged() {
  constexpr std::size_t kPlenty = 16;  // times as much
  if (memory_) return true;
  if (ctx_.host_memory()->available() / kPlenty < 2 * kHalf) return false;
  gpu_.activate();
  void* memory = nullptr;
  cuda::check(cudaHostAlloc(&memory, 2 * kHalf, cudaHostAllocDefault), "allocating pinned memory");
  memory_ = static_cast<std::byte*>(memory);
  for (cudaEvent_t& event : sent_)
    cuda::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
  ctx_.host_memory()->reserve(2 * kHalf);
  return true;
}

std::size_t UpdateUpload::send(const EdgeUpdate* from, std::size_t n, EdgeUpdate* to,
                               bool count_loops) {
  constexpr std::size_t kPart = kHalf / sizeof(EdgeUpdate);
  if (n == 0) return 0;
  std::size_t loops = 0;
  const bool direct = is_pinned(from);
  if (direct || !staged()) {
    if (direct)
      cuda::check(
          cudaMemcpyAsync(to, from, n * sizeof(EdgeUpdate), cudaMemcpyHostToDevice, gpu_.stream()),
          "copying updates");
    else
      gpu_.send(to, from, n * sizeof(EdgeUpdate), ctx_.host_memory());
    if (!count_loops) return 0;
    return parallel_reduce(
        ctx_.threads(), n, std::size_t{1} << 14, std::size_t{0},
        [&](std::size_t a, std::size_t b) { return loops_among(from + a, from + b); },
        [](std::size_t a, std::size_t b) { return a + b; });
  }
  for (std::size_t done = 0; done < n; done += kPart)
    loops += send_part(from + done, std::min(kPart, n - done), to + done, count_loops);
  return loops;
}

std::size_t UpdateUpload::send_part(const EdgeUpdate* from, std::size_t n, EdgeUpdate* to,
                                    bool count_loops) {
  cudaStream_t const stream = gpu_.stream();
  // An event that was never recorded has happened.
  cuda::check(cudaEventSynchronize(sent_[next_]), "waiting for a copy");
  auto* const half =
      reinterpret_cast<EdgeUpdate*>(memory_ + static_cast<std::size_t>(next_) * kHalf);
  std::atomic<std::size_t> loops{0};
  std::atomic<cudaError_t> status{cudaSuccess};
  parallel_for(ctx_.threads(), n, kPiece / sizeof(EdgeUpdate),
               [&](std::size_t a, std::size_t b, int) {
                 const std::size_t bytes = (b - a) * sizeof(EdgeUpdate);
                 std::memcpy(half + a, from + a, bytes);
                 cudaError_t done = cudaSetDevice(gpu_.ordinal());
                 if (done == cudaSuccess)
                   done = cudaMemcpyAsync(to + a, half + a, bytes, cudaMemcpyHostToDevice, stream);
                 if (done != cudaSuccess) status = done;
                 if (count_loops) loops += loops_among(from + a, from + b);
               });
  cuda::check(status, "copying updates");
  cuda::check(cudaEventRecord(sent_[next_], stream), "recording an event");
  next_ = 1 - next_;
  return loops;
}

}  // namespace fathom::dynamic::gpu
