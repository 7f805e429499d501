#include <algorithm>

#include "fathom/core/lanes.hpp"
#include "fathom/residency/cuda/unpack_pages.hpp"

namespace fathom::cuda {
namespace {

namespace fmt_packed = store::packed;
using fmt_packed::Block;

constexpr unsigned kThreads = 256, kWarp = 32;
constexpr std::uint32_t kGroupsAtOnce = kThreads / kWarp;

/// Of so many groups in shared memory, of which one may lie before a border.
__host__ __device__ std::uint32_t tile_words(std::uint32_t id_bits) {
  return static_cast<std::uint32_t>((kGroupsAtOnce + 1) * fmt_packed::most_words(id_bits));
}

/// Where a lane's block begins, after those of lower lanes; all lanes call it.
__device__ std::uint32_t sum_of_lower(std::uint32_t mine) {
  std::uint32_t sum = mine;
  for (unsigned step = 1; step < kWarp; step *= 2) {
    const std::uint32_t lower = __shfl_up_sync(~0u, sum, step);
    if (threadIdx.x % kWarp >= step) sum += lower;
  }
  return sum - mine;
}
__device__ VertexId sum_of_lower_ids(VertexId mine) {
  VertexId sum = mine;
  for (unsigned step = 1; step < kWarp; step *= 2) {
    const VertexId lower = __shfl_up_sync(~0u, sum, step);
    if (threadIdx.x % kWarp >= step) sum += lower;
  }
  return sum - mine;
}

/// A warp unpacks a group whose `count` words are in shared memory; a lane has two entries of each
/// block. False for what is no group.
__device__ bool unpack_group(const std::uint32_t* words, std::uint32_t count, std::uint32_t id_bits,
                             VertexId vertices, std::uint32_t entries, VertexId* to) {
  const unsigned lane = threadIdx.x % kWarp;
  const std::uint32_t blocks = fmt_packed::blocks_in(entries);
  const std::uint32_t header = fmt_packed::header_words(blocks);
  if (count < header) return false;
  const VertexId mask = fmt_packed::mask_of(id_bits);
  std::uint16_t code = 0;
  std::uint32_t bits = 0;
  bool sound = true;
  if (lane < blocks) {
    code = fmt_packed::code_at(words, lane);
    const std::uint32_t its = fmt_packed::entries_of(lane, entries);
    sound = Block::is_sound(code, its, id_bits);
    if (sound) bits = Block::of(code).bits(its, id_bits);
  }
  const std::uint32_t start = header * fmt_packed::kWordBits + sum_of_lower(bits);
  sound = sound && start + bits <= count * fmt_packed::kWordBits;
  if (!__all_sync(~0u, sound)) return false;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const Block block = Block::of(static_cast<std::uint16_t>(__shfl_sync(~0u, code, b)));
    std::uint32_t bit = __shfl_sync(~0u, start, b);
    const std::uint32_t its = fmt_packed::entries_of(b, entries);
    const VertexId base = fmt_packed::read_bits(words, bit, id_bits);
    bit += id_bits;
    const std::uint32_t first = 2 * lane, second = first + 1;
    VertexId x = 0, y = 0;
    if (block.offsets) {
      if (first < its)
        x = base + fmt_packed::read_bits(words, bit + first * block.width, block.width);
      if (second < its)
        y = base + fmt_packed::read_bits(words, bit + second * block.width, block.width);
    } else {
      // Field i belongs to entry i + 1.
      if (first == 0)
        x = base;
      else if (first < its)
        x = fmt_packed::read_bits(words, bit + (first - 1) * block.width, block.width);
      if (second < its) y = fmt_packed::read_bits(words, bit + first * block.width, block.width);
      bit += (its - 1) * block.width;
      for (std::uint32_t e = 0, last = 0; e < block.exceptions; ++e) {
        const auto place =
            static_cast<std::uint32_t>(fmt_packed::read_bits(words, bit, fmt_packed::kPlaceBits));
        if (place <= last || place >= its) return false;
        const VertexId high =
            fmt_packed::read_bits(words, bit + fmt_packed::kPlaceBits, block.high_bits(id_bits))
            << block.width;
        if (place == first) x |= high;
        if (place == second) y |= high;
        bit += block.exception_bits(id_bits);
        last = place;
      }
      x += sum_of_lower_ids(x + y);
      y += x;
    }
    x &= mask;
    y &= mask;
    const bool known = (first >= its || x < vertices) && (second >= its || y < vertices);
    if (!__all_sync(~0u, known)) return false;
    VertexId* const into = to + b * fmt_packed::kBlock;
    if (first < its) into[first] = x;
    if (second < its) into[second] = y;
  }
  return true;
}

// A thread block has kGroupsAtOnce groups of a run: their words come in lines, side by side.
__global__ void __launch_bounds__(kThreads)
    unpack(UnpackRuns runs, std::uint32_t id_bits, VertexId vertices, unsigned long long* fault) {
  extern __shared__ std::uint32_t words[];
  __shared__ std::uint64_t place[kGroupsAtOnce + 1];
  std::uint32_t r = 0;
  while (r + 1 < runs.count && runs.first_tile[r + 1] <= blockIdx.x) ++r;
  const UnpackRun& run = runs.run[r];
  const std::uint64_t groups = fmt_packed::groups_of(run.entries);
  const std::uint64_t tile = (blockIdx.x - runs.first_tile[r]) * std::uint64_t{kGroupsAtOnce};
  const auto mine =
      static_cast<std::uint32_t>(groups - tile < kGroupsAtOnce ? groups - tile : kGroupsAtOnce);
  if (threadIdx.x <= mine) place[threadIdx.x] = run.index[tile + threadIdx.x];
  __syncthreads();
  const std::uint64_t begin = place[0];
  // The run ends where its words do, whatever the index says of the group behind it.
  const std::uint64_t end = store::packed::end_of_group(place[mine - 1], place[mine]);
  const std::uint64_t count = end - begin;
  if (count > tile_words(id_bits)) {  // of an index that nobody has checked
    if (threadIdx.x == 0) atomicExch(fault, run.first_group + tile + 1);
    return;
  }
  const std::uint32_t* const from = run.words + (begin - run.first_word);
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) words[i] = from[i];
  if (threadIdx.x < fmt_packed::kPadWords) words[count + threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t g = threadIdx.x / kWarp;
  if (g >= mine) return;
  const std::uint64_t group = tile + g;
  const std::uint64_t left = run.entries - group * fmt_packed::kGroup;
  const auto entries =
      static_cast<std::uint32_t>(left < fmt_packed::kGroup ? left : fmt_packed::kGroup);
  const auto its =
      static_cast<std::uint32_t>(store::packed::end_of_group(place[g], place[g + 1]) - place[g]);
  if (!unpack_group(words + (place[g] - begin), its, id_bits, vertices, entries,
                    run.to + group * fmt_packed::kGroup) &&
      threadIdx.x % kWarp == 0)
    atomicExch(fault, run.first_group + group + 1);
}

template <class Code>
__global__ void __launch_bounds__(kThreads)
    decode(const Code* codes, const Weight* values, std::uint32_t value_count, std::size_t count,
           Weight* to, unsigned long long* fault) {
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kThreads) {
    const std::uint32_t code = codes[i];
    if (code < value_count)
      to[i] = values[code];
    else
      atomicExch(fault, ~0ull);
  }
}

}  // namespace

