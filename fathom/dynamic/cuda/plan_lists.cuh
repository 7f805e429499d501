// Where the pages of lists that are planned stand among those of all: shared by the ways of
// planning.
#pragma once

#include "fathom/dynamic/cuda/gpu_batch.hpp"
#include "fathom/dynamic/cuda/lists.cuh"

namespace fathom::dynamic::gpu {

/// What a thread finds in the lists that it plans.
struct Placed {
  unsigned long long moved = 0, growth = 0;
  std::uint32_t longest = 0;

  /// All lanes of a warp call it.
  __device__ void add_to(SideTotals& totals) const {
    const auto sum = [](auto a, auto b) { return a + b; };
    const unsigned long long all_moved = reduce(WarpLanes{}, moved, sum);
    const unsigned long long all_growth = reduce(WarpLanes{}, growth, sum);
    const std::uint32_t most =
        reduce(WarpLanes{}, longest, [](auto a, auto b) { return a > b ? a : b; });
    if (threadIdx.x % 32 != 0) return;
    if (all_moved != 0) AtomicRef(totals.moved).fetch_add(all_moved);
    if (all_growth != 0) AtomicRef(totals.growth).fetch_add(all_growth);
    if (most > AtomicRef(totals.longest).load()) atomicMax(&totals.longest, most);
  }
};

/// Tiles of a block's threads over n items: body(i, i < n) by all threads of a block at a time.
template <class Body>
__device__ void for_tiles(std::size_t n, const Body& body) {
  for (std::size_t tile = std::size_t{blockIdx.x} * kBlock; tile < n; tile += thread_count()) {
    const std::size_t i = tile + threadIdx.x;
    body(i, i < n);
  }
}

/// The sum of the values of the lanes before this one, and of all.
__device__ inline std::uint32_t sum_before(std::uint32_t value, std::uint32_t& all) {
  if (__all_sync(~0u, value <= 1)) {
    const std::uint32_t ones = __ballot_sync(~0u, value != 0);
    all = static_cast<std::uint32_t>(__popc(ones));
    return static_cast<std::uint32_t>(__popc(ones & ((1u << threadIdx.x % 32) - 1)));
  }
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t sum = value;
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  all = __shfl_sync(~0u, sum, 31);
  return sum - value;
}

/// Where `n` of this thread begin among those that `shared` counts of a block. All lanes of a warp
/// call it, which adds up by itself: threads that all add to one word wait for each other.
__device__ inline std::uint32_t number_among(std::uint32_t n, std::uint32_t* shared) {
  std::uint32_t all = 0;
  const std::uint32_t before = sum_before(n, all);
  std::uint32_t first = 0;
  if (threadIdx.x % 32 == 0 && all != 0) first = atomicAdd(shared, all);
  return __shfl_sync(~0u, first, 0) + before;
}

/// The same where each size is counted on its own.
__device__ inline std::uint32_t number_among(std::uint32_t n, int size, std::uint32_t* shared) {
  const std::uint32_t same = __match_any_sync(~0u, n != 0 ? size : kPageSizes);
  if (__any_sync(~0u, n > 1)) return n != 0 ? atomicAdd(&shared[size], n) : 0;
  const int leader = __ffs(static_cast<int>(same)) - 1;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t first = 0;
  if (n != 0 && static_cast<int>(lane) == leader)
    first = atomicAdd(&shared[size], static_cast<std::uint32_t>(__popc(same)));
  return __shfl_sync(~0u, first, leader) +
         static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)));
}

/// Where `n` of this thread begin among those that `total` counts. All threads of a block call it.
__device__ inline std::uint32_t number_among_all(std::uint32_t n, std::uint32_t* total) {
  __shared__ std::uint32_t sum, first;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const std::uint32_t at = number_among(n, &sum);
  __syncthreads();
  if (threadIdx.x == 0 && sum != 0) first = atomicAdd(total, sum);
  __syncthreads();  // two more pass before the next call writes `first`
  return first + at;
}

/// Says where the pages of list i stand, which is `t` (of no change, where there is none). All
/// threads of a block call it: what they count is added up before the other blocks hear of it.
__device__ inline void place(const Side& side, Totals* totals, TouchedList& t, std::size_t i,
                             Placed& sums) {
  __shared__ std::uint32_t wanted[kPageSizes], returned[kPageSizes], fresh, old;
  __shared__ unsigned long long first_fresh, first_old;
  if (threadIdx.x < kPageSizes) wanted[threadIdx.x] = returned[threadIdx.x] = fresh = old = 0;
  __syncthreads();
  if (t.last - t.first > sums.longest) sums.longest = t.last - t.first;
  PageNumbers number{};
  int size = 0, size_before = 0;
  bool back = false;
  if (t.changes) {
    const DynamicList mine = side.lists.list[t.vertex];
    sums.moved += t.moves ? 1 : 0;
    sums.growth += t.size - static_cast<unsigned long long>(mine.size);
    if (t.fresh != 0) size = PoolRef::size_class(side.lists.bytes_for(t.room));
    if (t.old != 0) size_before = PoolRef::size_class(side.lists.bytes_for(mine.capacity));
    back = t.written > side.lists.pinned;
  } else {
    t.fresh = t.old = 0;
  }
  t.first_fresh = number_among(t.fresh, &fresh);
  t.first_old = number_among(t.old, &old);
  number.fresh = number_among(t.fresh, size, wanted);
  number.old = number_among(back ? t.old : 0, size_before, returned);
  __syncthreads();
  const auto claim = [](auto& mine, auto* all) {
    if (mine != 0) mine = atomicAdd(all, mine);
  };
  if (threadIdx.x < kPageSizes) {
    claim(wanted[threadIdx.x], &totals->wanted[threadIdx.x]);
    claim(returned[threadIdx.x], &totals->returned[threadIdx.x]);
  }
  if (threadIdx.x == 0) {
    first_fresh = fresh == 0 ? 0 : atomicAdd(&side.totals->fresh, fresh);
    first_old = old == 0 ? 0 : atomicAdd(&side.totals->old, old);
  }
  __syncthreads();
  if (t.changes) {
    t.first_fresh += first_fresh;
    t.first_old += first_old;
    side.number[i] = {number.fresh + wanted[size], number.old + returned[size_before]};
  }
  __syncthreads();
}

/// Adds up what the changes of a block come to. All its threads call it.
__device__ inline void add_counts(const ChangeCounts& mine, ChangeCounts* counts) {
  __shared__ unsigned long long sums[6];
  if (threadIdx.x < 6) sums[threadIdx.x] = 0;
  __syncthreads();
  const auto add = [&](std::uint64_t value, int to) {
    value = reduce(WarpLanes{}, value, [](auto a, auto b) { return a + b; });
    if (threadIdx.x % 32 == 0 && value != 0)
      atomicAdd(&sums[to], static_cast<unsigned long long>(value));
  };
  add(mine.inserted, 0);
  add(mine.overwritten, 1);
  add(mine.ignored, 2);
  add(mine.removed, 3);
  add(mine.missing, 4);
  add(mine.superseded, 5);
  __syncthreads();
  if (threadIdx.x >= 6 || sums[threadIdx.x] == 0) return;
  std::uint64_t* const to[] = {&counts->inserted, &counts->overwritten, &counts->ignored,
                               &counts->removed,  &counts->missing,     &counts->superseded};
  AtomicRef(*to[threadIdx.x]).fetch_add(std::uint64_t{sums[threadIdx.x]});
}

}  // namespace fathom::dynamic::gpu
