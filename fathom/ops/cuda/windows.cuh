// The kernel of windows: one grid that fills the device and meets at barriers in global memory. A
// barrier and the few dependent reads of a superstep are all the time that a small one takes.
#pragma once

#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/cuda/windows.hpp"

namespace fathom::cuda {

inline constexpr unsigned kWindowBlock = 1024;
inline constexpr unsigned kWindowWarps = kWindowBlock / 32;
inline constexpr std::uint32_t kStaged = 4096;    // vertices that a block appends at a time
inline constexpr std::uint32_t kLongLists = 512;  // that a block keeps for all of its warps

struct WindowShared {
  VertexId staged[kStaged];
  VertexId long_list[kLongLists];
  std::uint32_t appended;    // may exceed kStaged
  std::uint32_t at;          // where in the list the staged ones go
  std::uint32_t long_lists;  // may exceed kLongLists
};

/// The threads of a grid whose blocks all run at the same time.
template <class E, class Warp>
class GridTeam {
 public:
  __device__ GridTeam(WindowShared& shared, std::uint32_t* arrived, const Warp& warp, bool by_tile)
      : shared_(shared), arrived_(arrived), warp_(warp), by_tile_(by_tile) {
    if (threadIdx.x == 0) shared_.appended = shared_.long_lists = 0;
    __syncthreads();
  }

  __device__ std::uint32_t rank() const { return blockIdx.x * kWindowBlock + threadIdx.x; }

