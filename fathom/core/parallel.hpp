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

/// Does one(i) for chunks i = 0, grain, ... of [0, n) on the calling thread, as long as a loop is
/// its alone; the last chunk is left. Returns where the next one begins.
template <class One>
std::size_t begin_alone(int workers, std::size_t n, std::size_t grain, const One& one) {
  std::size_t done = 0;
  if (workers <= 1 || n <= grain) return done;
  const auto alone = detail::alone();
  const auto began = std::chrono::steady_clock::now();
  do {
    one(done);
    done += grain;
  } while (done + grain < n && std::chrono::steady_clock::now() - began < alone);
  return done;
}
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
  const auto one = [&](std::size_t i) { body(i, std::min(n, i + grain), 0); };
  std::size_t done = detail::begin_alone(workers, n, grain, one);
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

/// The same, but that each worker has a contiguous share of its own, and helps others when it is
/// done: in loops that follow each other, and whose workers write what the next one reads, a worker
/// finds in its caches what it left there. Shares have no borders at multiples of `grain`.
template <class Body>
void parallel_for_near(int workers, std::size_t n, std::size_t grain, const Body& body) {
  const auto one = [&](std::size_t i) { body(i, std::min(n, i + grain), 0); };
  std::size_t done = detail::begin_alone(workers, n, grain, one);
  const std::size_t left = done < n ? (n - done + grain - 1) / grain : 0;
  const std::size_t shares = std::min(left, static_cast<std::size_t>(std::max(workers, 1)));
  if (shares <= 1) {
    for (; done < n; done += grain) one(done);
    return;
  }
  struct alignas(64) Cursor {
    std::atomic<std::size_t> at;
  };
  const auto share = [&](std::size_t s) { return done + (n - done) * s / shares; };
  std::vector<Cursor> cursor(shares);
  for (std::size_t s = 0; s < shares; ++s) cursor[s].at.store(share(s), std::memory_order_relaxed);
  parallel_run(static_cast<int>(shares), [&](int worker) {
    for (std::size_t k = 0; k < shares; ++k) {
      const std::size_t s = (static_cast<std::size_t>(worker) + k) % shares, end = share(s + 1);
      for (std::size_t i; (i = cursor[s].at.fetch_add(grain, std::memory_order_relaxed)) < end;)
        body(i, std::min(end, i + grain), worker);
    }
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
