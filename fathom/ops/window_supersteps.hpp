// The supersteps of bucket() by one team of threads that shares a barrier: window after window
// without a word from outside, for as long as they are small. No CUDA: a kernel runs it with all
// threads of a grid, tests with fibers whose order is drawn.
//
// Vertices within the window are near: a bit each, and an entry of a list as long as that has room.
// Pending vertices beyond it are far: a bit each. When nothing is near, the next window begins at
// the lowest key that was left outside this one, and what it holds moves from far to near.
//
// Invariants. Interval k lies between the barrier that ends superstep k - 1 and the one that ends
// superstep k; threads meet others of their own interval only. In it
//
//                                read           written
//   size[k % 3], near and list   by all         by nobody, but that who takes a vertex off the list
//   of k % 2                                    clears its bit
//   size[(k + 1) % 3], near and  by nobody      by all, who add vertices
//   list of (k + 1) % 2
//   size[(k + 2) % 3]            by nobody      by thread 0, which clears it
//   far                          by nobody      by all, who add vertices; where a window begins, by
//                                               the thread that has the word
//   lowest[w % 3], of window w   by nobody      by all, who lower it
//   lowest[(w - 1) % 3]          by all, where  by nobody
//                                w begins
//   lowest[(w + 1) % 3]          by nobody      by thread 0, which resets it where w begins
//
// A vertex whose key fell from beyond the window into it is near, and still marked as far. It is
// near no more when the next window begins: bits of far vertices with keys within the last window
// are left over, and dropped. The lowest key may be such a vertex's from before it fell; then the
// next window begins early, and may be empty.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "fathom/core/lower.hpp"
#include "fathom/ops/expand.hpp"

namespace fathom {

/// Before the first run all is 0, but for `width`, the window's `bound`, and `lowest`, which is
/// infinite.
template <class Key>
struct WindowState {
  Key bound, width, least_width;
  Key lowest[3];           // [w % 3]: of the keys left outside window w
  std::uint32_t window;    // w, which holds the keys up to `bound`
  std::uint32_t size[3];   // [k % 3]: vertices near in superstep k; of the run before, k = steps
  std::uint32_t steps;     // supersteps of this run
  std::uint32_t arrived;   // at barriers, for the team
  std::uint32_t few;       // windows in a row that held few vertices
  std::uint64_t taken;     // vertices taken in this window
  std::uint32_t takes;     // in so many supersteps
  std::uint64_t vertices;  // taken in this run
  unsigned long long edges;

  /// How many are near after a run, and whose bits: those of near[steps % 2].
  std::uint32_t left() const { return size[steps % 3]; }
  /// Whether nothing is pending.
  bool done() const {
    return left() == 0 && !(lowest[window % 3] < std::numeric_limits<Key>::infinity());
  }
};

/// A superstep that takes fewer vertices than this on the average of its window takes as long as
/// one of so many: a wider window is worth its double work.
inline constexpr std::uint32_t kFewVertices = 4096;
/// Windows widen after so many of them in a row held few: the first ones of a search always do.
inline constexpr std::uint32_t kFewWindows = 4;

/// Where vertices wait; bitmaps in words of 32, of which there are `words`.
struct WindowRoom {
  std::uint32_t* far;
  std::uint32_t* near[2];
  VertexId* list[2];  // [most]
  std::uint32_t words, most;
};

/// Threads that wait for each other: what any of them wrote before barrier() is seen by all after.
/// append(list, size, most, v): v is in list[0 .. most), or left out where that is full, and counted
/// in `size` after flush(list, size, most), which all call, and the barrier that follows.
/// lower_by_all(to, x): lowers `to` to the least x of all, by then. walk_lists(edges, list, n, take,
/// walk): for each u of list[0 .. n) take(u) once, and walk(group, u, part) for all of its list.
template <class T>
concept WindowTeam = requires(T team, VertexId* list, std::uint32_t& n, float& x) {
  { team.rank() } -> std::same_as<std::uint32_t>;
  { team.size() } -> std::same_as<std::uint32_t>;
  team.append(list, n, n, VertexId{});
  team.flush(list, n, n);
  team.lower_by_all(x, x);
  team.barrier();
};

namespace detail {

FATHOM_HD std::uint32_t lowest_bit(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(bits));
#endif
}

/// The bits of a word for which take(v) says so; v is each vertex in it.
template <class Take>
FATHOM_HD std::uint32_t take_bits(std::uint32_t bits, std::uint32_t word, const Take& take) {
  std::uint32_t taken = 0;
  for (; bits != 0; bits &= bits - 1) {
    const std::uint32_t place = lowest_bit(bits);
    if (take(static_cast<VertexId>(word) * 32 + place)) taken |= 1u << place;
  }
  return taken;
}

/// The width of the window that comes after this one.
template <class Key>
FATHOM_HD void set_next_width(WindowState<Key>& state) {
  const std::uint64_t few = std::uint64_t{state.takes} * kFewVertices;
  if (state.taken >= few) {
    state.few = 0;
    if (state.taken >= 16 * few && state.width > state.least_width) state.width /= 2;
  } else if (++state.few >= kFewWindows) {
    state.few = 0;
    state.width *= 2;
  }
  state.taken = state.takes = 0;
}

}  // namespace detail

