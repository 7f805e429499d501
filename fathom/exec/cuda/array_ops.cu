#include "fathom/exec/cuda/array_ops.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {

ArrayScratch::~ArrayScratch() {
  if (!pool_) cudaFree(data_);
}

void* ArrayScratch::at_least(std::size_t bytes) {
  if (bytes <= bytes_) return data_;
  if (pool_) {
    counted_ = {};
    data_ = nullptr;
    bytes_ = 0;
    counted_ = Array<std::byte>(bytes, pool_);
    bytes_ = bytes;
    return data_ = counted_.data();
  }
  check(cudaFree(data_), "freeing device memory");
  data_ = nullptr;
  bytes_ = 0;
  check(cudaMalloc(&data_, bytes), "allocating temporary device memory");
  bytes_ = bytes;
  return data_;
}

void sort_pairs(ArrayScratch& scratch, const std::uint64_t* keys, std::uint64_t* sorted_keys,
                const std::uint64_t* values, std::uint64_t* sorted_values, std::uint64_t n,
                cudaStream_t stream, int bits) {
  std::size_t bytes = 0;
  const auto sort = [&](void* temporary) {
    check(cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, sorted_keys, values,
                                          sorted_values, n, 0, bits, stream),
          "sorting on the device");
  };
  sort(nullptr);
  sort(scratch.at_least(bytes));
}

void sort_keys(ArrayScratch& scratch, const std::uint64_t* keys, std::uint64_t* sorted_keys,
               std::uint64_t n, cudaStream_t stream, int bits) {
  std::size_t bytes = 0;
  const auto sort = [&](void* temporary) {
    check(cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, sorted_keys, n, 0, bits, stream),
          "sorting on the device");
  };
  sort(nullptr);
  sort(scratch.at_least(bytes));
}

void exclusive_sum(ArrayScratch& scratch, const std::uint64_t* values, std::uint64_t* sums,
                   std::uint64_t n, cudaStream_t stream) {
  std::size_t bytes = 0;
  const auto sum = [&](void* temporary) {
    check(cub::DeviceScan::ExclusiveSum(temporary, bytes, values, sums, n, stream),
          "summing up on the device");
  };
  sum(nullptr);
  sum(scratch.at_least(bytes));
}

}  // namespace fathom::cuda
