// The rounds of a survey that no allocator takes part in: filling and reading back what is held,
// sorting it by address, writing, and what prefix sums do instead of allocating.
#include "bench/survey/cuda/rounds.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::memory {
namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
enum Counter { kHeld, kBytes, kRounded, kLowest, kHighest, kOverlaps, kDamaged };

__device__ std::uint64_t thread_number() {
  return blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
}
__device__ void add(std::uint64_t* counter, std::uint64_t n) {
  atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(n));
}

/// Keeps the device busy while the host queues what is timed.
__global__ void wait_a_while(std::uint64_t nanoseconds) {
  std::uint64_t start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(500);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

__global__ void note_sizes_of(Requests requests, Blocks blocks) {
  const std::uint64_t i = thread_number();
  if (i < requests.blocks) blocks.bytes[i] = static_cast<std::uint32_t>(requests.bytes(i));
}

__global__ void write_blocks(Blocks blocks, std::uint64_t n) {
  const std::uint64_t i = thread_number();
  if (i >= n || blocks.address[i] == nullptr) return;
  auto* const words = static_cast<std::uint32_t*>(blocks.address[i]);
  for (std::uint32_t w = 0; w < blocks.bytes[i] / 4; ++w) words[w] = static_cast<std::uint32_t>(i);
}

// A warp per block: block i is filled with i + 1, as those of a churn are marked.
__global__ void fill_blocks(Blocks blocks, std::uint64_t n) {
  const std::uint64_t i = thread_number() / 32;
  if (i >= n || blocks.address[i] == nullptr) return;
  auto* const words = static_cast<std::uint32_t*>(blocks.address[i]);
  for (std::uint32_t w = threadIdx.x % 32; w < blocks.bytes[i] / 4; w += 32)
    words[w] = static_cast<std::uint32_t>(i) + 1;
}

__global__ void check_blocks(Blocks blocks, std::uint64_t n, std::uint64_t* counters) {
  const std::uint64_t i = thread_number() / 32;
  if (i >= n || blocks.address[i] == nullptr) return;
  const auto* const words = static_cast<const std::uint32_t*>(blocks.address[i]);
  bool damaged = false;
  for (std::uint32_t w = threadIdx.x % 32; w < blocks.bytes[i] / 4; w += 32)
    damaged |= words[w] != static_cast<std::uint32_t>(i) + 1;
  if (__any_sync(~0u, damaged) && threadIdx.x % 32 == 0) add(&counters[kDamaged], 1);
}

__global__ void list_blocks(Blocks blocks, std::uint64_t n, std::uint64_t* begins,
                            std::uint64_t* ends, std::uint64_t* counters) {
  const std::uint64_t i = thread_number();
  if (i >= n) return;
  const auto at = reinterpret_cast<std::uint64_t>(blocks.address[i]);
  begins[i] = at == 0 ? kNowhere : at;
  ends[i] = at == 0 ? kNowhere : at + blocks.bytes[i];
  if (at == 0) return;
  add(&counters[kHeld], 1);
  add(&counters[kBytes], blocks.bytes[i]);
  add(&counters[kRounded], rounded_bytes(blocks.bytes[i]));
}

__global__ void check_order(const std::uint64_t* begins, const std::uint64_t* ends, std::uint64_t n,
                            std::uint64_t* counters) {
  const std::uint64_t i = thread_number();
  if (i >= n || begins[i] == kNowhere) return;
  const bool last = i + 1 == n || begins[i + 1] == kNowhere;
  if (!last && ends[i] > begins[i + 1]) add(&counters[kOverlaps], 1);
  if (i == 0) counters[kLowest] = begins[i];
  if (last) counters[kHighest] = ends[i];
}

__global__ void list_sizes(Requests requests, std::uint64_t* sizes) {
  const std::uint64_t i = thread_number();
  if (i < requests.blocks) sizes[i] = (requests.bytes(i) + 15) / 16 * 16;
}

__global__ void write_packed(Requests requests, const std::uint64_t* offsets, std::byte* data) {
  const std::uint64_t i = thread_number();
  if (i >= requests.blocks) return;
  auto* const words = reinterpret_cast<std::uint32_t*>(data + offsets[i]);
  const auto count = static_cast<std::uint32_t>(requests.bytes(i) / 4);
  for (std::uint32_t w = 0; w < count; ++w) words[w] = static_cast<std::uint32_t>(i) + 1;
}

template <class T>
T* obtain(std::uint64_t n) {
  void* p = nullptr;
  cuda::check(cudaMalloc(&p, n * sizeof(T)), "allocating what a survey needs");
  return static_cast<T*>(p);
}

}  // namespace

