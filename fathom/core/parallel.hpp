// The CPU backend: four functions over one team of threads.
//
// parallel_openmp.cpp runs the team on OpenMP; parallel_threads.cpp on std::thread, which is what
// the thread-sanitizer build uses because libgomp is not instrumented. Nothing else in Fathom
// starts compute threads. An exception thrown by a worker is rethrown to the caller (the first
// one).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// The number of workers for a request: itself when positive, else one per available processor.
FATHOM_API int worker_count(int asked);

/// Calls body(worker) once for each worker in [0, workers), concurrently. Not reentrant.
FATHOM_API void parallel_run(int workers, FunctionRef<void(int)> body);

/// Calls body(first, last, worker) on disjoint chunks of at most `grain` that cover [0, n); chunks
/// are handed out in ascending order to whichever worker is free. Chunk borders are multiples of
/// `grain`, so a grain of 64 lets the body own whole words of a bitmap.
template <class Body>
void parallel_for(int workers, std::size_t n, std::size_t grain, const Body& body) {
  if (n == 0) return;
  const std::size_t chunks = (n + grain - 1) / grain;
  const int team =
      static_cast<int>(std::min<std::size_t>(chunks, static_cast<std::size_t>(workers)));
  if (team <= 1) {
    for (std::size_t i = 0; i < n; i += grain) body(i, std::min(n, i + grain), 0);
    return;
  }
  std::atomic<std::size_t> cursor{0};
  parallel_run(team, [&](int worker) {
    for (std::size_t i; (i = cursor.fetch_add(grain, std::memory_order_relaxed)) < n;)
      body(i, std::min(n, i + grain), worker);
  });
}

/// Combines part(first, last) over chunks of `grain` that cover [0, n). The partial results are
/// combined in ascending order of their chunks, so the result does not depend on the workers.
template <class T, class Part, class Combine>
T parallel_reduce(int workers, std::size_t n, std::size_t grain, T identity, const Part& part,
                  const Combine& combine) {
  std::vector<T> partial((n + grain - 1) / grain, identity);
  parallel_for(workers, n, grain, [&](std::size_t first, std::size_t last, int) {
    partial[first / grain] = part(first, last);
  });
  T total = identity;
  for (const T& p : partial) total = combine(total, p);
  return total;
}

}  // namespace fathom
