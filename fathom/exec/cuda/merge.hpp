// Replicas on several GPUs: merged by kernels that reach the memory of their peers, or, where a
// device cannot, of copies of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fathom/exec/replicas.hpp"

namespace fathom::cuda {

class Gpu;

struct Replica {
  Gpu* gpu;
  std::byte* data;
  const std::uint64_t* touched;  // a bit per element, on the same device; null: all are merged
};

/// See merge_on_gpus().
FATHOM_API void merge(std::span<const Replica> replicas, std::size_t count, ScalarKind kind,
                      MergeRule rule);

/// Calls show(from, begin, n) with elements [begin, begin + n) of each replica but the first, in
/// memory that kernels of the first device can read until those it starts are done.
FATHOM_API void show_to_first(std::span<const Replica> replicas, std::size_t count,
                              std::size_t size,
                              FunctionRef<void(const void*, std::size_t, std::size_t)> show);

/// Copies the first replica over all others.
FATHOM_API void copy_first_to_all(std::span<const Replica> replicas, std::size_t bytes);

}  // namespace fathom::cuda