  /// What one thread of a block knows to have happened, happened before what any thread does after.
  __device__ void barrier() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      const std::uint32_t before = AtomicRef(*arrived_).fetch_add(1u, Order::AcqRel);
      const std::uint32_t all = (before / gridDim.x + 1) * gridDim.x;
      while (AtomicRef(*arrived_).load(Order::Acquire) < all) {
      }
    }
    __syncthreads();
  }

  __device__ void append(VertexId v) {
    const std::uint32_t i = atomicAdd(&shared_.appended, 1u);
    if (i < kStaged) shared_.staged[i] = v;
  }
  /// A block that has no room for all that it appends counts as more than there is room for.
  __device__ void flush(VertexId* list, std::uint32_t& size, std::uint32_t most) {
    __syncthreads();
    const std::uint32_t n = shared_.appended;
    if (n > 0) {  // of the whole block
      if (threadIdx.x == 0) shared_.at = AtomicRef(size).fetch_add(n <= kStaged ? n : most + 1);
      __syncthreads();
      const std::uint32_t at = shared_.at;
      if (n <= kStaged)
        for (std::uint32_t i = threadIdx.x; i < n; i += kWindowBlock)
          if (at + i < most) list[at + i] = shared_.staged[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) shared_.appended = shared_.long_lists = 0;
  }

  template <class Key>
  __device__ void lower_by_all(Key& to, Key x) const {
    x = reduce(WarpLanes{}, x, [](Key a, Key b) { return a < b ? a : b; });
    if (threadIdx.x % 32 == 0 && x < static_cast<Key>(__builtin_inff())) lower(to, x);
  }

  /// A warp takes 32 words at a time: a lane for each, or for each vertex of one after the other,
  /// whichever are fewer rounds of reads.
  template <class WordOf, class FateOf, class Store>
  __device__ void sift(std::uint32_t words, const WordOf& word, const FateOf& fate,
                       const Store& store) const {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t step = gridDim.x * kWindowWarps * 32;
    for (std::uint32_t base = (threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32; base < words;
         base += step) {
      const std::uint32_t w = base + lane;
      const std::uint32_t bits = w < words ? word(w) : 0;
      const std::uint32_t any = __ballot_sync(~0u, bits != 0);
      if (any == 0) continue;
      std::uint32_t taken = 0, dropped = 0;
      const auto most = __reduce_max_sync(~0u, static_cast<unsigned>(__popc(bits)));
      if (most <= static_cast<unsigned>(__popc(any))) {
        detail::sift_word(w, bits, fate, taken, dropped);
      } else {
        for (std::uint32_t rest = any; rest != 0; rest &= rest - 1) {
          const std::uint32_t from = detail::lowest_bit(rest);
          const std::uint32_t its = __shfl_sync(~0u, bits, static_cast<int>(from));
          const Fate mine = (its >> lane & 1) != 0
                                ? fate(static_cast<VertexId>(base + from) * 32 + lane)
                                : Fate::Stay;
          const std::uint32_t take = __ballot_sync(~0u, mine == Fate::Take);
          const std::uint32_t drop = __ballot_sync(~0u, mine == Fate::Drop);
          if (lane == from) taken = take, dropped = drop;
        }
      }
      if (bits != 0) store(w, bits, taken, dropped);
    }
  }

  /// A warp walks a list, or 8 lanes where there are more lists than warps. Longer lists are left
  /// for all warps of the block.
  template <class Take, class PutOff, class Walk>
  __device__ void walk_lists(const E& edges, const VertexId* list, std::uint32_t n,
                             const Take& take, const PutOff& put_off, const Walk& walk) {
    const auto each = [&](const auto& g, std::uint32_t group, std::uint32_t groups) {
      // Neighbours on the list go to different multiprocessors.
      for (std::uint32_t i = group * gridDim.x + blockIdx.x; i < n; i += groups * gridDim.x) {
        const VertexId u = list[i];
        const auto its = edges.begin(u);
        if (g.rank() == 0) take(u);
        if (length_of(its) > kLongestList) {
          if (g.rank() == 0) put_off(u);
          continue;
        }
        if (g.rank() == 0) walked_ += length_of(its);
        if (length_of(its) > kPiece && can_be_cut(edges) && leave(g, u)) continue;
        walk(g, u, its);
      }
    };
    if constexpr (!kByTiles<E>)
      each(warp_, threadIdx.x / 32, kWindowWarps);
    else if (by_tile_ && n > gridDim.x * kWindowWarps)
      each(TileLanes{}, threadIdx.x / TileLanes::kSize, kWindowBlock / TileLanes::kSize);
    else
      each(warp_, threadIdx.x / 32, kWindowWarps);
    __syncthreads();
    const std::uint32_t left = shared_.long_lists < kLongLists ? shared_.long_lists : kLongLists;
    for (std::uint32_t l = 0; l < left; ++l) {
      const VertexId u = shared_.long_list[l];
      const auto its = edges.begin(u);
      const auto pieces = static_cast<std::uint32_t>((length_of(its) + kPiece - 1) / kPiece);
      for (std::uint32_t p = threadIdx.x / 32; p < pieces; p += kWindowWarps)
        walk(warp_, u, piece(its, p));
    }
  }

  /// Edges of the lists that this thread took.
  __device__ std::uint64_t walked() const { return walked_; }

 private:
  /// Leaves a list to the block; false where too many are left.
  template <class G>
  __device__ bool leave(const G& g, VertexId u) {
    std::uint32_t at = 0;
    if (g.rank() == 0) {
      at = atomicAdd(&shared_.long_lists, 1u);
      if (at < kLongLists) shared_.long_list[at] = u;
    }
    return g.shfl(at, 0) < kLongLists;
  }

  WindowShared& shared_;
  std::uint32_t* arrived_;
  Warp warp_;
  bool by_tile_;
  std::uint64_t walked_ = 0;
};

template <class E, class F, class Key>
__global__ void __launch_bounds__(kWindowBlock, 1)
    walk_windows_by_grid(E edges, F f, Key* key, WindowRoom room, WindowState<Key>* state,
                         std::uint32_t most_steps, Manner how) {
  __shared__ WindowShared shared;
  LinkMeter meter = meter_of(how.link);
  WalkMemory<E> memory;
  const auto warp = warp_for<E>(how, meter, memory);
  GridTeam<E, std::remove_const_t<decltype(warp)>> team(shared, &state->arrived, warp,
                                                        how.short_lists_by_tile);
  walk_windows(team, edges, f, key, room, state, most_steps);
  const auto sum = [](unsigned long long a, unsigned long long b) { return a + b; };
  const auto walked = reduce(WarpLanes{}, static_cast<unsigned long long>(team.walked()), sum);
  if (threadIdx.x % 32 == 0 && walked > 0) AtomicRef(state->edges).fetch_add(walked);
  report<E>(meter, how.link);
}

template <class Key, class F>
void run_windows(const Pass& pass, const F& f, Key* key, std::uint64_t* far,
                 std::uint64_t* near_even, std::uint64_t* near_odd, VertexId universe,
                 WindowState<Key>& state, std::uint32_t most_steps) {
  static_assert(sizeof(state) <= kWindowStateBytes);
  Gpu& gpu = *pass.device.gpu();
  auto* const memory = static_cast<std::byte*>(gpu.scratch(kWindowBytes));
  auto* const on_device = reinterpret_cast<WindowState<Key>*>(memory);
  auto* const lists = reinterpret_cast<VertexId*>(memory + kWindowStateBytes);
  const auto words = [](std::uint64_t* bits) { return reinterpret_cast<std::uint32_t*>(bits); };
  const WindowRoom room{words(far),
                        {words(near_even), words(near_odd)},
                        {lists, lists + kMostNear},
                        static_cast<std::uint32_t>((std::uint64_t{universe} + 63) / 64 * 2),
                        kMostNear};
  state.begin_run();
  gpu.copy(on_device, &state, sizeof(state));
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (kShown<E, F> && !std::is_same_v<E, PagedEdges>) {  // they come whole
          cudaLaunchAttribute together{};
          together.id = cudaLaunchAttributeCooperative;
          together.val.cooperative = 1;
          cudaLaunchConfig_t config{};
          config.gridDim = {static_cast<unsigned>(gpu.multiprocessors()), 1, 1};
          config.blockDim = {kWindowBlock, 1, 1};
          config.stream = gpu.stream();
          config.attrs = &together;
          config.numAttrs = 1;
          check(cudaLaunchKernelEx(&config, walk_windows_by_grid<E, F, Key>, edges, f, key, room,
                                   on_device, most_steps, manner_of(pass)),
                "starting windows");
        } else {
          fail_as_not_shown();
        }
      },
      pass.edges);
  gpu.copy(&state, on_device, sizeof(state));
}

}  // namespace fathom::cuda

#define FATHOM_CUDA_WINDOWS(Key, ...)                                                        \
  template void cuda::run_windows<Key, __VA_ARGS__>(                                         \
      const Pass&, const __VA_ARGS__&, Key*, std::uint64_t*, std::uint64_t*, std::uint64_t*, \
      VertexId, WindowState<Key>&, std::uint32_t)
