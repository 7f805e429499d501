// Ouroboros for CUDA programs: the manager (ouroboros.hpp), which kernels take by value, and
// DeviceHeap, which owns its memory on one GPU. Address space is reserved once; grow() maps more
// memory between kernels, and nothing moves. Link fathom::cuda.
//
//   using MM = fathom::memory::Ouroboros<fathom::memory::VLP>;
//   __global__ void kernel(MM mm) { void* p = mm.malloc(100); ... mm.free(p); }
//   fathom::memory::DeviceHeap<MM> heap({.bytes = 8ull << 30});
//   kernel<<<grid, block>>>(heap.manager());
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "fathom/core/error.hpp"
#include "fathom/memory/cuda/address_range.hpp"
#include "fathom/memory/inspect.hpp"
#include "fathom/memory/relocate.hpp"

namespace fathom::memory {

namespace kernels {

template <class Manager>
__global__ void reset_heap_tables(Heap heap) {
  reset_tables(heap, blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x,
               std::uint64_t{gridDim.x} * blockDim.x);
}
template <class Manager>
__global__ void reset_heap_control(Heap heap, std::uint64_t front, std::uint64_t mapped) {
  reset_control<Manager>(heap, front, mapped);
}
template <class Manager>
__global__ void inspect_heap(Manager manager, Stats* stats_out, Broken* valid_out) {
  if (stats_out) *stats_out = stats(manager);
  if (valid_out) *valid_out = valid(manager);
}
template <class Manager>
__global__ void move_heap_control(Manager from, Manager to, bool* fits) {
  *fits = relocate_control(from, to);
}

}  // namespace kernels

/// All methods act on the device that was current at construction, and while no kernel uses the
/// heap. @throws Error(Device), Error(DoesNotFit)
template <class Manager>
class DeviceHeap {
 public:
  /// Reserves addresses for options.bytes of data and maps the last `mapped` of them (all by
  /// default) for chunks. Metadata is mapped for all.
  explicit DeviceHeap(const HeapOptions& options, std::uint64_t mapped = ~std::uint64_t{0})
      : options_(options), range_(make_layout<Manager>(options).bytes) {
    if (options.bytes < kChunkBytes || options.bytes > kMostRegion)
      throw Error(ErrorCode::Usage, "a heap needs 8192 bytes to 512 GiB of data, " +
                                        std::to_string(options.bytes) + " were asked for");
    manager_ = Manager(range_.base(), make_layout<Manager>(options));
    const std::uint64_t wanted = mapped < data() ? mapped : data();
    low_ = round_down(data() - wanted);
    range_.map(low_, range_.bytes());
    reset();
  }
  DeviceHeap(DeviceHeap&&) noexcept = default;
  DeviceHeap& operator=(DeviceHeap&&) noexcept = default;

  Manager manager() const { return manager_; }

  /// Forgets every allocation and the front.
  void reset() {
    kernels::reset_heap_tables<Manager><<<1024, 256>>>(manager_.heap());
    kernels::reset_heap_control<Manager><<<1, 1>>>(manager_.heap(), front_limit(), chunk_limit());
    finish("resetting a heap");
  }

  /// Maps at least `bytes` more for chunks, as far as the reserved addresses go.
  void grow(std::uint64_t bytes) {
    const std::uint64_t room = low_ - high_;
    const std::uint64_t low = bytes < room ? round_down(low_ - bytes) : high_;
    range_.map(low, low_);
    low_ = low;
    set_limits();
  }

  /// Maps the first `bytes` of the region for its owner; set_front() then reaches that far.
  void grow_front(std::uint64_t bytes) {
    const std::uint64_t step = range_.granularity();
    std::uint64_t high = (bytes + step - 1) / step * step;
    high = high < low_ ? high : low_;
    if (high <= high_) return;
    range_.map(high_, high);
    high_ = high;
    set_limits();
  }

  Stats stats() const {
    Scratch<Stats> result;
    kernels::inspect_heap<<<1, 1>>>(manager_, result.device(), nullptr);
    return result.read();
  }
  Broken valid() const {
    Scratch<Broken> result;
    kernels::inspect_heap<<<1, 1>>>(manager_, nullptr, result.device());
    return result.read();
  }

  /// Moves everything into a region of `bytes`, larger or smaller, by copies. Indices (index_of())
  /// stay, pointers do not. What is mapped for chunks, and for the front, is as much as before, or
  /// all of the new region if all was.
  void resize(std::uint64_t bytes) {
    const Stats now = stats();
    const std::uint64_t needed = now.bytes_front + now.bytes_reserved;
    if (bytes / kChunkBytes * kChunkBytes < needed)
      throw Error(ErrorCode::DoesNotFit, "the heap holds " + std::to_string(needed) +
                                             " bytes, which do not fit into " +
                                             std::to_string(bytes));
    HeapOptions options = options_;
    options.bytes = bytes;
    const bool all = high_ == low_;
    DeviceHeap moved(options, all ? ~std::uint64_t{0} : chunk_limit());
    if (!all) moved.grow_front(high_);
    for_each_moved_piece(manager_, moved.manager_, now.bytes_front,
                         now.bytes_reserved / kChunkBytes,
                         [](void* to, const void* from, std::size_t n) {
                           if (n > 0) cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice);
                         });
    Scratch<bool> fits;
    kernels::move_heap_control<<<1, 1>>>(manager_, moved.manager_, fits.device());
    if (!fits.read())
      throw Error(ErrorCode::DoesNotFit, "the heap's queues do not fit into a region of " +
                                             std::to_string(bytes) + " bytes");
    *this = std::move(moved);
  }

 private:
  /// One value that a kernel writes.
  template <class T>
  class Scratch {
   public:
    Scratch() {
      if (cudaMalloc(&device_, sizeof(T)) != cudaSuccess)
        throw Error(ErrorCode::DoesNotFit, "no device memory for a heap's report");
    }
    ~Scratch() { cudaFree(device_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    T* device() const { return device_; }
    T read() const {
      T value{};
      if (cudaMemcpy(&value, device_, sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
        finish("inspecting a heap");
      return value;
    }

   private:
    T* device_ = nullptr;
  };

  static void finish(const char* what) {
    const cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess)
      throw Error(ErrorCode::Device, std::string(what) + ": " + cudaGetErrorString(status));
  }
  void set_limits() {
    const std::uint64_t limits = front_limit() / kChunkBytes << 32 | chunk_limit() / kChunkBytes;
    auto* word = manager_.heap().base + manager_.heap().layout.control + offsetof(Control, limits);
    if (cudaMemcpy(word, &limits, sizeof limits, cudaMemcpyHostToDevice) != cudaSuccess)
      finish("growing a heap");
  }
  std::uint64_t data() const { return manager_.heap().layout.units * kChunkBytes; }
  std::uint64_t round_down(std::uint64_t offset) const {
    return offset / range_.granularity() * range_.granularity();
  }
  std::uint64_t chunk_limit() const { return data() - (high_ == low_ ? 0 : low_); }
  std::uint64_t front_limit() const { return high_ == low_ ? data() : high_; }

  HeapOptions options_;
  AddressRange range_;
  Manager manager_;
  std::uint64_t low_ = 0, high_ = 0;  // mapped: [0, high) and [low, end of the range)
};

}  // namespace fathom::memory
