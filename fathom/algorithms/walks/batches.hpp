// How many walks are drawn at a time, and the memory that these take: one place for runs and plans.
#pragma once

#include <cstdint>

#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

/// Edges of lists that are on the host at a time, by weight, where it does not reach them: per edge
/// that is drawn at a time.
inline constexpr std::uint64_t kWalkPieceEdges = 16;

/// Whether a walker tries a step of the second order until it is accepted, by itself: no list is
/// read as a whole, and each is in reach. Else all walkers of a batch try together.
inline bool tries_alone(const WalkOptions& options, bool in_reach) {
  return in_reach && !options.weighted && options.second_order();
}
/// Whether what edges back are more likely than all others is drawn apart (KnightKing, section 4.2:
/// outliers), so that others are not rejected for it. By weight it is not.
inline bool draws_back_apart(const WalkOptions& options) {
  return !options.weighted && 1 / options.p > 1 && 1 / options.p > 1 / options.q;
}
/// Edges that are drawn at a time, per walk of a batch: of those that try together several, so that
/// there are fewer rounds. A power of 2.
inline std::uint64_t drawn_together(const WalkOptions& options, bool in_reach) {
  return options.second_order() && !tries_alone(options, in_reach) ? 4 : 1;
}

/// Of a batch. Where the device is the host, both are in its memory.
struct WalkMemory {
  std::uint64_t host = 0, device = 0;  // bytes; on each device
};
/// `in_reach`: the host reads lists entry by entry. `devices`: with memories of their own, 0: none.
FATHOM_API WalkMemory walk_memory(const WalkOptions& options, std::uint64_t batch, bool in_reach,
                                  std::size_t devices, double id_bytes = sizeof(VertexId));

/// The fewest and the most walks at a time, powers of 2, unless the options say how many.
FATHOM_API std::uint64_t fewest_walks(const WalkOptions& options);
FATHOM_API std::uint64_t most_walks(const WalkOptions& options, bool in_reach);

/// The most walks at a time that take a quarter of `spare` bytes of the memory that `bytes(batch)`
/// is of, and the fewest where these take more: the rest is for what is read through.
template <class Bytes>
std::uint64_t walks_within(std::uint64_t spare, std::uint64_t least, std::uint64_t most,
                           const Bytes& bytes) {
  while (most > least && bytes(most) > spare / 4) most /= 2;
  return most;
}

/// Of a batch, for lists that a run makes ready: bytes of each device.
FATHOM_API StateSize walks_state(const WalkMemory& memory, bool in_reach, bool separate);

}  // namespace fathom