/// For each thread of the team; f lowers key[v] and says whether it did. At the start the bits of
/// near[0] are vertices whose keys have fallen, within the window or not, and those of near[1] are
/// clear. Ends when more than room.most vertices are near, nothing is pending, or `most_steps`
/// supersteps are done. Then the bits of near[steps % 2] are the vertices to go on with, all within
/// the window, those of the other one are clear, and state->left() counts them.
template <WindowTeam Team, EdgeView E, EdgeFunctor F, class Key>
FATHOM_HD void walk_windows(Team& team, const E& edges, const F& f, const Key* key,
                            const WindowRoom& room, WindowState<Key>* state,
                            std::uint32_t most_steps) {
  constexpr Key kFar = std::numeric_limits<Key>::infinity();
  WindowState<Key> mine = *state;  // but for what is shared: sizes and lowest keys
  std::uint64_t vertices = 0;
  Key lowest = kFar;  // of what this thread left outside the window
  std::uint32_t k = 0;
  // What has fallen is near or far.
  for (std::uint32_t w = team.rank(); w < room.words; w += team.size()) {
    const std::uint32_t fallen = room.near[0][w];
    if (fallen == 0) continue;
    const std::uint32_t near = detail::take_bits(fallen, w, [&](VertexId v) {
      if (key[v] <= mine.bound) {
        team.append(room.list[0], state->size[0], room.most, v);
        return true;
      }
      lowest = key[v] < lowest ? key[v] : lowest;
      return false;
    });
    room.near[0][w] = near;
    room.far[w] |= fallen & ~near;
  }
  team.flush(room.list[0], state->size[0], room.most);
  team.lower_by_all(state->lowest[mine.window % 3], lowest);
  team.barrier();
  for (; k < most_steps; ++k) {
    const std::uint32_t n = AtomicRef(state->size[k % 3]).load();
    if (n > room.most) break;
    std::uint32_t* const near = k % 2 == 0 ? room.near[0] : room.near[1];
    std::uint32_t* const next = k % 2 == 0 ? room.near[1] : room.near[0];
    VertexId* const now_list = k % 2 == 0 ? room.list[0] : room.list[1];
    VertexId* const next_list = k % 2 == 0 ? room.list[1] : room.list[0];
    std::uint32_t& next_size = state->size[(k + 1) % 3];
    lowest = kFar;
    if (n > 0) {
      mine.taken += n;
      ++mine.takes;
      vertices += n;
      const auto put = [&](VertexId v) {
        const std::uint32_t bit = 1u << v % 32;
        const Key its = AtomicRef(key[v]).load();
        if (its <= mine.bound) {
          if ((AtomicRef(next[v / 32]).fetch_or(bit) & bit) == 0)
            team.append(next_list, next_size, room.most, v);
          return;
        }
        const AtomicRef word(room.far[v / 32]);
        if ((word.load() & bit) == 0) word.fetch_or(bit);
        lowest = its < lowest ? its : lowest;
      };
      team.walk_lists(
          edges, now_list, n,
          [&](VertexId u) { AtomicRef(near[u / 32]).fetch_and(~(1u << u % 32)); },
          [&](const auto& g, VertexId u, const auto& list) {
            expand(g, edges, list, u, f, [&](const auto&, VertexId v, bool fell) {
              if (fell) put(v);
            });
          });
    } else {
      const Key from = AtomicRef(state->lowest[mine.window % 3]).load();
      if (from == kFar) break;
      const Key before = mine.bound;
      detail::set_next_width(mine);
      mine.bound = from + mine.width;
      ++mine.window;
      if (team.rank() == 0) AtomicRef(state->lowest[(mine.window + 1) % 3]).store(kFar);
      for (std::uint32_t w = team.rank(); w < room.words; w += team.size()) {
        const std::uint32_t far = room.far[w];
        if (far == 0) continue;
        std::uint32_t left_over = 0;
        const std::uint32_t taken = detail::take_bits(far, w, [&](VertexId v) {
          if (key[v] <= before) {
            left_over |= 1u << v % 32;
            return false;
          }
          if (key[v] <= mine.bound) {
            team.append(next_list, next_size, room.most, v);
            return true;
          }
          lowest = key[v] < lowest ? key[v] : lowest;
          return false;
        });
        next[w] = taken;
        room.far[w] = far & ~taken & ~left_over;
      }
    }
    if (team.rank() == 0) AtomicRef(state->size[(k + 2) % 3]).store(0u);
    team.flush(next_list, next_size, room.most);
    team.lower_by_all(state->lowest[mine.window % 3], lowest);
    team.barrier();
  }
  if (team.rank() == 0) {
    state->bound = mine.bound;
    state->width = mine.width;
    state->window = mine.window;
    state->few = mine.few;
    state->taken = mine.taken;
    state->takes = mine.takes;
    state->steps = k;
    state->vertices = vertices;
  }
}

}  // namespace fathom
