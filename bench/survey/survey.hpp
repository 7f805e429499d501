// What a survey of allocators (Winter, 5.6) does with one of them, wherever its threads run. The
// survey (bench/papers/memory/parts.cpp) knows no device; what runs it on host threads is
// bench/papers/memory/host.cpp, on a GPU fathom/memory/cuda.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/core/random.hpp"
#include "fathom/memory/layout.hpp"

namespace fathom::memory {

/// A round: each of `blocks` threads asks for one block. Block i is that of thread i * stride.
struct Requests {
  std::uint64_t blocks = 0;
  std::uint32_t stride = 1;  // 32 on a GPU: one thread of each warp asks
  std::uint64_t low = 0, high = 0, seed = 1;

  FATHOM_HD std::uint64_t bytes(std::uint64_t i) const {
    return low == high ? low : low + bounded(RandomStream(seed, high).at(i), high - low + 1);
  }
};

/// Rounds in which threads keep their block or replace it by one of another size. A thread without
/// a block asks for one.
struct Churn {
  std::uint64_t blocks = 0, low = 0, high = 0, seed = 1;
  std::uint64_t first_step = 0, steps = 1;  // for each thread
  std::uint32_t keep = 128;                 // of 256 blocks survive a step
  std::uint32_t kernels = 1;                // that share the blocks out and run at the same time

  FATHOM_HD std::uint64_t word(std::uint64_t step, std::uint64_t i) const {
    return RandomStream(seed, first_step + step).at(i);
  }
  FATHOM_HD bool keeps(std::uint64_t word) const { return (word & 255) < keep; }
  FATHOM_HD std::uint32_t bytes(std::uint64_t word) const {
    return static_cast<std::uint32_t>(low + bounded(mix64(word), high - low + 1));
  }
};
struct Churned {
  double ms = 0;
  std::uint64_t operations = 0;  // blocks got and given back
  std::uint64_t refused = 0;
  std::uint64_t damaged = 0;  // blocks that lost their owner's mark
};

/// What is live, after every block was filled with its number and read again.
struct Holding {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0, rounded = 0;  // asked for; rounded up to powers of two from 16
  std::uint64_t span = 0;                // from the lowest to the highest address
  std::uint64_t overlaps = 0;            // blocks that another one begins in
  std::uint64_t damaged = 0;             // blocks that do not hold their number
};

/// The size of the page that serves a request.
FATHOM_HD constexpr std::uint64_t rounded_bytes(std::uint64_t bytes) {
  std::uint64_t power = 16;
  while (power < bytes) power *= 2;
  return power;
}

/// What an allocator says of itself.
struct Account {
  std::uint64_t live = 0;  // bytes
  bool valid = true;       // all its invariants hold
};
struct Registers {
  int allocate = 0, free = 0;
};

/// One allocator and the threads that use it. Times are milliseconds.
class SurveySubject {
 public:
  virtual ~SurveySubject() = default;
  double init_ms = 0;  // to make it

  /// Forgets every block; allocators that cannot be reset do nothing.
  virtual double reset() = 0;
  virtual double allocate(const Requests& requests) = 0;
  virtual double release(std::uint64_t blocks) = 0;
  /// Each thread writes all words of its block.
  virtual double write(std::uint64_t blocks) = 0;
  /// Each thread obtains its block and writes all of it at once.
  virtual double work(const Requests& requests) = 0;
  /// The same in one array, at offsets that are the prefix sums of the sizes; needs no allocator.
  virtual double work_by_prefix_sum(const Requests& requests) = 0;
  virtual Churned churn(const Churn& churn) = 0;
  virtual Holding inspect(std::uint64_t blocks) = 0;
  virtual std::optional<Account> account() { return {}; }
  virtual std::optional<Registers> registers() { return {}; }
};

struct SubjectKind {
  const char* name;
  bool frees;    // else it is reset after each round
  bool bounded;  // has a region of its own, which can be filled
  /// `threads`: of the host; a GPU has one for each block.
  std::unique_ptr<SurveySubject> (*make)(const HeapOptions& options, std::uint64_t most_blocks,
                                         int threads);
};

/// The GPU of a survey.
struct SurveyDevice {
  std::string name;
  std::uint64_t bytes = 0;  // of its memory that are free
};

/// Selects the GPU. @throws Error(Device) without CUDA in the build, a driver or the device
FATHOM_API SurveyDevice open_survey_device(int ordinal);
/// The allocators that run there.
FATHOM_API std::vector<SubjectKind> device_subjects();

}  // namespace fathom::memory
