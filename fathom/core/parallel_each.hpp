// Loops over tasks that are long beside waking a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "fathom/core/parallel.hpp"

namespace fathom {

/// Calls body(i, worker) once for each i in [0, n), in ascending order on whichever worker is free.
/// Unlike parallel_for(), which does its first chunk alone, calls the team at once.
template <class Body>
void parallel_each(int workers, std::size_t n, const Body& body) {
  std::atomic<std::size_t> next{0};
  const auto run = [&](int worker) {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) body(i, worker);
  };
  const auto team = static_cast<int>(std::min(n, static_cast<std::size_t>(std::max(1, workers))));
  if (team > 1)
    parallel_run(team, run);
  else
    run(0);
}

/// The same of pieces [first, last) of at most `piece` items that cover [0, n): body(first, last,
/// worker).
template <class Body>
void parallel_pieces(int workers, std::size_t n, std::size_t piece, const Body& body) {
  parallel_each(workers, (n + piece - 1) / piece, [&](std::size_t i, int worker) {
    body(i * piece, std::min(n, (i + 1) * piece), worker);
  });
}

}  // namespace fathom
