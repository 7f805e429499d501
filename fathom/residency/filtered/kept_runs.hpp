// Runs of kept edges, found by a bit for each edge; for the host and device code.
#pragma once

#include "fathom/core/bits.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// The first kept edge of [at, last); `last` where there is none.
FATHOM_HD EdgeId next_kept(const std::uint64_t* bits, EdgeId at, EdgeId last) {
  while (at < last) {
    const std::uint64_t rest = bits[at / 64] >> at % 64;
    if (rest != 0) {
      at += trailing_zeros(rest);
      break;
    }
    at = (at / 64 + 1) * 64;
  }
  return at < last ? at : last;
}

/// How many edges from `first` on are kept without a gap, at most `most`.
FATHOM_HD EdgeId kept_run(const std::uint64_t* bits, EdgeId first, EdgeId most) {
  EdgeId run = trailing_ones(bits[first / 64] >> first % 64);
  for (std::uint32_t ones = 1; ones > 0 && run < most && (first + run) % 64 == 0; run += ones)
    ones = trailing_ones(bits[(first + run) / 64]);
  return run < most ? run : most;
}

/// Calls run(first, n) for the runs of kept edges that lie side by side in [first, last),
/// ascending.
template <class Run>
void each_kept_run(const std::uint64_t* bits, EdgeId first, EdgeId last, const Run& run) {
  while ((first = next_kept(bits, first, last)) < last) {
    const EdgeId n = kept_run(bits, first, last - first);
    run(first, n);
    first += n;
  }
}

}  // namespace fathom
