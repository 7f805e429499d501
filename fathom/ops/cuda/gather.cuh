// Kernels of gather (pull): fold() over the lists of a frontier, shared out by length.
#pragma once

#include <algorithm>

#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/vertices.cuh"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/fold.hpp"

namespace fathom::cuda {

// Vertices per launch for functors that read what they commit, so that later ranges certainly see
// what earlier ones committed. The size is a guess: others were not compared.
inline constexpr VertexId kInPlaceRange = VertexId{1} << 20;

template <class F>
inline constexpr bool kTallies = !std::is_same_v<TallyOf<F>, fathom::detail::NoTally>;

/// Where the parts of a hub's value wait until all of them are there (functors with a Tally).
template <class Value>
struct HubParts {
  Value* part;           // [pieces]
  std::uint32_t* ready;  // [hubs], zero at first

  static std::size_t bytes(EdgeId edges) {
    const std::size_t hubs = HubQueue::most_hubs(edges);
    return hubs * 2 * sizeof(Value) + hubs * sizeof(std::uint32_t);
  }
  static HubParts make(void* memory, EdgeId edges) {
    auto* part = static_cast<Value*>(memory);  // a hub has more than a piece: at most twice as many
    return {part, reinterpret_cast<std::uint32_t*>(part + HubQueue::most_hubs(edges) * 2)};
  }
};

/// What joins the next frontier.
__device__ inline void join(std::uint32_t* out, VertexId u) {
  if (out) AtomicRef(out[u >> 5]).fetch_or(1u << (u & 31));
}

/// Leaves a warp's tally where add_up() finds it.
template <class T>
__device__ void leave_tally(T mine, T* tallies) {
  if constexpr (!std::is_same_v<T, fathom::detail::NoTally>) {
    mine = reduce(WarpLanes{}, mine, [](const T& a, const T& b) { return a + b; });
    if (threadIdx.x % 32 == 0) tallies[warp_index()] = tallies[warp_index()] + mine;
  }
}

/// All tallies, in the first one's place. Of one block.
template <class T>
__global__ void __launch_bounds__(kBlock) add_up(T* tallies, std::uint32_t n) {
  T mine{};
  for (std::uint32_t i = threadIdx.x; i < n; i += kBlock) mine = mine + tallies[i];
  mine = combine_block(mine, [](const T& a, const T& b) { return a + b; });
  if (threadIdx.x == 0) tallies[0] = mine;
}

/// fold() of an empty list: nothing to read, still a commit.
template <class F>
__device__ bool fold_nothing(VertexId u, const F& f, TallyOf<F>& tally) {
  return is_open(OneLane{}, u, f) && commit(OneLane{}, u, f.identity(), f, tally);
}

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    gather_lists(E edges, FrontierRef in, VertexId first, VertexId last, F f, std::uint32_t* out,
                 HubQueue hubs, TallyOf<F>* tallies, Manner how) {
  __shared__ unsigned char slots[kBlock];
  LinkMeter meter = meter_of(how.link);
  WalkMemory<E> memory;
  const auto warp = warp_for<E>(how, meter, memory);
  unsigned char* const slot = slots + threadIdx.x / 32 * 32;
  TallyOf<F> tally{};
  for_tiles(in, first, last, [&](VertexId v) {
    const auto [list, put_off] = list_or_put_off(edges, v, hubs);
    if (v != kNoVertex && !put_off && length_of(list) == 0)
      if (fold_nothing(v, f, tally)) join(out, v);
    share_lists<kByTiles<E>>(warp, v, list, how.short_lists_by_tile, slot,
                             [&](const auto& g, VertexId u, const auto& its) {
                               if (!is_open(g, u, f)) return;
                               const auto value = fold_value(g, edges, its, u, f);
                               if (commit(g, u, value, f, tally) && g.rank() == 0) join(out, u);
                             });
  });
  leave_tally(tally, tallies);
  report<E>(meter, how.link);
}

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    gather_hubs(E edges, F f, std::uint32_t* out, HubQueue hubs, HubParts<typename F::Value> parts,
                TallyOf<F>* tallies, Manner how) {
  LinkMeter meter = meter_of(how.link);
  WalkMemory<E> memory;
  const auto g = warp_for<E>(how, meter, memory);
  TallyOf<F> tally{};
  const std::uint32_t pieces = hubs.pieces();
  for (std::uint32_t p = warp_index(); p < pieces; p += warp_count()) {
    const std::uint32_t hub = hubs.hub_of(p);
    const VertexId u = hubs.vertex[hub];
    if (!is_open(g, u, f)) continue;
    const auto list = edges.begin(u);
    auto value = fold_value(g, edges, piece(list, p - hubs.first_piece[hub]), u, f);
    if constexpr (kTallies<F>) {
      // The warp that finishes the last part combines all of them, in their order.
      const auto of_hub = static_cast<std::uint32_t>((length_of(list) + kPiece - 1) / kPiece);
      std::uint32_t done = 0;
      if (g.rank() == 0) {
        parts.part[p] = value;
        __threadfence();
        done = AtomicRef(parts.ready[hub]).fetch_add(1u, Order::AcqRel) + 1;
      }
      if (g.shfl(done, 0) != of_hub) continue;
      __threadfence();
      value = f.identity();
      const typename F::Value* part = parts.part + hubs.first_piece[hub];
      for (std::uint32_t k = 0; k < of_hub; ++k) value = f.combine(value, part[k]);
    }
    if (commit(g, u, value, f, tally) && g.rank() == 0) join(out, u);
  }
  leave_tally(tally, tallies);
  report<E>(meter, how.link);
}

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    gather_naively(E edges, FrontierRef in, VertexId first, VertexId last, F f, std::uint32_t* out,
                   TallyOf<F>* tallies, LinkWindow link) {
  LinkMeter meter = meter_of(link);
  const MeteredLane lane{{}, link.counts ? &meter : nullptr};
  TallyOf<F> tally{};
  for_tiles(in, first, last, [&](VertexId v) {
    if (v != kNoVertex && fold(lane, edges, v, f, tally)) join(out, v);
  });
  leave_tally(tally, tallies);
  report<E>(meter, link);
}

/// Temporary device memory of one gather, and the sum over its tallies.
template <class F>
class GatherScratch {
 public:
  using Value = typename F::Value;
  GatherScratch(Gpu& gpu, EdgeId edges)
      : gpu_(gpu), edges_(edges), warps_(gpu.multiprocessors() * 64u) {
    const std::size_t parts = kTallies<F> ? HubParts<Value>::bytes(edges) : 0;
    const std::size_t tallies = kTallies<F> ? warps_ * sizeof(TallyOf<F>) : 0;
    auto* memory = static_cast<std::byte*>(
        gpu.scratch(round(parts) + round(tallies) + HubQueue::bytes(edges)));
    if constexpr (kTallies<F>) {
      parts_ = HubParts<Value>::make(memory, edges);
      tallies_ = reinterpret_cast<TallyOf<F>*>(memory + round(parts));
      check(cudaMemsetAsync(tallies_, 0, tallies, gpu.stream()), "clearing tallies");
    }
    queue_ = memory + round(parts) + round(tallies);
  }
  /// No hubs. Tallies stay.
  void begin_range() {
    hubs_ = HubQueue::make(gpu_, queue_, edges_);
    if constexpr (kTallies<F>)
      check(cudaMemsetAsync(parts_.ready, 0, HubQueue::most_hubs(edges_) * sizeof(*parts_.ready),
                            gpu_.stream()),
            "clearing counters");
  }
  const HubQueue& hubs() const { return hubs_; }
  const HubParts<Value>& parts() const { return parts_; }
  TallyOf<F>* tallies() const { return tallies_; }

