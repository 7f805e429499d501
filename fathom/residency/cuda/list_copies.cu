#include "fathom/residency/cuda/list_copies.hpp"

#include <type_traits>

#include "fathom/core/lanes.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/narrow/narrow_words.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kBlock = 256;

// A pair as what is copied at once.
using PairWord = std::conditional_t<sizeof(InterleavedEdges::Pair) == 8, std::uint64_t, ulonglong2>;
static_assert(sizeof(InterleavedEdges::Pair) == sizeof(PairWord));

__device__ const VertexId* entries_of(const PlainSpan& span) {
  return span.target_at;
}
__device__ const PairWord* entries_of(const InterleavedEdges::Span& span) {
  return reinterpret_cast<const PairWord*>(span.at);
}

// A warp a list: lists lie one behind the other in host memory, so that all of it moves through
// them in one direction and reads whole lines.
template <class E, class Entry>
__global__ void __launch_bounds__(kBlock) copy(E far, VertexId vertices, const std::uint32_t* index,
                                               std::uint32_t unit_shift, Entry* to) {
  const WarpLanes g;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (kBlock / 32);
  for (std::uint64_t i = blockIdx.x * (kBlock / 32) + threadIdx.x / 32; i < vertices; i += warps) {
    const auto v = static_cast<VertexId>(i);
    if (index[v] == CachedEdges<FlatEdges>::kNotCached) continue;
    Entry* out = to + (static_cast<std::uint64_t>(index[v]) << unit_shift);
    auto cursor = far.begin(v);
    typename E::Span s;
    while (far.next(cursor, s)) {
      const auto* const from = entries_of(s);
      const std::uint32_t lead = s.lead() % 32;
      for (std::uint64_t base = 0; base < std::uint64_t{s.size} + lead; base += 32) {
        const std::uint64_t at = base + g.rank() - lead;  // wraps for the lanes before the span
        if (at < s.size) out[at] = from[at];
      }
      out += s.size;
    }
  }
}

// The same of narrow lists: each lane makes a word of the copy, whose entries begin with its first.
__global__ void __launch_bounds__(kBlock)
    copy_narrow(NarrowEdges far, VertexId vertices, const std::uint32_t* index,
                std::uint32_t unit_shift, std::uint32_t* to) {
  const WarpLanes g;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (kBlock / 32);
  for (std::uint64_t i = blockIdx.x * (kBlock / 32) + threadIdx.x / 32; i < vertices; i += warps) {
    const auto v = static_cast<VertexId>(i);
    if (index[v] == CachedEdges<NarrowEdges>::kNotCached) continue;
    const std::uint64_t near = static_cast<std::uint64_t>(index[v]) << unit_shift;
    std::uint32_t* const out = to + near * far.entry_bits / 32;
    const NarrowBits list(far, far.begin(v));
    const std::uint64_t words = list.words();
    const auto lead = static_cast<std::uint32_t>(list.first / 32 % 32);
    for (std::uint64_t base = 0; base < words + lead; base += 32) {
      const std::uint64_t at = base + g.rank() - lead;  // wraps for the lanes before the list
      if (at < words) out[at] = list.word(far.words, at);
    }
  }
}

template <class E, class Entry>
void start(const Gpu& gpu, const E& far, VertexId vertices, const std::uint32_t* index,
           std::uint32_t unit_shift, Entry* to) {
  const auto kernel = copy<E, Entry>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      far, vertices, index, unit_shift, to);
  gpu.wait();
}

void start_narrow(const Gpu& gpu, const NarrowEdges& far, VertexId vertices,
                  const std::uint32_t* index, std::uint32_t unit_shift, std::uint32_t* to) {
  const auto kernel = copy_narrow;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      far, vertices, index, unit_shift, to);
  gpu.wait();
}

}  // namespace

void copy_lists(const Gpu& gpu, const AnyEdges& far, VertexId vertices, const std::uint32_t* index,
                std::uint32_t unit_shift, std::byte* to) {
  if (vertices == 0) return;
  if (const auto* pairs = std::get_if<InterleavedEdges>(&far))
    start(gpu, *pairs, vertices, index, unit_shift, reinterpret_cast<PairWord*>(to));
  else if (const auto* narrow = std::get_if<NarrowEdges>(&far))
    start_narrow(gpu, *narrow, vertices, index, unit_shift, reinterpret_cast<std::uint32_t*>(to));
  else
    start(gpu, std::get<FlatEdges>(far), vertices, index, unit_shift,
          reinterpret_cast<VertexId*>(to));
}

}  // namespace fathom::cuda
