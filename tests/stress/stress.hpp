// A stress program's parts: rounds that each make a world of their own from a seed, and the machine
// they run on. stress_host and stress_cuda have the same rounds (docs/reliability.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "fathom/dynamic/live/live_changes.hpp"
#include "fathom/residency/graph.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

inline constexpr std::size_t kMi = std::size_t{1} << 20;

/// What was done, by name. Any thread adds.
class Counts {
 public:
  void add(const std::string& what, std::uint64_t count = 1) {
    const std::lock_guard lock(mutex_);
    counts_[what] += count;
  }
  void print() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;
};

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void require(bool holds, const std::string& what) {
  if (!holds) throw Wrong(what);
}

/// Threads that allocate, mark what they got, and give it back.
struct AllocatorRound {
  std::uint32_t variant, shape;  // of six, of three
  std::uint32_t threads;
  std::uint64_t most_bytes;
  std::uint32_t rounds;
  std::uint64_t heap_bytes, usable;
};
struct AllocatorOutcome {
  std::uint64_t served, overlaps, live_after;
  std::uint32_t broken;  // memory::Broken
};

/// Who changes a graph's lists: one lane, or a group of some, or an edge per lane of a group.
inline constexpr std::uint32_t kLiveGroups = 4;

/// Of all functions: @throws std::exception. By any thread at any time.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual AllocatorOutcome allocate(const AllocatorRound& round) = 0;
  /// For graphs that change in `memory` bytes.
  virtual Context for_changes(std::size_t memory) = 0;
  /// All updates at once by groups of one kind; what each came to.
  virtual std::vector<LiveResult> change(const LiveChanges& changing,
                                         const std::vector<EdgeUpdate>& updates,
                                         std::uint32_t group) = 0;
  /// For algorithms: devices of `memory` bytes each, 0: one that is all there is.
  virtual Context for_runs(std::size_t memory, std::uint32_t devices) = 0;
  /// Residencies to draw from.
  virtual std::vector<ResidencyOptions::Kind> residencies(std::uint32_t devices) = 0;
};
std::unique_ptr<Machine> make_machine();

// The rounds. @throws std::exception for whatever is wrong.
void allocate(Machine& machine, zoo::Dice& dice, Counts& counts);
/// Batches, phases of changes by lanes and snapshots of one graph, in little memory.
void change(Machine& machine, zoo::Dice& dice, Counts& counts);
/// Algorithms in any order on one handle of a random graph, in little memory.
void analyse(Machine& machine, zoo::Dice& dice, Counts& counts);

}  // namespace fathom::testing