void add_run(UnpackRuns& runs, const UnpackRun& run) {
  if (runs.count == 0) runs.first_tile[0] = 0;
  const std::uint64_t groups = fmt_packed::groups_of(run.entries);
  runs.run[runs.count] = run;
  runs.first_tile[runs.count + 1] =
      runs.first_tile[runs.count] +
      static_cast<std::uint32_t>((groups + kGroupsAtOnce - 1) / kGroupsAtOnce);
  ++runs.count;
}

void unpack_runs(cudaStream_t stream, const UnpackRuns& runs, std::uint32_t id_bits,
                 VertexId vertices, unsigned long long* fault) {
  if (runs.count == 0) return;
  const std::size_t shared = (tile_words(id_bits) + fmt_packed::kPadWords) * sizeof(std::uint32_t);
  constexpr std::size_t kWithoutAsking = 48 << 10;
  if (shared > kWithoutAsking)
    check(cudaFuncSetAttribute(unpack, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "asking for shared memory");
  unpack<<<runs.first_tile[runs.count], kThreads, shared, stream>>>(runs, id_bits, vertices, fault);
  check(cudaGetLastError(), "unpacking pages");
}

void unpack_codes(cudaStream_t stream, const std::byte* codes, std::uint32_t code_bytes,
                  const Weight* values, std::uint32_t value_count, std::size_t count, Weight* to,
                  unsigned long long* fault) {
  constexpr std::size_t kMostBlocks = 512;
  const auto blocks =
      static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMostBlocks));
  if (blocks == 0) return;
  if (code_bytes == 1)
    decode<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const std::uint8_t*>(codes), values,
                                            value_count, count, to, fault);
  else
    decode<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const std::uint16_t*>(codes), values,
                                            value_count, count, to, fault);
  check(cudaGetLastError(), "unpacking weights");
}

}  // namespace fathom::cuda