  void add_to(TallyOf<F>& total) const {
    if constexpr (kTallies<F>) {
      add_up<<<1, kBlock, 0, gpu_.stream()>>>(tallies_, static_cast<std::uint32_t>(warps_));
      check(cudaGetLastError(), "starting the sum of tallies");
      TallyOf<F> sum{};
      gpu_.copy(&sum, tallies_, sizeof(sum));
      total = total + sum;
    }
  }

 private:
  static std::size_t round(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
  Gpu& gpu_;
  EdgeId edges_;
  std::size_t warps_;  // the most that a multiprocessor can hold
  std::byte* queue_ = nullptr;
  HubQueue hubs_{};
  HubParts<Value> parts_{};
  TallyOf<F>* tallies_ = nullptr;
};

template <class E, class F>
void gather_with_threads(const Pass& pass, const E& edges, const FrontierRef& in, const F& f,
                         std::uint32_t* out, const GatherScratch<F>& scratch) {
  const Gpu& gpu = *pass.device.gpu();
  const auto kernel = gather_naively<E, F>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      edges, in, pass.first, pass.last, f, out, scratch.tallies(), pass.link);
}

template <class E, class F>
void launch_gather(const Pass& pass, const E& edges, const FrontierRef& in, const F& f,
                   std::uint32_t* out, const GatherScratch<F>& scratch) {
  Gpu& gpu = *pass.device.gpu();
  const auto lists = gather_lists<E, F>;
  lists<<<gpu.grid(reinterpret_cast<const void*>(lists)), kBlock, 0, gpu.stream()>>>(
      edges, in, pass.first, pass.last, f, out, scratch.hubs(), scratch.tallies(), manner_of(pass));
  const auto pieces = gather_hubs<E, F>;
  pieces<<<gpu.grid(reinterpret_cast<const void*>(pieces)), kBlock, 0, gpu.stream()>>>(
      edges, f, out, scratch.hubs(), scratch.parts(), scratch.tallies(), manner_of(pass));
}

/// One launch of each kernel.
template <class F>
void gather_range(const Pass& pass, const FrontierRef& in, const F& f, std::uint32_t* out,
                  GatherScratch<F>& scratch) {
  scratch.begin_range();
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (kShown<E, F>) {
          if constexpr (kStreamed<E>)
            if (pass.technique == Technique::VertexCentric)
              return gather_with_threads(pass, edges, in, f, out, scratch);
          if constexpr (kEveryPattern<E>)
            if (pass.access == Access::Naive)
              return gather_with_threads(pass, edges, in, f, out, scratch);
          launch_gather(pass, edges, in, f, out, scratch);
        } else {
          fail_as_not_shown();
        }
      },
      pass.edges);
  check(cudaGetLastError(), "starting gather");
}

template <class F>
void gather(const Pass& pass, EdgeId all_edges, const FrontierRef& in, const F& f,
            std::uint64_t* out64, TallyOf<F>& tally) {
  GatherScratch<F> scratch(*pass.device.gpu(), all_edges);
  auto* const out = reinterpret_cast<std::uint32_t*>(out64);
  // A functor that commits once per vertex may use what it committed: let it, range by range.
  const VertexId size =
      kTallies<F> && pass.first % kInPlaceRange == 0 ? kInPlaceRange : pass.last - pass.first;
  Pass range = pass;
  std::uint64_t first = pass.first;
  do {
    range.first = static_cast<VertexId>(first);
    range.last = static_cast<VertexId>(std::min<std::uint64_t>(pass.last, first + size));
    gather_range(range, in, f, out, scratch);
    first += size;
  } while (first < pass.last);
  scratch.add_to(tally);
}

}  // namespace fathom::cuda
