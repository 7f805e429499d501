// What all allocators' rounds on a GPU share: the arrays of blocks, the clock, and the checks,
// which know no allocator.
#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "bench/survey/survey.hpp"
#include "fathom/exec/cuda/array_ops.hpp"

namespace fathom::memory {

/// Block i of the threads.
struct Blocks {
  void** address;
  std::uint32_t* bytes;
};

class DeviceRounds : public SurveySubject {
 public:
  static constexpr unsigned kBlock = 256;
  static constexpr std::size_t kStreams = 8;  // kernels at the same time

  explicit DeviceRounds(std::uint64_t most_blocks);
  ~DeviceRounds() override;

  double write(std::uint64_t blocks) override;
  double work_by_prefix_sum(const Requests& requests) override;
  Holding inspect(std::uint64_t blocks) override;

 protected:
  static unsigned grid(std::uint64_t threads) {
    return static_cast<unsigned>((threads + kBlock - 1) / kBlock);
  }
  /// Milliseconds on the device from the first to the last of what `launch` queues: the device is
  /// kept busy until all of it stands in the queue.
  template <class Launch>
  double timed(const Launch& launch) {
    begin();
    launch();
    return end();
  }
  void begin();
  double end();

  /// Streams that start after begin() and that end() waits for.
  cudaStream_t fork(std::size_t i);
  void join(std::size_t i);

  /// Notes what each thread asked for; the kernels that are timed write addresses alone.
  void note_sizes(const Requests& requests);
  /// No thread has a block.
  void forget(std::uint64_t blocks);
  Blocks blocks() const { return blocks_; }
  std::uint64_t* counters() const { return counters_; }
  void clear_counters();
  std::array<std::uint64_t, 8> read_counters();

 private:
  std::uint64_t most_;
  Blocks blocks_{};
  std::uint64_t* counters_ = nullptr;
  std::uint64_t* keys_ = nullptr;  // 4 * most: begins, ends, and both sorted
  void* packed_ = nullptr;         // of work_by_prefix_sum()
  std::uint64_t packed_bytes_ = 0;
  cuda::ArrayScratch scratch_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  std::array<cudaStream_t, kStreams> streams_{};
  std::array<cudaEvent_t, kStreams> joined_{};
};

}  // namespace fathom::memory
