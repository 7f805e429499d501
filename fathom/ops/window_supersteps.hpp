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
//   has_long[k % 2]              by all         by nobody
//   has_long[(k + 1) % 2]        by nobody      by all, who only ever set it
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

#include "fathom/ops/expand.hpp"
#include "fathom/ops/lower.hpp"

namespace fathom {

/// Before the first run all is 0, but for `width` and `least_width`, the costs, and `lowest`, which
/// is infinite.
template <class Key>
struct WindowState {
  Key lowest[3];              // [w % 3]: of the keys left outside window w
  std::uint32_t size[3];      // [k % 3]: vertices near in superstep k; after a run, k = steps
  std::uint32_t has_long[2];  // [k % 2]: whether one of them has more than kLongestList edges
  std::uint32_t arrived;      // at barriers, for the team
  std::uint32_t steps;        // supersteps of this run
  std::uint64_t vertices;     // taken in this run
  unsigned long long edges;

  std::uint32_t window;  // w, which holds the keys above that of w - 1 and up to `bound`
  Key from, bound;
  Key width, least_width;  // bound - from of this window; of any
  enum class Trial : std::uint32_t { None, Wider, Narrower } trial;  // what this window tries
  std::uint32_t rest;                                                // windows until the next trial
  std::uint32_t narrower_next;
  float rate;  // how far a window that was no trial, or a good one, got for its cost
  float cost;  // of this window so far
  float step_cost, vertex_cost;

