// From the updates of a batch to changes sorted by list and target, in the order in which they were
// asked for, and the lists that they touch.
#include <bit>

#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

// What is sorted beside a key: Change::weight, whether the update counts and whether it deletes.
constexpr std::uint64_t kDeletes = 1, kCounts = 2;

/// The second copy of a loop gets a source behind all others.
__global__ void __launch_bounds__(kBlock)
    make_keys(Updates in, int target_bits, std::uint64_t* key, std::uint64_t* value) {
  const std::size_t n = std::size_t{in.updates} + in.edges;
  const auto key_of = [&](VertexId u, VertexId v) {
    return static_cast<std::uint64_t>(u) << target_bits | v;
  };
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    EdgeUpdate e;
    if (i < in.updates)
      e = in.update[i];
    else
      e = {in.implied[i - in.updates].source, in.implied[i - in.updates].target, 1, true};
    const std::uint64_t its =
        std::uint64_t{__builtin_bit_cast(std::uint32_t, weight_of(in.numbered, i, e))} << 32 |
        (i < in.updates ? kCounts : 0) | (e.deletion ? kDeletes : 0);
    const bool loop = e.source == e.target;
    if (e.source >= in.vertices || e.target >= in.vertices) e.source = e.target = 0;
    const VertexId u = in.swapped ? e.target : e.source, v = in.swapped ? e.source : e.target;
    const std::size_t at = in.mirrored ? 2 * i : i;
    key[at] = key_of(u, v);
    value[at] = its;
    if (!in.mirrored) continue;
    key[at + 1] = loop ? key_of(in.vertices, 0) : key_of(v, u);
    value[at + 1] = its;
  }
}

__global__ void __launch_bounds__(kBlock)
    make_changes(const std::uint64_t* key, const std::uint64_t* value, int target_bits,
                 std::uint32_t n, Change* change, std::uint64_t* flag) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const std::uint64_t its = value[i];
    Change c{static_cast<VertexId>(key[i] >> target_bits),
             static_cast<VertexId>(key[i] & ((std::uint64_t{1} << target_bits) - 1)),
             __builtin_bit_cast(Weight, static_cast<std::uint32_t>(its >> 32)),
             (its & kDeletes) != 0 ? ChangeKind::Delete : ChangeKind::Insert,
             static_cast<std::uint16_t>((its & kCounts) != 0 ? 1 : 0)};
    change[i] = c;
    flag[i] = i == 0 || key[i - 1] >> target_bits != key[i] >> target_bits ? 1 : 0;
  }
}

__global__ void __launch_bounds__(kBlock)
    make_touched(const Change* change, const std::uint64_t* flag, const std::uint64_t* place,
                 std::uint32_t n, TouchedList* touched, SideTotals* totals) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    if (i + 1 == n) totals->touched = static_cast<std::uint32_t>(place[i] + flag[i]);
    if (flag[i] == 0) continue;
    TouchedList t;
    t.first = static_cast<std::uint32_t>(i);
    t.vertex = change[i].source;
    touched[place[i]] = t;
  }
}

__global__ void __launch_bounds__(kBlock)
    close_touched(TouchedList* touched, std::uint32_t n, const SideTotals* totals) {
  const std::uint32_t count = totals->touched;
  for (std::size_t i = thread_index(); i < count; i += thread_count())
    touched[i].last = i + 1 < count ? touched[i + 1].first : n;
}

}  // namespace

void sort_changes(cuda::Gpu& gpu, cuda::ArrayScratch& scratch, const Updates& updates,
                  const SortSpace& space, const Side& side) {
  const std::uint32_t n = side.changes;
  if (n == 0) return;
  cudaStream_t stream = gpu.stream();
  const int bits =
      std::bit_width(std::uint64_t{updates.vertices});  // of a source behind all others
  make_keys<<<blocks_for(gpu, updates.keys()), kBlock, 0, stream>>>(updates, bits, space.key,
                                                                    space.value);
  cuda::sort_pairs(scratch, space.key, space.sorted_key, space.value, space.sorted_value,
                   updates.keys(), stream, 2 * bits);
  const unsigned blocks = blocks_for(gpu, n);
  make_changes<<<blocks, kBlock, 0, stream>>>(space.sorted_key, space.sorted_value, bits, n,
                                              side.change, space.flag);
  cuda::exclusive_sum(scratch, space.flag, space.place, n, stream);
  make_touched<<<blocks, kBlock, 0, stream>>>(side.change, space.flag, space.place, n, side.touched,
                                              side.totals);
  close_touched<<<blocks, kBlock, 0, stream>>>(side.touched, n, side.totals);
  cuda::check(cudaGetLastError(), "sorting a batch");
}

}  // namespace fathom::dynamic::gpu
