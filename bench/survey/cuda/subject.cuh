// An allocator's rounds on a GPU: the kernels that call it, for any HeapOwner whose manager works
// in kernels. A further allocator is a .cu file with its owner and a line in subjects.cpp.
#pragma once

#include <chrono>

#include "bench/survey/cuda/rounds.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/memory/allocator.hpp"

namespace fathom::memory {

namespace kernels {

template <Allocator A>
__global__ void allocate_blocks(A allocator, Requests requests, void** address) {
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t i = thread / requests.stride;
  if (i >= requests.blocks || thread % requests.stride != 0) return;
  address[i] = allocator.malloc(requests.bytes(i));
}

template <Allocator A>
__global__ void release_blocks(A allocator, void** address, std::uint64_t n) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  void* const p = address[i];
  if (p == nullptr) return;
  allocator.free(p);
  address[i] = nullptr;
}

template <Allocator A>
__global__ void work_on_blocks(A allocator, Requests requests, void** address) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= requests.blocks) return;
  const std::uint64_t bytes = requests.bytes(i);
  auto* const words = static_cast<std::uint32_t*>(allocator.malloc(bytes));
  address[i] = words;
  if (words == nullptr) return;
  for (std::uint32_t w = 0; w < static_cast<std::uint32_t>(bytes / 4); ++w)
    words[w] = static_cast<std::uint32_t>(i) + 1;
}

/// Blocks [first, end). The first and last word of a block are its number + 1.
template <Allocator A>
__global__ void churn_blocks(A allocator, Churn churn, std::uint64_t first, std::uint64_t end,
                             Blocks blocks, std::uint64_t* counters) {
  const std::uint64_t i = first + blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= end) return;
  const auto mark = static_cast<std::uint32_t>(i) + 1;
  auto* words = static_cast<std::uint32_t*>(blocks.address[i]);
  std::uint32_t bytes = blocks.bytes[i];
  unsigned long long operations = 0, refused = 0, damaged = 0;
  for (std::uint64_t step = 0; step < churn.steps; ++step) {
    const std::uint64_t word = churn.word(step, i);
    if (words != nullptr) {
      if (churn.keeps(word)) continue;
      if (words[0] != mark || words[bytes / 4 - 1] != mark) ++damaged;
      allocator.free(words);
      ++operations;
    }
    bytes = churn.bytes(word);
    words = static_cast<std::uint32_t*>(allocator.malloc(bytes));
    if (words == nullptr) {
      ++refused;
      continue;
    }
    ++operations;
    words[0] = words[bytes / 4 - 1] = mark;
  }
  blocks.address[i] = words;
  blocks.bytes[i] = bytes;
  auto* const total = reinterpret_cast<unsigned long long*>(counters);
  atomicAdd(&total[0], operations);
  if (refused > 0) atomicAdd(&total[1], refused);
  if (damaged > 0) atomicAdd(&total[2], damaged);
}

}  // namespace kernels

template <HeapOwner Owner>
class SubjectOf final : public DeviceRounds {
  using A = decltype(std::declval<Owner&>().manager());

 public:
  SubjectOf(const HeapOptions& options, std::uint64_t most_blocks)
      : DeviceRounds(most_blocks), owner_(options) {
    // Code is loaded at a kernel's first launch, which no measurement shall see.
    allocate(Requests{});
    release(0);
    work(Requests{});
    this->churn(Churn{});
  }

  double reset() override {
    const auto start = std::chrono::steady_clock::now();
    owner_.reset();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    return took.count();
  }
  double allocate(const Requests& r) override {
    const double ms = timed([&] {
      kernels::allocate_blocks<<<threads(r.blocks * r.stride), kBlock>>>(owner_.manager(), r,
                                                                         blocks().address);
    });
    if (r.blocks > 0) note_sizes(r);
    return ms;
  }
  double release(std::uint64_t n) override {
    return timed([&] {
      kernels::release_blocks<<<threads(n), kBlock>>>(owner_.manager(), blocks().address, n);
    });
  }
  double work(const Requests& r) override {
    const double ms = timed([&] {
      kernels::work_on_blocks<<<threads(r.blocks), kBlock>>>(owner_.manager(), r, blocks().address);
    });
    if (r.blocks > 0) note_sizes(r);
    return ms;
  }

  Churned churn(const Churn& c) override {
    clear_counters();
    Churned result;
    result.ms = timed([&] {
      for (std::uint64_t k = 0; k < c.kernels; ++k) {
        const std::uint64_t first = c.blocks * k / c.kernels, end = c.blocks * (k + 1) / c.kernels;
        const cudaStream_t stream = c.kernels == 1 ? nullptr : fork(k % kStreams);
        kernels::churn_blocks<<<threads(end - first), kBlock, 0, stream>>>(
            owner_.manager(), c, first, end, blocks(), counters());
        if (c.kernels > 1) join(k % kStreams);
      }
    });
    const auto counted = read_counters();
    result.operations = counted[0];
    result.refused = counted[1];
    result.damaged = counted[2];
    return result;
  }

  std::optional<Account> account() override {
    if constexpr (requires { owner_.stats(); })
      return Account{owner_.stats().bytes_live, owner_.valid() == Broken::None};
    else
      return {};
  }
  std::optional<Registers> registers() override {
    cudaFuncAttributes allocates{}, frees{};
    cuda::check(cudaFuncGetAttributes(&allocates, kernels::allocate_blocks<A>),
                "asking for a kernel's registers");
    cuda::check(cudaFuncGetAttributes(&frees, kernels::release_blocks<A>),
                "asking for a kernel's registers");
    return Registers{allocates.numRegs, frees.numRegs};
  }

 private:
  /// A grid of at least one block: no threads are a launch too.
  static unsigned threads(std::uint64_t n) { return grid(n > 0 ? n : 1); }

  Owner owner_;
};

template <HeapOwner Owner>
std::unique_ptr<SurveySubject> make_subject(const HeapOptions& options, std::uint64_t most_blocks,
                                            int) {
  const auto start = std::chrono::steady_clock::now();
  double init = 0;
  {
    const Owner alone(options);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    init = took.count();
  }
  auto subject = std::make_unique<SubjectOf<Owner>>(options, most_blocks);
  subject->init_ms = init;
  return subject;
}

}  // namespace fathom::memory
