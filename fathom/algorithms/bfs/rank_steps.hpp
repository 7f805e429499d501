// What ranks share that search by themselves, whether by levels or by buckets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fathom::detail {

/// What one rank looked at, or all of them.
struct RankWork {
  std::uint64_t vertices = 0, edges = 0;
  friend RankWork operator+(const RankWork& a, const RankWork& b) {
    return {a.vertices + b.vertices, a.edges + b.edges};
  }
};

/// How many levels or buckets ranks go on between two exchanges: twice as many each time, and half
/// as many where more than an eighth of what any of them was told had been found before, farther
/// away.
class RankSteps {
 public:
  std::uint32_t count() const { return count_; }
  /// Of what others told this rank: whether it had found it before.
  void was_told(bool corrected) {
    ++told_;
    corrections_ += corrected ? 1 : 0;
  }
  /// Whether too much was corrected since this was asked.
  bool take_corrected() {
    const bool many = corrections_ > told_ / 8;
    corrections_ = told_ = 0;
    return many;
  }
  /// `corrected`: what any of the ranks took. The same on all of them.
  void next(bool corrected) {
    count_ = corrected ? std::max(count_ / 2, 1u) : std::min(count_ * 2, kMost);
  }

 private:
  // More at a time tell no less, and ranks wait for what enters their vertices from others'.
  static constexpr std::uint32_t kMost = 64;
  std::uint32_t count_ = 1;
  std::uint64_t corrections_ = 0, told_ = 0;
};

}  // namespace fathom::detail