DeviceRounds::DeviceRounds(std::uint64_t most_blocks) : most_(most_blocks) {
  blocks_ = {obtain<void*>(most_), obtain<std::uint32_t>(most_)};
  counters_ = obtain<std::uint64_t>(8);
  keys_ = obtain<std::uint64_t>(4 * most_);
  cuda::check(cudaEventCreate(&start_), "creating an event");
  cuda::check(cudaEventCreate(&stop_), "creating an event");
  for (cudaStream_t& stream : streams_)
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  for (cudaEvent_t& event : joined_)
    cuda::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
  forget(most_);
}

DeviceRounds::~DeviceRounds() {
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  for (cudaEvent_t event : joined_) cudaEventDestroy(event);
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  for (void* p : {static_cast<void*>(blocks_.address), static_cast<void*>(blocks_.bytes),
                  static_cast<void*>(counters_), static_cast<void*>(keys_), packed_})
    cudaFree(p);
}

void DeviceRounds::begin() {
  wait_a_while<<<1, 1>>>(30000);
  cuda::check(cudaEventRecord(start_), "recording an event");
}

double DeviceRounds::end() {
  cuda::check(cudaGetLastError(), "starting a round of the survey");
  cuda::check(cudaEventRecord(stop_), "recording an event");
  cuda::check(cudaDeviceSynchronize(), "a round of the survey");
  float ms = 0;
  cuda::check(cudaEventElapsedTime(&ms, start_, stop_), "reading the device's clock");
  return ms;
}

cudaStream_t DeviceRounds::fork(std::size_t i) {
  cuda::check(cudaStreamWaitEvent(streams_[i], start_), "waiting for an event");
  return streams_[i];
}

void DeviceRounds::join(std::size_t i) {
  cuda::check(cudaEventRecord(joined_[i], streams_[i]), "recording an event");
  cuda::check(cudaStreamWaitEvent(nullptr, joined_[i]), "waiting for an event");
}

void DeviceRounds::note_sizes(const Requests& requests) {
  note_sizes_of<<<grid(requests.blocks), kBlock>>>(requests, blocks_);
}

void DeviceRounds::forget(std::uint64_t blocks) {
  cuda::check(cudaMemset(blocks_.address, 0, blocks * sizeof(void*)), "clearing the blocks");
}

void DeviceRounds::clear_counters() {
  cuda::check(cudaMemset(counters_, 0, 8 * sizeof(std::uint64_t)), "clearing counters");
}

std::array<std::uint64_t, 8> DeviceRounds::read_counters() {
  std::array<std::uint64_t, 8> values{};
  cuda::check(
      cudaMemcpy(values.data(), counters_, 8 * sizeof(std::uint64_t), cudaMemcpyDeviceToHost),
      "reading counters");
  return values;
}

double DeviceRounds::write(std::uint64_t blocks) {
  return timed([&] { write_blocks<<<grid(blocks), kBlock>>>(blocks_, blocks); });
}

double DeviceRounds::work_by_prefix_sum(const Requests& requests) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < requests.blocks; ++i) total += (requests.bytes(i) + 15) / 16 * 16;
  if (total > packed_bytes_) {
    cuda::check(cudaFree(packed_), "freeing device memory");
    packed_ = nullptr;
    packed_bytes_ = 0;
    packed_ = obtain<std::byte>(total);
    packed_bytes_ = total;
  }
  std::uint64_t* const sums = keys_ + most_;
  const unsigned blocks = grid(requests.blocks);
  cuda::exclusive_sum(scratch_, keys_, sums, requests.blocks);  // its temporary memory is there
  return timed([&] {
    list_sizes<<<blocks, kBlock>>>(requests, keys_);
    cuda::exclusive_sum(scratch_, keys_, sums, requests.blocks);
    write_packed<<<blocks, kBlock>>>(requests, sums, static_cast<std::byte*>(packed_));
  });
}

Holding DeviceRounds::inspect(std::uint64_t blocks) {
  clear_counters();
  const unsigned warps = grid(blocks * 32), threads = grid(blocks);
  std::uint64_t* const sorted = keys_ + 2 * most_;
  fill_blocks<<<warps, kBlock>>>(blocks_, blocks);
  check_blocks<<<warps, kBlock>>>(blocks_, blocks, counters_);
  list_blocks<<<threads, kBlock>>>(blocks_, blocks, keys_, keys_ + most_, counters_);
  cuda::sort_pairs(scratch_, keys_, sorted, keys_ + most_, sorted + most_, blocks);
  check_order<<<threads, kBlock>>>(sorted, sorted + most_, blocks, counters_);
  cuda::check(cudaGetLastError(), "checking what is held");
  const auto found = read_counters();
  return {found[kHeld],     found[kBytes],  found[kRounded], found[kHighest] - found[kLowest],
          found[kOverlaps], found[kDamaged]};
}

}  // namespace fathom::memory
