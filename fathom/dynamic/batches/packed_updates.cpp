#include "fathom/dynamic/batches/packed_updates.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"

namespace fathom::dynamic {
namespace {

// Some microseconds of work: who has to be woken takes as long to come.
constexpr std::size_t kPackedAtOnce = std::size_t{1} << 13;

constexpr std::uint64_t packed(std::uint64_t source, std::uint64_t target, bool deletion) {
  return source | (deletion ? PackedUpdates::kDeletes : 0) | target << 32;
}

/// Of any vertices.
constexpr std::uint64_t packed_least(const EdgeUpdate& e) {
  constexpr std::uint64_t kTarget = 0xFFFFFFFF;
  return packed(std::min<std::uint64_t>(e.source, PackedUpdates::kSource),
                std::min<std::uint64_t>(e.target, kTarget), e.deletion);
}

}  // namespace

PackedUpdates pack_updates(const EdgeUpdate* from, std::size_t n, bool weighted, void* to,
                           int threads) {
  auto* const edge = static_cast<std::uint64_t*>(to);
  auto* const weight = weighted ? reinterpret_cast<Weight*>(edge + n) : nullptr;
  parallel_for(threads, n, kPackedAtOnce, [&](std::size_t a, std::size_t b, int) {
    std::uint64_t vertices = 0;  // as one number that none exceeds, so that most are not compared
    for (std::size_t i = a; i < b; ++i) {
      const EdgeUpdate& e = from[i];
      vertices |= std::uint64_t{e.source} | std::uint64_t{e.target};
      edge[i] = packed(e.source, e.target, e.deletion);
    }
    if (vertices > PackedUpdates::kSource)
      for (std::size_t i = a; i < b; ++i) edge[i] = packed_least(from[i]);
    if (!weight) return;
    for (std::size_t i = a; i < b; ++i) weight[i] = from[i].weight;
  });
  return {edge, weight};
}

}  // namespace fathom::dynamic
