// The CPU backend: four functions over a team of threads. Nothing else in Fathom starts compute
// threads. An exception thrown by a worker is rethrown to the caller (the first one).
//
// A loop begins on the calling thread alone and calls the team when work is left after kAlone: the
// supersteps of a search through a road network are shorter than waking a thread takes. A team that
// is still awake from the last loop is called much sooner. Whatever
// the team has not begun when the caller is done, the caller does itself, so that it never waits
// for a thread that has no core to run on (docs/adr/0015).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

// About twice what waking a sleeping thread costs the two threads together.
inline constexpr std::chrono::nanoseconds kAlone{10'000};
// And what calling one costs that looks for work.
inline constexpr std::chrono::nanoseconds kAloneBesideOthers{1'000};

namespace detail {
/// How long a loop that begins now is the calling thread's alone.
FATHOM_API std::chrono::nanoseconds alone();
}  // namespace detail

/// The number of workers for a request: itself when positive, else one per available processor.
FATHOM_API int worker_count(int asked);

/// Calls body(worker) once for each worker in [0, workers). Calls may run at the same time, but
/// need not: no call may wait for another. A loop inside a body runs on the body's thread alone.
FATHOM_API void parallel_run(int workers, FunctionRef<void(int)> body);

/// Calls body(first, last, worker) on disjoint chunks of at most `grain` that cover [0, n); chunks
/// are handed out in ascending order to whichever worker is free. Chunk borders are multiples of
/// `grain`, so a grain of 64 lets the body own whole words of a bitmap. at_end(worker) follows a
/// worker's last chunk; worker 0 always has a share, if an empty one.
template <class Body, class AtEnd>
void parallel_for(int workers, std::size_t n, std::size_t grain, const Body& body,
                  const AtEnd& at_end) {
  std::size_t done = 0;
  const auto one = [&](std::size_t i) { body(i, std::min(n, i + grain), 0); };
  if (workers > 1 && n > grain) {
    const auto alone = detail::alone();
    const auto began = std::chrono::steady_clock::now();
    do {
      one(done);
      done += grain;
    } while (done + grain < n && std::chrono::steady_clock::now() - began < alone);
  }
  const std::size_t left = done < n ? (n - done + grain - 1) / grain : 0;
  if (workers <= 1 || left <= 1) {
    for (; done < n; done += grain) one(done);
    return at_end(0);
  }
  std::atomic<std::size_t> cursor{done};
  parallel_run(static_cast<int>(std::min(left, static_cast<std::size_t>(workers))),
               [&](int worker) {
                 for (std::size_t i; (i = cursor.fetch_add(grain, std::memory_order_relaxed)) < n;)
                   body(i, std::min(n, i + grain), worker);
                 at_end(worker);
               });
}

template <class Body>
void parallel_for(int workers, std::size_t n, std::size_t grain, const Body& body) {
  parallel_for(workers, n, grain, body, [](int) {});
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
