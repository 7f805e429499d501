// Loops of which each piece begins where what those before it came to ends.
#pragma once

#include <cstddef>
#include <vector>

#include "fathom/core/parallel.hpp"

namespace fathom::dynamic {

/// Adds up count(first, last) over pieces of [0, n), tells prepare(sum), and then calls
/// put(first, last, before) for each piece, `before`: the sum over those before it. @return the sum
template <class Sum, class Count, class Prepare, class Put>
Sum count_and_put(int threads, std::size_t n, const Count& count, const Prepare& prepare,
                  const Put& put) {
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  std::vector<Sum> before((n + kPiece - 1) / kPiece + 1, Sum{});
  parallel_for(threads, n, kPiece, [&](std::size_t first, std::size_t last, int) {
    before[first / kPiece + 1] = count(first, last);
  });
  for (std::size_t p = 1; p < before.size(); ++p) before[p] = before[p - 1] + before[p];
  prepare(before.back());
  parallel_for(threads, n, kPiece, [&](std::size_t first, std::size_t last, int) {
    put(first, last, before[first / kPiece]);
  });
  return before.back();
}

}  // namespace fathom::dynamic
