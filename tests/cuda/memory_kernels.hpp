// What the tests of the memory manager on a GPU ask of its kernels.
#pragma once

#include <cstdint>

namespace fathom::testing {

enum class MemoryVariantName { SP, SC, VAP, VAC, VLP, VLC };
enum class MemoryBlocks { OneDimensional, TwoDimensional, ThreeDimensional };

struct MemoryRun {
  std::uint64_t served = 0;    // allocations that were not null
  std::uint64_t overlaps = 0;  // pages that lost their owner's mark
  std::uint64_t live_after = 0;
  std::uint32_t broken = 0;  // memory::Broken
};

/// `threads` threads, every third of them idle, allocate 16 to `most_bytes` bytes, mark the pages,
/// check the marks and free, `rounds` times, in a heap of `heap_bytes` of which `mapped` are there.
struct MemoryLoad {
  MemoryBlocks blocks;
  std::uint32_t threads;
  std::uint64_t most_bytes;
  std::uint32_t rounds;
  std::uint64_t heap_bytes, mapped;
};
MemoryRun exercise_on_device(MemoryVariantName variant, const MemoryLoad& load);

/// Each thread of whole warps (as groups that are named) takes from two heaps by turns, of
/// different variants, marks what it got, and gives everything back; `rounds` times.
struct MemoryPair {
  std::uint64_t served = 0, overlaps = 0, live_after = 0;
  std::uint32_t broken = 0;  // of either
};
MemoryPair two_heaps_on_device(std::uint32_t threads, std::uint32_t rounds);

/// Each thread of a checked build frees its page twice, and then what no heap gave.
struct MemoryFaults {
  std::uint64_t double_frees = 0, foreign_frees = 0, live_after = 0;
  std::uint32_t broken = 0;
};
MemoryFaults wrong_frees_on_device(std::uint32_t threads);

/// Fills a heap with pages of 1 KiB, grows it by `more` bytes, and fills it again; then moves it
/// into a region of twice the size and counts what still holds its number.
struct MemoryGrowth {
  std::uint64_t before = 0, after = 0, kept = 0;
  std::uint32_t broken = 0;
};
MemoryGrowth grow_on_device(std::uint64_t mapped, std::uint64_t more);

}  // namespace fathom::testing
