#include "fathom/exec/cuda/merge.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/exec/cuda/collectives.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/nccl/cuda/nccl_library.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kMergeBlock = 256;
// Of a replica whose memory a device cannot reach so much is copied at a time: large copies run at
// the link's full rate, and all of them together stay small beside the arrays.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
// Shares of devices begin at multiples of as many elements: whole words of `touched`, whole lines.
constexpr std::size_t kUnit = 64;

/// The same elements of every replica, wherever the kernel's device reads and writes them.
template <class T>
struct Parts {
  T* at[Context::kMostGpus];
  std::uint64_t writable;  // a bit per replica
  unsigned count;
};

template <class T, class Rule>
__global__ void __launch_bounds__(kMergeBlock)
    merge_parts(Parts<T> parts, std::size_t size, const std::uint64_t* touched, Rule rule) {
  for (std::size_t i = std::size_t{blockIdx.x} * kMergeBlock + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * kMergeBlock) {
    if (touched && (touched[i >> 6] >> (i & 63) & 1) == 0) continue;
    T value = parts.at[0][i];
    for (unsigned d = 1; d < parts.count; ++d) value = rule(value, parts.at[d][i]);
    for (unsigned d = 0; d < parts.count; ++d)
      if ((parts.writable >> d & 1) != 0) parts.at[d][i] = value;
  }
}

/// What each device has queued so far comes before what any of them queues from now on.
void meet(std::span<const Replica> replicas) {
  for (const Replica& r : replicas) r.gpu->mark();
  for (const Replica& r : replicas)
    for (const Replica& other : replicas)
      if (&r != &other) r.gpu->wait_for(*other.gpu);
}

void copy_to(const Gpu& to, void* target, const Gpu& from, const void* source, std::size_t bytes,
             const Gpu& by) {
  check(cudaMemcpyPeerAsync(target, to.ordinal(), source, from.ordinal(), bytes, by.stream()),
        "copying between devices");
}

/// Merges elements [first, first + size) of all replicas on the GPU of replica `by`.
template <class T, class Rule>
void merge_piece(std::span<const Replica> replicas, std::size_t by, std::size_t first,
                 std::size_t size, T* copies) {
  Gpu& gpu = *replicas[by].gpu;
  Parts<T> parts{};
  parts.count = static_cast<unsigned>(replicas.size());
  for (std::size_t d = 0; d < replicas.size(); ++d) {
    T* const theirs = reinterpret_cast<T*>(replicas[d].data) + first;
    if (gpu.reaches(*replicas[d].gpu)) {
      parts.at[d] = theirs;
      parts.writable |= std::uint64_t{1} << d;
    } else {
      copy_to(gpu, copies, *replicas[d].gpu, theirs, size * sizeof(T), gpu);
      parts.at[d] = copies;
      copies += size;
    }
  }
  const std::size_t wanted = (size + kMergeBlock - 1) / kMergeBlock;
  const std::size_t full = static_cast<std::size_t>(gpu.multiprocessors()) * 8;
  const std::uint64_t* const touched = replicas[by].touched;
  merge_parts<T, Rule>
      <<<static_cast<unsigned>(std::min(wanted, full)), kMergeBlock, 0, gpu.stream()>>>(
          parts, size, touched ? touched + first / 64 : nullptr, Rule{});
  check(cudaGetLastError(), "merging replicas");
  for (std::size_t d = 0; d < replicas.size(); ++d)
    if ((parts.writable >> d & 1) == 0)
      copy_to(*replicas[d].gpu, replicas[d].data + first * sizeof(T), gpu,
              replicas[by].data + first * sizeof(T), size * sizeof(T), gpu);
}

template <class T, class Rule>
void merge_all(std::span<const Replica> replicas, std::size_t count) {
  const std::size_t n = replicas.size();
  const std::size_t share = ((count + n - 1) / n + kUnit - 1) / kUnit * kUnit;
  meet(replicas);
  for (std::size_t by = 0; by < n; ++by) {
    Gpu& gpu = *replicas[by].gpu;
    std::size_t apart = 0;
    for (const Replica& r : replicas) apart += gpu.reaches(*r.gpu) ? 0 : 1;
    const std::size_t piece =
        apart == 0 ? share : std::min(share, kPieceBytes / sizeof(T) / kUnit * kUnit);
    T* const copies =
        apart == 0 ? nullptr : static_cast<T*>(gpu.scratch(apart * piece * sizeof(T)));
    const std::size_t last = std::min(count, (by + 1) * share);
    for (std::size_t first = by * share; first < last; first += piece)
      merge_piece<T, Rule>(replicas, by, first, std::min(piece, last - first), copies);
  }
  meet(replicas);
}

template <class T>
void merge_by(std::span<const Replica> replicas, std::size_t count, MergeRule rule) {
  switch (rule) {
    case MergeRule::Min:
      return merge_all<T, MergeMin>(replicas, count);
    case MergeRule::Sum:
      return merge_all<T, MergeSum>(replicas, count);
    case MergeRule::Or:
      if constexpr (std::is_integral_v<T>) return merge_all<T, MergeOr>(replicas, count);
      break;
  }
  throw Error(ErrorCode::Internal, "replicas of floating-point numbers cannot be merged by bits");
}

}  // namespace

void merge(std::span<const Replica> replicas, std::size_t count, ScalarKind kind, MergeRule rule) {
  Collectives* const nccl = replicas[0].gpu->collectives();
  if (nccl && !replicas[0].touched && NcclLibrary::knows(kind, rule) && nccl->ready())
    return nccl->merge(replicas, count, kind, rule);
  switch (kind) {
    case ScalarKind::Int32:
      return merge_by<std::int32_t>(replicas, count, rule);
    case ScalarKind::Uint32:
      return merge_by<std::uint32_t>(replicas, count, rule);
    case ScalarKind::Uint64:
      return merge_by<std::uint64_t>(replicas, count, rule);
    case ScalarKind::Float:
      return merge_by<float>(replicas, count, rule);
    case ScalarKind::Double:
      return merge_by<double>(replicas, count, rule);
    case ScalarKind::Other:
      break;
  }
  throw Error(ErrorCode::Internal, "replicas of a type that devices cannot merge");
}

void show_to_first(std::span<const Replica> replicas, std::size_t count, std::size_t size,
                   FunctionRef<void(const void*, std::size_t, std::size_t)> show) {
  meet(replicas);
  Gpu& gpu = *replicas[0].gpu;
  const std::size_t piece = std::min(count, std::max<std::size_t>(kPieceBytes / size, 1));
  for (const Replica& r : replicas.subspan(1)) {
    if (gpu.reaches(*r.gpu)) {
      show(r.data, 0, count);
      continue;
    }
    void* const copy = gpu.scratch(piece * size);
    for (std::size_t first = 0; first < count; first += piece) {
      const std::size_t n = std::min(piece, count - first);
      copy_to(gpu, copy, *r.gpu, r.data + first * size, n * size, gpu);
      show(copy, first, n);
    }
  }
  meet(replicas);
}

void copy_first_to_all(std::span<const Replica> replicas, std::size_t bytes) {
  meet(replicas);
  for (const Replica& r : replicas.subspan(1))
    copy_to(*r.gpu, r.data, *replicas[0].gpu, replicas[0].data, bytes, *r.gpu);
  meet(replicas);
}

}  // namespace fathom::cuda
