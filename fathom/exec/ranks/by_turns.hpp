// Pieces of work that a rank does by itself, without exchanges: dealt out by turns, and shown to
// all ranks in order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fathom/exec/ranks/fail_together.hpp"

namespace fathom {

/// Calls work(piece) on the rank whose turn it is, at the same time on all ranks; then, on all of
/// them, show(piece, rank) for each of these pieces, where `rank` has what came of it until the
/// next turn and may broadcast it. Where work() throws an Error, all ranks throw that of the first
/// piece.
template <class Work, class Show>
void by_turns(ReplicaGroup& group, std::uint64_t pieces, const Work& work, const Show& show) {
  const auto ranks = static_cast<std::uint64_t>(group.ranks());
  for (std::uint64_t first = 0; first < pieces; first += ranks) {
    const std::uint64_t mine = first + static_cast<std::uint64_t>(group.rank());
    fail_together(group, [&] {
      if (mine < pieces) work(mine);
    });
    for (std::uint64_t piece = first; piece < std::min(first + ranks, pieces); ++piece)
      show(piece, static_cast<int>(piece - first));
  }
}

}  // namespace fathom
