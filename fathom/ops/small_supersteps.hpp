// Many small push supersteps by one team of threads that shares a barrier (run_small.hpp): a thread
// walks a list, and lists of vertices take turns as the frontier. No CUDA: kernels run it with the
// threads of a cluster of blocks, tests with fibers whose order is drawn.
//
// Invariants. Interval k is what lies between the barrier that ends superstep k - 1 (the start, for
// k = 0) and the barrier that ends superstep k. A thread that is in interval k may run beside
// others of interval k only: nobody passes the barrier that ends it before all have come to it. In
// it
//
//                          read           written
//   size[k % 3]            by all         by nobody: that list is complete
//   size[(k + 1) % 3]      by nobody      by all, who append; it was cleared in interval k - 1
//   size[(k + 2) % 3]      by nobody      by thread 0, which clears it for superstep k + 2: it is
//                                         the size of superstep k - 1, last read in interval k - 1
//   list k % 2             by all         by nobody
//   list (k + 1) % 2       by nobody      by all; last read in interval k - 1
//   has_long[k % 2]        by all         by nobody
//   has_long[(k + 1) % 2]  by nobody      by all, who only ever set it
//
// so that all threads see the same size and the same flag at the head of superstep k, and all leave
// there or none does. A flag that is set makes all leave a superstep later: it is never cleared,
// and a flag that is read was not set in the interval two before. (One flag for both would be read
// at the head of superstep k by slow threads while fast ones set it for superstep k + 1.)
#pragma once

#include <cstdint>

#include "fathom/core/atomic.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/list_length.hpp"

namespace fathom {

// Vertices with more edges than this are left to kernels that share lists out.
inline constexpr EdgeId kSmallList = 128;

/// Before the first superstep only size[0] and has_long[0], which are of the even list, may differ
/// from 0.
struct SmallState {
  std::uint32_t size[3];      // [k % 3]: the length of superstep k's list
  std::uint32_t has_long[2];  // [k % 2]: whether that list holds a vertex with more than kSmallList
  std::uint32_t steps;        // supersteps finished
  std::uint64_t vertices;
  unsigned long long edges;
};

/// Threads that wait for each other: what any of them wrote before barrier() is seen by all after.
template <class T>
concept SmallTeam = requires(const T team) {
  { team.rank() } -> std::same_as<std::uint32_t>;
  { team.size() } -> std::same_as<std::uint32_t>;
  team.barrier();
};

/// For each thread of the team. Ends when the list is empty, longer than `most`, or holds a vertex
/// with a long list, or `most_steps` are done; list steps % 2 is then the frontier that comes next,
/// and size[steps % 3] its length. Lists have room for most * kSmallList vertices, or for all there
/// are if f accepts each at most once.
template <SmallTeam Team, EdgeView E, class F>
FATHOM_HD void walk_small_supersteps(const Team& team, const E& edges, const F& f, VertexId* even,
                                     VertexId* odd, SmallState* state, std::uint32_t most,
                                     std::uint32_t most_steps) {
  std::uint32_t k = 0;
  std::uint64_t vertices = 0;
  unsigned long long walked = 0;
  for (; k < most_steps; ++k) {
    const std::uint32_t n = AtomicRef(state->size[k % 3]).load();
    if (n == 0 || n > most || AtomicRef(state->has_long[k % 2]).load() != 0) break;
    VertexId* const now = k % 2 == 0 ? even : odd;
    VertexId* const next = k % 2 == 0 ? odd : even;
    std::uint32_t* const next_size = &state->size[(k + 1) % 3];
    std::uint32_t* const next_has_long = &state->has_long[(k + 1) % 2];
    if (team.rank() == 0) AtomicRef(state->size[(k + 2) % 3]).store(0u);
    const auto step = f.at(k);
    for (std::uint32_t i = team.rank(); i < n; i += team.size()) {
      const VertexId u = AtomicRef(now[i]).load();
      const auto list = edges.begin(u);
      walked += length_of(list);
      expand(OneLane{}, edges, list, u, step, [&](const OneLane&, VertexId v, bool keep) {
        if (!keep) return;
        AtomicRef(next[AtomicRef(*next_size).fetch_add(1u)]).store(v);
        if (length_of(edges.begin(v)) > kSmallList) AtomicRef(*next_has_long).store(1u);
      });
    }
    vertices += n;
    team.barrier();
  }
  AtomicRef(state->edges).fetch_add(walked);
  if (team.rank() == 0) {
    state->steps = k;
    state->vertices = vertices;
  }
}

}  // namespace fathom
