// The parts of the link probe: a clock on the device, copies, reads.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "fathom/exec/cuda/link_memory.cuh"
#include "fathom/exec/cuda/link_probe.hpp"

namespace fathom::link {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20, kGiB = std::uint64_t{1} << 30;

inline double gigabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e9;
}

/// Times work between two events of the default stream, and says how far the probe is.
class Timing {
 public:
  static constexpr int kRuns = 5;

  explicit Timing(const Task& task) : task_(task) {}

  void phase(const std::string& name) {
    task_.begin(name, 0, "measurements");
    done_ = 0;
  }

  /// Seconds on the device from the start of work() to the end of all it put into the default
  /// stream. @throws Error(Interrupted), Error(Device).
  double seconds(const std::function<void()>& work) {
    task_.at(done_);
    begin_.record(cudaStream_t{});
    work();
    check(cudaGetLastError(), "start a kernel");
    end_.record(cudaStream_t{});
    end_.wait();
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "tell the time");
    return static_cast<double>(milliseconds) * 1e-3;
  }

  /// The median of run(0) ... run(kRuns - 1), each in seconds.
  double median(const std::function<double(int)>& run) {
    std::array<double, kRuns> all{};
    for (int i = 0; i < kRuns; ++i) all[static_cast<std::size_t>(i)] = run(i);
    ++done_;
    std::nth_element(all.begin(), all.begin() + kRuns / 2, all.end());
    return all[kRuns / 2];
  }

  /// The event from which seconds() counts, for other streams to wait on.
  cudaEvent_t begin() const { return begin_; }

 private:
  Task task_;
  std::uint64_t done_ = 0;
  Event begin_, end_;
};

/// Copies of `bytes` between the device and pinned memory, and of half of it with pageable memory.
LinkProfile::Copies measure_copies(Timing& timing, std::uint64_t bytes, int device);

/// Runs kernels that read host memory.
class Reader {
 public:
  Reader(Timing& timing, int device, bool quick);

  LinkProfile::InOrder in_order(ZeroCopyWay way, const HostRegion& memory);
  /// @param region at most memory.bytes(); the part of the memory that is read.
  LinkProfile::Reach reach(ZeroCopyWay way, const HostRegion& memory, std::uint64_t region);
  LinkProfile::Unified unified(bool read_mostly, const ManagedMemory& memory);

 private:
  using Launch = std::function<void(int run, std::uint64_t items)>;
  double rate(std::uint64_t most, std::uint64_t item_bytes, const Launch& launch);
  double cold_seconds(bool read_mostly, const ManagedMemory& memory,
                      const std::function<void(int)>& launch);
  template <class Lines>
  void read(const std::uint32_t* words, const Lines& lines, std::uint64_t count);
  std::uint32_t* sink() const { return reinterpret_cast<std::uint32_t*>(sink_.data()); }
  unsigned blocks(int per_multiprocessor) const;
  std::uint64_t sample(std::uint64_t region, std::uint64_t item_bytes) const;

  Timing& timing_;
  int device_ = 0, multiprocessors_ = 0;
  bool quick_ = false;
  DeviceMemory sink_;
};

}  // namespace fathom::link
