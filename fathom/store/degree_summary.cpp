#include "fathom/store/degree_summary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom::store {
namespace {

// Buckets: one per degree below 64, then 64 per power of two (the six bits after the leading one).
constexpr unsigned kSubBits = 6;
constexpr std::size_t kSub = std::size_t{1} << kSubBits;

std::size_t bucket_of(std::uint64_t degree) {
  if (degree < kSub) return static_cast<std::size_t>(degree);
  const unsigned shift = static_cast<unsigned>(std::bit_width(degree)) - 1 - kSubBits;
  return kSub * (shift + 1) + static_cast<std::size_t>((degree >> shift) - kSub);
}

std::uint64_t largest_in(std::size_t bucket) {
  if (bucket < kSub) return bucket;
  const std::size_t shift = bucket / kSub - 1;
  return ((std::uint64_t{bucket % kSub} + kSub + 1) << shift) - 1;
}

}  // namespace

void DegreeAccumulator::add(std::span<const EdgeId> offsets) {
  for (EdgeId offset : offsets) {
    if (last_) {
      const std::uint64_t degree = offset - *last_;
      const std::size_t bucket = bucket_of(degree);
      if (bucket >= count_.size()) count_.resize(bucket + 1);
      ++count_[bucket];
      ++vertices_;
      edges_ += degree;
      maximum_ = std::max(maximum_, degree);
    }
    last_ = offset;
  }
}

DegreeSummary DegreeAccumulator::summary() const {
  DegreeSummary s;
  s.vertices = vertices_;
  s.edges = edges_;
  s.maximum = maximum_;
  std::array<std::uint64_t, 5> rank{};  // 1-based rank of each percentile
  for (std::size_t p = 0; p < rank.size(); ++p)
    rank[p] = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(vertices_) * kDegreePercentiles[p] / 100.0));
  std::uint64_t before = 0;
  for (std::size_t b = 0; b < count_.size() && before < vertices_; ++b) {
    if (count_[b] == 0) continue;
    const std::uint64_t upto = before + count_[b];
    const std::uint64_t degree = std::min(largest_in(b), maximum_);
    for (std::size_t p = 0; p < rank.size(); ++p)
      if (rank[p] > before && rank[p] <= upto) s.percentile[p] = degree;
    s.histogram[static_cast<std::size_t>(std::bit_width(largest_in(b)))] += count_[b];
    before = upto;
  }
  return s;
}

DegreeSummary summarize_degrees(std::span<const EdgeId> offsets) {
  DegreeAccumulator a;
  a.add(offsets);
  return a.summary();
}

}  // namespace fathom::store
