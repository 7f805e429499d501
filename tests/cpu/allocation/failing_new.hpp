// Allocations of this program that fail by their number: every operator new, and every allocation
// of a memory pool (those of a Context), counted together over all threads.
#pragma once

#include <cstdint>

namespace fathom::testing {

class FailingAllocations {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  /// While this lives allocation number `at` fails (from 1 on), and if `lasting` all after it.
  explicit FailingAllocations(std::uint64_t at = kNone, bool lasting = false);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// Allocations that were asked for so far.
  static std::uint64_t asked();
};

}  // namespace fathom::testing
