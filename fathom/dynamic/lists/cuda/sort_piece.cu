// Lists side by side, each in any order, become ascending: one sort by list and target.
#include <bit>
#include <utility>

#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void __launch_bounds__(kBlock)
    make_piece_keys(const EdgeId* offset, VertexId first, VertexId last, const VertexId* target,
                    std::uint64_t* key, std::uint64_t* place) {
  blocks::deal_lists(
      ThisBlock{}, last - first,
      [&](std::size_t i) {
        return static_cast<std::uint32_t>(offset[first + i + 1] - offset[first + i]);
      },
      [&](const auto& group, std::size_t i) {
        const EdgeId begin = offset[first + i] - offset[first];
        const EdgeId end = offset[first + i + 1] - offset[first];
        for (EdgeId e = begin + group.rank(); e < end; e += group.size()) {
          key[e] = std::uint64_t{i} << 32 | static_cast<std::uint32_t>(target[e]);
          place[e] = e;
        }
      });
}

template <class T>
__global__ void __launch_bounds__(kBlock)
    take_places(const T* from, const std::uint64_t* place, EdgeId n, T* to) {
  blocks::for_each_item(ThisBlock{}, n, [&](std::size_t e) { to[e] = from[place[e]]; });
}

template <class T>
void reorder(cuda::Gpu& gpu, Array<T>& data, const std::uint64_t* place) {
  if (data.empty()) return;
  Array<T> moved(data.size(), gpu.memory());
  take_places<<<blocks_for(gpu, data.size()), kBlock, 0, gpu.stream()>>>(data.data(), place,
                                                                         data.size(), moved.data());
  cuda::check(cudaGetLastError(), "sorting lists");
  std::swap(data, moved);
  gpu.wait();  // what it was made of goes
}

}  // namespace

void sort_piece(cuda::Gpu& gpu, cuda::ArrayScratch& scratch, const EdgeId* offset, VertexId first,
                VertexId last, ListPiece& piece) {
  const EdgeId n = piece.target.size();
  const VertexId lists = last - first;
  Array<std::uint64_t> key(n, gpu.memory()), sorted(n, gpu.memory());
  Array<std::uint64_t> place(n, gpu.memory()), from(n, gpu.memory());
  make_piece_keys<<<blocks_for(gpu, std::size_t{lists} * kTileLanes), kBlock, 0, gpu.stream()>>>(
      offset, first, last, piece.target.data(), key.data(), place.data());
  cuda::check(cudaGetLastError(), "sorting lists");
  cuda::sort_pairs(scratch, key.data(), sorted.data(), place.data(), from.data(), n, gpu.stream(),
                   32 + std::bit_width(lists));
  reorder(gpu, piece.target, from.data());
  reorder(gpu, piece.weight, from.data());
  reorder(gpu, piece.fields, from.data());
}

}  // namespace fathom::dynamic::gpu
