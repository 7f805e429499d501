// CUB's device-wide operations behind plain functions: its headers cost seconds of nvcc time, once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "fathom/core/array.hpp"

namespace fathom::cuda {

/// Device memory for temporary data: grows to what is asked for, and is kept from call to call.
class FATHOM_API ArrayScratch {
 public:
  ArrayScratch() = default;
  /// Counts against `pool`, which is a device's.
  explicit ArrayScratch(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  ~ArrayScratch();
  ArrayScratch(const ArrayScratch&) = delete;
  ArrayScratch& operator=(const ArrayScratch&) = delete;

  /// @throws Error(DoesNotFit)
  void* at_least(std::size_t bytes);

 private:
  std::shared_ptr<MemoryPool> pool_;  // null: straight from the driver
  Array<std::byte> counted_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Sorts n pairs by the lowest `bits` of their keys into other arrays; pairs with equal keys stay
/// in their order. @throws Error(Device), Error(DoesNotFit)
FATHOM_API void sort_pairs(ArrayScratch& scratch, const std::uint64_t* keys,
                           std::uint64_t* sorted_keys, const std::uint64_t* values,
                           std::uint64_t* sorted_values, std::uint64_t n,
                           cudaStream_t stream = nullptr, int bits = 64);

/// The same of keys alone.
FATHOM_API void sort_keys(ArrayScratch& scratch, const std::uint64_t* keys,
                          std::uint64_t* sorted_keys, std::uint64_t n,
                          cudaStream_t stream = nullptr, int bits = 64);

/// sums[i] = values[0] + ... + values[i - 1]. @throws Error(Device), Error(DoesNotFit)
FATHOM_API void exclusive_sum(ArrayScratch& scratch, const std::uint64_t* values,
                              std::uint64_t* sums, std::uint64_t n, cudaStream_t stream = nullptr);

}  // namespace fathom::cuda
