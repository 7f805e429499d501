// The CPU backend: four functions over a team of threads. Nothing else in Fathom starts compute
// threads. An exception thrown by a worker is rethrown to the caller (the first one).
//
// A loop begins on the calling thread alone and calls the team when work is left after some us: the
// supersteps of a search through a road network are shorter than waking a thread takes. A team that
// is still awake from the last loop is called much sooner. Whatever
// the team has not begun when the caller is done, the caller does itself, so that it never waits
// for a thread that has no core to run on (docs/adr/0015).
#pragma once

#include <cstddef>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// The number of workers for a request: itself when positive, else one per available processor.
FATHOM_API int worker_count(int asked);

/// Calls body(worker) once for each worker in [0, workers). Calls may run at the same time, but
/// need not: no call may wait for another. A loop inside a body runs on the body's thread alone.
FATHOM_API void parallel_run(int workers, FunctionRef<void(int)> body);

/// body(first, last, worker). Called by reference: a loop over the chunks that knew it would be
/// compiled for every body, three times each, and a call costs a chunk nothing.
using ChunkBody = FunctionRef<void(std::size_t, std::size_t, int)>;

/// Calls body(first, last, worker) on disjoint chunks of at most `grain` that cover [0, n); chunks
/// are handed out in ascending order to whichever worker is free. Chunk borders are multiples of
/// `grain`, so a grain of 64 lets the body own whole words of a bitmap. at_end(worker) follows a
/// worker's last chunk; worker 0 always has a share, if an empty one.
FATHOM_API void parallel_for(int workers, std::size_t n, std::size_t grain, ChunkBody body,
                             FunctionRef<void(int)> at_end);
FATHOM_API void parallel_for(int workers, std::size_t n, std::size_t grain, ChunkBody body);

/// The same, but that each worker has a contiguous share of its own, and helps others when it is
/// done: in loops that follow each other, and whose workers write what the next one reads, a worker
/// finds in its caches what it left there. Shares have no borders at multiples of `grain`.
FATHOM_API void parallel_for_near(int workers, std::size_t n, std::size_t grain, ChunkBody body);

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
