// Many small push supersteps by one team of threads that shares a barrier (run_small.hpp). The team
// is made of parts, each with fast memory of its own that all can read: what the threads of a part
// find is in a list there, and the parts' lists one behind the other are the next frontier. No
// CUDA: kernels run it with the threads of a cluster of blocks, tests with fibers whose order is
// drawn.
//
// A superstep takes as long as what has to be read one after the other, so neighbouring threads
// share a list, as many as there are threads for, and a thread asks for everything about an edge
// together; an entry says where its list lies, which was looked up while the vertex was found.
//
// Invariants. Interval k is what lies between the barrier that ends superstep k - 1 (the start, for
// k = 0) and the barrier that ends superstep k. A thread that is in interval k may run beside
// others of interval k only: nobody passes the barrier that ends it before all have come to it. In
// it, of each part,
//
//                          read           written
//   word[k % 3]            by all         by nobody: that list is complete
//   word[(k + 1) % 3]      by nobody      by the part, which appends; cleared in interval k - 1
//   word[(k + 2) % 3]      by nobody      by one thread of the part, which clears it: it is of
//                                         superstep k - 1, last read in interval k - 1
//   list[k % 2]            by all         by nobody
//   list[(k + 1) % 2]      by nobody      by the part; last read in interval k - 1
//
// so that all threads see the same words at the head of superstep k, and all leave there or none
// does. A part's memory is read by others until the last barrier, which comes behind that.
#pragma once

#include <cstdint>

#include "fathom/core/atomic.hpp"
#include "fathom/ops/list_length.hpp"

namespace fathom {

// Vertices with more edges than this are left to kernels that share lists out.
inline constexpr EdgeId kSmallList = 128;
// Parts of a team at most.
inline constexpr std::uint32_t kSmallParts = 8;

/// A vertex of a frontier and its list.
template <class Cursor>
struct SmallEntry {
  VertexId vertex;
  Cursor list;
};

/// How long a part's list is (it may have found more than it has room for), and whether it holds a
/// vertex with more than kSmallList edges.
struct SmallWord {
  static constexpr std::uint32_t kLong = 1u << 31;
  std::uint32_t word;
  FATHOM_HD std::uint32_t size() const { return word & ~kLong; }
  FATHOM_HD bool has_long() const { return (word & kLong) != 0; }
};

/// The memory of a part. word[0] is 0 at first.
template <class Cursor, std::uint32_t kRoomOfList>
struct SmallPart {
  static constexpr std::uint32_t kRoom = kRoomOfList;
  SmallEntry<Cursor> list[2][kRoom];  // [k % 2]: of superstep k
  std::uint32_t word[3];              // [k % 3]: a SmallWord
};

/// What a run did. `edges` is 0 at first.
struct SmallState {
  std::uint32_t steps;  // supersteps finished
  std::uint32_t size;   // of the frontier that comes next
  std::uint64_t vertices;
  unsigned long long edges;
};

/// The words of all parts.
struct SmallWords {
  SmallWord of[kSmallParts];
};

/// Threads that wait for each other: what any of them wrote before barrier() is seen by all after.
/// Neighbours may go on together, as the threads of a warp: they call any() and claim() together.
/// For lists of a CollectiveView 32 of them do, and lanes() is their group.
template <class T>
concept SmallTeam = requires(const T team, std::uint32_t i, bool b, std::uint32_t& word) {
  { team.rank() } -> std::same_as<std::uint32_t>;
  { team.size() } -> std::same_as<std::uint32_t>;       // a power of two
  { team.part_rank() } -> std::same_as<std::uint32_t>;  // among the threads of the part
  { team.part_size() } -> std::same_as<std::uint32_t>;
  { team.mine() } -> std::same_as<typename T::Part&>;
  { team.part(i) } -> std::same_as<const typename T::Part&>;
  { team.words(i) } -> std::same_as<SmallWords>;           // word[i] of every part, 0 of none
  { team.any(b) } -> std::same_as<bool>;                   // of those that go on together
  { team.claim(word, b) } -> std::same_as<std::uint32_t>;  // adds 1 if b: the number that was there
  team.barrier();
};

namespace detail {

/// A power of two, at most 32 as threads go on together, and one at least.
FATHOM_HD std::uint32_t threads_of_a_list(std::uint32_t threads, std::uint32_t lists) {
  std::uint32_t sharing = 1;
  while (sharing < 32 && sharing * 2 * lists <= threads) sharing *= 2;
  return sharing;
}

/// One thread's share of a run.
template <SmallTeam Team, EdgeView E, class Leave>
struct SmallWalk {
  using Cursor = typename E::Cursor;
  using Entry = SmallEntry<Cursor>;

  const Team& team;
  const E& edges;
  const Leave& leave;

  /// Appends `entry`, if it is `taken`, to the list of superstep k.
  FATHOM_HD void append(std::uint32_t k, const Entry& entry, bool taken) const {
    auto& part = team.mine();
    std::uint32_t& word = part.word[k % 3];
    const std::uint32_t at = SmallWord{team.claim(word, taken)}.size();
    if (!taken) return;
    if (at < Team::Part::kRoom)
      part.list[k % 2][at] = entry;
    else
      leave(entry.vertex);  // all leave at the head of superstep k
    if (length_of(entry.list) > kSmallList) AtomicRef(word).fetch_or(SmallWord::kLong);
  }

