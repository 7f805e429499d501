// How the degrees of a graph are distributed: small, exact where it matters, computed in one pass.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom::store {

/// Stored as it is in the section "degrees" of a .fg file.
struct DegreeSummary {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t maximum = 0;
  /// The degree that 50, 90, 99, 99.9 and 99.99 % of the vertices do not exceed (nearest rank):
  /// exact below 128, at most 1/64 too high above.
  std::array<std::uint64_t, 5> percentile{};
  /// [0]: vertices of degree 0; [i]: vertices whose degree is in [2^(i-1), 2^i).
  std::array<std::uint64_t, 65> histogram{};

  double mean() const {
    return vertices == 0 ? 0.0 : static_cast<double>(edges) / static_cast<double>(vertices);
  }
  friend bool operator==(const DegreeSummary&, const DegreeSummary&) = default;
};
static_assert(sizeof(DegreeSummary) == 73 * 8);

inline constexpr std::array<double, 5> kDegreePercentiles{50, 90, 99, 99.9, 99.99};

/// Summarises an offset array that arrives in pieces. At most 30 KiB, whatever the graph.
class FATHOM_API DegreeAccumulator {
 public:
  /// The next entries of the offset array, in order.
  void add(std::span<const EdgeId> offsets);
  DegreeSummary summary() const;

 private:
  std::optional<EdgeId> last_;
  std::vector<std::uint64_t> count_;  // per bucket of degrees, as far as there are any
  std::uint64_t vertices_ = 0, edges_ = 0, maximum_ = 0;
};

FATHOM_API DegreeSummary summarize_degrees(std::span<const EdgeId> offsets);

}  // namespace fathom::store