  FATHOM_HD void took(VertexId near) { cost += step_cost + vertex_cost * static_cast<float>(near); }
  /// Begins a run.
  void begin_run() {
    size[0] = size[1] = size[2] = has_long[0] = has_long[1] = arrived = 0;
    edges = 0;
  }
  /// How many are near after a run, if there was room for them: the bits of near[steps % 2].
  std::uint32_t left() const { return size[steps % 3]; }
  bool left_long() const { return has_long[steps % 2] != 0; }
  /// Whether nothing is pending.
  bool done() const {
    return left() == 0 && !(lowest[window % 3] < static_cast<Key>(__builtin_inff()));
  }
};

/// Lists longer than this are left to kernels that share them out among all threads.
inline constexpr EdgeId kLongestList = 16384;
/// A superstep of a grid takes as long as it takes to visit the edges of so many vertices with few
/// of them; with so many edges a vertex takes as long again.
inline constexpr float kStepCost = 16384, kEdgesPerCost = 8;
/// Windows between two trials of another width; the first ones of a search are unlike all later.
inline constexpr std::uint32_t kRest = 8;

/// Where vertices wait; bitmaps in words of 32, of which there are `words`.
struct WindowRoom {
  std::uint32_t* far;
  std::uint32_t* near[2];
  VertexId* list[2];  // [most]
  std::uint32_t words, most;
};

/// What becomes of a vertex that a bit stands for.
enum class Fate { Stay, Take, Drop };

/// Threads that wait for each other: what any of them wrote before barrier() is seen by all after.
///
/// append(v): v is in list[0 .. size) after flush(list, size, most), which all call, and the
/// barrier that follows; where there was no room for all, size exceeds `most`. lower_by_all(to, x):
/// lowers `to` to the least x of all, by then. sift(words, word, fate, store): for each w of [0 ..
/// words) where word(w) has bits, store(w, bits, taken, dropped), after fate(v) for each vertex.
/// walk_lists(edges, list, n, take, put_off, walk): for each u of list[0 .. n) take(u) once, and
/// walk(group, u, part) for all of its list or, when it is longer than kLongestList, put_off(u).
template <class T>
concept WindowTeam = requires(T team, VertexId* list, std::uint32_t& n, float& x) {
  { team.rank() } -> std::same_as<std::uint32_t>;
  team.append(VertexId{});
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

/// Calls fate(v) for each vertex of a word.
template <class FateOf>
FATHOM_HD void sift_word(std::uint32_t word, std::uint32_t bits, const FateOf& fate,
                         std::uint32_t& taken, std::uint32_t& dropped) {
  for (; bits != 0; bits &= bits - 1) {
    const std::uint32_t place = lowest_bit(bits);
    const Fate its = fate(static_cast<VertexId>(word) * 32 + place);
    if (its == Fate::Take) taken |= 1u << place;
    if (its == Fate::Drop) dropped |= 1u << place;
  }
}

/// Begins the window after this one, whose lowest key is `from`. Wide windows take vertices more
/// than once, narrow ones last as long as a barrier does; which is worse depends on the graph and
/// on how far the search is. So now and then a window is twice as wide, which stays when it got
/// clearly farther for its cost, or half as wide, which stays when it got about as far.
template <class Key>
FATHOM_HD void begin_window(WindowState<Key>& state, Key from) {
  using Trial = typename WindowState<Key>::Trial;
  const float rate = static_cast<float>(from - state.from) / state.cost;
  bool again = false;
  if (state.trial == Trial::Wider) {
    again = rate > 1.2f * state.rate;
    if (!again) state.width /= 2;
  } else if (state.trial == Trial::Narrower) {
    again = rate > .95f * state.rate;
    if (!again) state.width *= 2;
  }
  if (state.trial == Trial::None || again) state.rate = rate;
  if (state.trial != Trial::None && !again) {
    state.narrower_next = state.trial == Trial::Wider ? 1 : 0;
    state.trial = Trial::None;
    state.rest = kRest;
  } else if (state.trial == Trial::None) {
    if (state.rest > 0)
      --state.rest;
    else
      state.trial = state.narrower_next != 0 ? Trial::Narrower : Trial::Wider;
  }
  if (state.trial == Trial::Narrower && state.width < 2 * state.least_width) {
    state.trial = Trial::None;
    state.narrower_next = 0;
  }
  if (state.trial == Trial::Wider) state.width *= 2;
  if (state.trial == Trial::Narrower) state.width /= 2;
  state.cost = 2 * state.step_cost;
  state.from = from;
  state.bound = from + state.width;
  ++state.window;
}

}  // namespace detail

/// For each thread of the team; f lowers key[v] and says whether it did. At the start the bits of
/// near[0] are vertices whose keys have fallen, within the window or not, and those of near[1] are
/// clear. Ends when more than room.most vertices are near, or one of them has a list that is too
/// long, nothing is pending, or `most_steps` supersteps are done. Then the bits of near[steps % 2]
/// are the vertices to go on with, all within the window, and those of the other one are clear.
template <WindowTeam Team, EdgeView E, EdgeFunctor F, class Key>
FATHOM_HD void walk_windows(Team& team, const E& edges, const F& f, Key* key,
                            const WindowRoom& room, WindowState<Key>* state,
                            std::uint32_t most_steps) {
  constexpr Key kFar = static_cast<Key>(__builtin_inff());
  WindowState<Key> mine = *state;  // but for what is shared: sizes and lowest keys
  std::uint64_t vertices = 0;
  Key lowest = kFar;  // of what this thread left outside the window
  std::uint32_t k = 0;
  // What has fallen is near or far.
  team.sift(
      room.words, [&](std::uint32_t w) { return room.near[0][w]; },
      [&](VertexId v) {
        if (key[v] <= mine.bound) {
          team.append(v);
          return Fate::Take;
        }
        lowest = key[v] < lowest ? key[v] : lowest;
        return Fate::Stay;
      },
      [&](std::uint32_t w, std::uint32_t fallen, std::uint32_t taken, std::uint32_t) {
        room.near[0][w] = taken;
        room.far[w] |= fallen & ~taken;
      });
  team.flush(room.list[0], state->size[0], room.most);
  team.lower_by_all(state->lowest[mine.window % 3], lowest);
  team.barrier();
  for (; k < most_steps; ++k) {
    const std::uint32_t n = AtomicRef(state->size[k % 3]).load();
    if (n > room.most || AtomicRef(state->has_long[k % 2]).load() != 0) break;
    std::uint32_t* const near = k % 2 == 0 ? room.near[0] : room.near[1];
    std::uint32_t* const next = k % 2 == 0 ? room.near[1] : room.near[0];
    VertexId* const now_list = k % 2 == 0 ? room.list[0] : room.list[1];
    VertexId* const next_list = k % 2 == 0 ? room.list[1] : room.list[0];
    std::uint32_t& next_size = state->size[(k + 1) % 3];
    lowest = kFar;
    if (n > 0) {
      mine.took(n);
      vertices += n;
      const auto near_again = [&](VertexId v) {
        const std::uint32_t bit = 1u << v % 32;
        if ((AtomicRef(next[v / 32]).fetch_or(bit) & bit) == 0) team.append(v);
      };
      const auto put = [&](VertexId v) {
        const Key its = AtomicRef(key[v]).load();
        if (its <= mine.bound) return near_again(v);
        const std::uint32_t bit = 1u << v % 32;
        const AtomicRef word(room.far[v / 32]);
        if ((word.load() & bit) == 0) word.fetch_or(bit);
        lowest = its < lowest ? its : lowest;
      };
      team.walk_lists(
          edges, now_list, n,
          [&](VertexId u) { AtomicRef(near[u / 32]).fetch_and(~(1u << u % 32)); },
          [&](VertexId u) {
            near_again(u);
            AtomicRef(state->has_long[(k + 1) % 2]).store(1u);
          },
          [&](const auto& g, VertexId u, const auto& list) {
            expand(g, edges, list, u, f, [&](const auto&, VertexId v, bool fell) {
              if (fell) put(v);
            });
          });
    } else {
      const Key from = AtomicRef(state->lowest[mine.window % 3]).load();
      if (from == kFar) break;
      const Key before = mine.bound;
      detail::begin_window(mine, from);
      if (team.rank() == 0) AtomicRef(state->lowest[(mine.window + 1) % 3]).store(kFar);
      team.sift(
          room.words, [&](std::uint32_t w) { return room.far[w]; },
          [&](VertexId v) {
            if (key[v] <= before) return Fate::Drop;
            if (key[v] <= mine.bound) {
              team.append(v);
              return Fate::Take;
            }
            lowest = key[v] < lowest ? key[v] : lowest;
            return Fate::Stay;
          },
          [&](std::uint32_t w, std::uint32_t far, std::uint32_t taken, std::uint32_t dropped) {
            next[w] = taken;
            room.far[w] = far & ~taken & ~dropped;
          });
    }
    if (team.rank() == 0) AtomicRef(state->size[(k + 2) % 3]).store(0u);
    team.flush(next_list, next_size, room.most);
    team.lower_by_all(state->lowest[mine.window % 3], lowest);
    team.barrier();
  }
  if (team.rank() == 0) {
    state->steps = k;
    state->vertices = vertices;
    state->window = mine.window;
    state->from = mine.from;
    state->bound = mine.bound;
    state->width = mine.width;
    state->trial = mine.trial;
    state->rest = mine.rest;
    state->narrower_next = mine.narrower_next;
    state->rate = mine.rate;
    state->cost = mine.cost;
  }
}

}  // namespace fathom