  FATHOM_HD void seed(const VertexId* seeds, std::uint32_t n) const {
    for (std::uint32_t i = team.rank(); team.any(i < n); i += team.size()) {
      Entry entry{};
      if (i < n) entry = {seeds[i], edges.begin(seeds[i])};
      append(0, entry, i < n);
    }
  }

  /// The i-th entry of the frontier, whose parts are as long as `words` says.
  FATHOM_HD Entry entry(std::uint32_t k, const SmallWords& words, std::uint32_t i) const {
    std::uint32_t part = 0;
    bool found = false;
    for (std::uint32_t p = 0; p < kSmallParts; ++p) {
      found = found || i < words.of[p].size();
      if (!found) i -= words.of[p].size();
      part += found ? 0 : 1;
    }
    return team.part(part).list[k % 2][i];
  }

  /// Walks edges first, first + step ... of each span of u's list, in superstep k.
  template <class F>
  FATHOM_HD void walk(std::uint32_t k, const Entry& u, std::uint32_t first, std::uint32_t step,
                      const F& f) const {
    Cursor rest = u.list;
    typename E::Span span{};
    for (std::uint32_t at = first;; at += step) {
      if (at >= span.size) {
        at = first;
        if (!edges.next(rest, span)) span.size = 0;
      }
      if (!team.any(span.size > 0)) return;
      // A thread without an edge looks at u in its place, so that nothing waits for a branch.
      const bool there = at < span.size;
      VertexId v = u.vertex;
      if (there) v = span.target(at);
      look_at(k, u.vertex, v, there, f);
    }
  }
  /// The same by 32 threads that have the same u.
  template <class F>
  FATHOM_HD void walk_together(std::uint32_t k, const Entry& u, const F& f) const {
    const auto g = team.lanes();
    Cursor rest = u.list;
    for (typename E::Span span; next_span(g, edges, rest, span);) {
      const std::uint32_t lead = idle_lanes(g, span.lead());
      for (std::uint32_t base = 0; base < span.size + lead; base += g.size()) {
        const std::uint32_t at = base + g.rank() - lead;
        const bool there = at < span.size;
        VertexId v = u.vertex;
        if (there) v = span.target(at);
        look_at(k, u.vertex, v, there, f);
      }
    }
  }
  /// Takes v, of an edge (u, v) if it is `there`.
  template <class F>
  FATHOM_HD void look_at(std::uint32_t k, VertexId u, VertexId v, bool there, const F& f) const {
    const bool may = f.may_take(v);
    const Cursor its = edges.begin(v);  // not after may, which takes as long
    append(k + 1, {v, its}, there && may && f.take(u, v));
  }
};

}  // namespace detail

/// For each thread of the team. Begins with seeds[0 .. n), and ends when the frontier is empty,
/// larger than `most`, more than a part has room for or holds a vertex with a long list, or when
/// `most_steps` are done; leave(v) is then called once for each vertex of the frontier.
/// f.at(k) is the functor of superstep k: may_take(v) says whether v could be taken, take(u, v)
/// takes it unless it is taken, once of all calls.
template <SmallTeam Team, EdgeView E, class F, class Leave>
FATHOM_HD void walk_small_supersteps(const Team& team, const E& edges, const F& f,
                                     const VertexId* seeds, std::uint32_t n, std::uint32_t most,
                                     std::uint32_t most_steps, const Leave& leave,
                                     SmallState* state) {
  const detail::SmallWalk<Team, E, Leave> walk{team, edges, leave};
  auto& mine = team.mine();
  std::uint64_t vertices = 0;
  unsigned long long walked = 0;
  if (team.part_rank() == 0) AtomicRef(mine.word[1]).store(0u);
  walk.seed(seeds, n);
  team.barrier();
  std::uint32_t k = 0, size = 0;
  for (;; ++k) {
    const SmallWords words = team.words(k % 3);
    size = 0;
    bool ends = k == most_steps;
    for (const SmallWord& word : words.of) {
      size += word.size();
      ends = ends || word.has_long() || word.size() > Team::Part::kRoom;
    }
    if (ends || size == 0 || size > most) break;
    if (team.part_rank() == 0) AtomicRef(mine.word[(k + 2) % 3]).store(0u);
    const std::uint32_t sharing =
        CollectiveView<E> ? 32 : detail::threads_of_a_list(team.size(), size);
    const std::uint32_t lane = team.rank() % sharing;
    for (std::uint32_t i = team.rank() / sharing; team.any(i < size); i += team.size() / sharing) {
      SmallEntry<typename E::Cursor> u{};
      if (i < size) u = walk.entry(k, words, i);
      if (lane == 0) walked += length_of(u.list);
      if constexpr (CollectiveView<E>)
        walk.walk_together(k, u, f.at(k));
      else
        walk.walk(k, u, lane, sharing, f.at(k));
    }
    vertices += size;
    team.barrier();
  }
  const std::uint32_t found = SmallWord{AtomicRef(mine.word[k % 3]).load()}.size();
  const std::uint32_t listed = found < Team::Part::kRoom ? found : Team::Part::kRoom;
  for (std::uint32_t i = team.part_rank(); i < listed; i += team.part_size())
    leave(mine.list[k % 2][i].vertex);
  AtomicRef(state->edges).fetch_add(walked);
  if (team.rank() == 0) {
    state->steps = k;
    state->size = size;
    state->vertices = vertices;
  }
  team.barrier();
}

}  // namespace fathom
