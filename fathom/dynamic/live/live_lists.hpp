// LiveLists: the lists of a graph that changes, for loops and kernels that change them themselves
// (GPU-autonomous updates, sections 3.3 and 4.2 of Winter's thesis).
//
//   fathom::LiveChanges changing = graph.change_in_kernels({.reserve = 1 << 24});
//   kernel<<<...>>>(changing.lists(), ...);   // lists.insert(fathom::OneLane{}, u, v)
//   fathom::LiveReport report = changing.finish();
//
// A lock per vertex, in both directions, makes the changes of a list one after the other. An edge
// has two lists where there are in-lists or no directions: its changes hold the lock of the first,
// so that both lists come to the same, whatever comes at the same time. Locks are taken in one
// order (out before in; of an undirected graph the smaller vertex first), so that nobody waits for
// who waits for it. Deletions from lists with markers take none: what is inserted is in the second
// list before it is in the first, and deletions go the other way.
#pragma once

#include "fathom/dynamic/lists/find_edge.hpp"
#include "fathom/dynamic/live/live_list.hpp"
#include "fathom/dynamic/live/live_parts.hpp"
#include "fathom/memory/party.hpp"

namespace fathom {

/// What became of an insertion or a deletion.
enum class LiveResult : std::uint32_t {
  None,      // nothing was asked for
  Inserted,  // the edge
  WasThere,  // the edge to insert; it has the new weight if the graph's policy is Overwrite
  Removed,   // every edge between the two
  Missing,   // the edge to delete
  NoMemory,  // nothing has changed; once there is more (LiveChanges::reserve), try again
  NoVertex,  // one of the two does not exist
};

/// An edge as it was found.
struct LiveEdge {
  bool found = false;
  Weight weight = 1;
  EdgeFields fields{};
};

/// Trivially copyable, valid until the phase is finished. For any number of host threads or of
/// threads of kernels, on the side where the lists are.
///
/// Functions take the lane group that calls them: one thread (OneLane), or TileLanes, WarpLanes or
/// another group whose lanes are all there; they are collective. All but those named _each are
/// called with the same arguments by every lane, and give every lane the same.
///
/// An edge becomes visible, and goes, at once in each of its lists, but not in both at the same
/// time. While lists change they may be read through this handle alone. Cost: that of find_edge()
/// per list, and of what lies behind the edge on a contiguous list; on linked lists without markers
/// a deletion rewrites the list.
template <class A>
class LiveListsOf {
 public:
  using Parts = LiveParts<A>;
  /// For the library.
  explicit LiveListsOf(const Parts& parts) : my_(parts) {}

  /// Indices, with those that are reserved for vertices that do not exist yet.
  FATHOM_HD VertexId vertices() const { return my_.vertices; }
  FATHOM_HD bool exists(VertexId v) const {
    return v < my_.vertices && (word_of(v) >> v % 32 & 1) != 0;
  }

  /// Inserts a vertex without edges, and says its index: from then on it exists, and whoever hears
  /// of it may use it. kNoVertex: none are left of LiveOptions::reserve_vertices.
  template <LaneGroup G>
  FATHOM_HD VertexId insert_vertex(const G& group) const {
    const Lanes<G> lanes(group);
    const VertexId v = lanes.rank() == 0 ? take_index() : kNoVertex;
    lanes.ballot(true);  // it exists for all of them
    return shuffle(lanes, v, 0);
  }

  /// Inserts an edge, by the graph's policy for duplicates: Inserted, WasThere, NoMemory, NoVertex.
  template <LaneGroup G>
  FATHOM_HD LiveResult insert(const G& group, VertexId u, VertexId v, Weight w = 1,
                              const EdgeFields& fields = {}) const {
    return alone(group, Insertion{{w, fields}}, u, v);
  }
  /// Deletes every edge from u to v: Removed, Missing or NoVertex; NoMemory where a list that a
  /// snapshot shows has to be copied.
  template <LaneGroup G>
  FATHOM_HD LiveResult erase(const G& group, VertexId u, VertexId v) const {
    return alone(group, Deletion{}, u, v);
  }

  /// An edge per lane; lanes without one pass `asks` false. Those of one source (of an undirected
  /// graph: one smaller end) are served under one acquisition of its lock, in the order of their
  /// lanes.
  template <LaneGroup G>
  FATHOM_HD LiveResult insert_each(const G& group, bool asks, VertexId u, VertexId v, Weight w = 1,
                                   const EdgeFields& fields = {}) const {
    return each(group, asks, Insertion{{w, fields}}, u, v);
  }
  template <LaneGroup G>
  FATHOM_HD LiveResult erase_each(const G& group, bool asks, VertexId u, VertexId v) const {
    return each(group, asks, Deletion{}, u, v);
  }

  /// The edge from u to v now. Waits for the lock.
  template <LaneGroup G>
  FATHOM_HD LiveEdge find(const G& group, VertexId u, VertexId v) const {
    if (!exists(u) || !exists(v)) return {};
    const Lanes<G> lanes(group);
    const Ends ends = ends_of(u, v);
    const Lock<G> lock(lanes, my_.out.lock[ends.from]);
    List<G> list(lanes, my_.out.lists, my_.pages, ends.from);
    dynamic::EdgeData data;
    if (!list.find(ends.to, data)) return {};
    return {true, data.weight, data.fields};
  }
  template <LaneGroup G>
  FATHOM_HD bool has_edge(const G& group, VertexId u, VertexId v) const {
    return find(group, u, v).found;
  }
  /// How many edges v has now; without the lock.
  FATHOM_HD std::uint32_t degree(VertexId v) const {
    return exists(v) ? dynamic::LiveRecord(my_.out.lists, v).degree() : 0;
  }
  /// visit(target, weight, fields) for each edge of u, each by one lane, with the lock of u:
  /// nothing is inserted meanwhile, nor is deleted unless there are markers. `visit` does not call
  /// this handle.
  template <LaneGroup G, class Visit>
  FATHOM_HD void locked(const G& group, VertexId u, const Visit& visit) const {
    if (!exists(u)) return;
    const Lanes<G> lanes(group);
    const Lock<G> lock(lanes, my_.out.lock[u]);
    List<G>(lanes, my_.out.lists, my_.pages, u)
        .each(
            [&](VertexId v, const dynamic::EdgeData& data) { visit(v, data.weight, data.fields); });
  }

 private:
  template <class G>
  using Lanes = dynamic::OrderedLanes<G>;
  template <class L>
  using ListBy = dynamic::LiveList<L, dynamic::LivePages<A>>;
  template <class G>
  using List = ListBy<Lanes<G>>;
  template <class G>
  using Lock = dynamic::LiveLock<G>;

  /// An edge as its first list has it.
  struct Ends {
    VertexId from, to;
  };
  FATHOM_HD Ends ends_of(VertexId u, VertexId v) const {
    return my_.directed || u < v ? Ends{u, v} : Ends{v, u};
  }
  /// Where the other list of an edge is: that of `to`, with `from`; lock null: it has one list.
  FATHOM_HD LiveSide second_side(Ends e) const {
    if (my_.directed) return my_.in;
    return e.from == e.to ? LiveSide{} : my_.out;
  }
  FATHOM_HD bool two_lists() const { return !my_.directed || my_.in.lock != nullptr; }

  struct Insertion {
    dynamic::EdgeData data;
  };
  struct Deletion {};

  /// Whether a deletion needs the lock of the first list: weights of both have to stay equal.
  FATHOM_HD bool locks(const Insertion&) const { return true; }
  FATHOM_HD bool locks(const Deletion&) const {
    const DynamicLayout& layout = my_.out.lists.layout;
    return !layout.markers || (layout.weighted() && two_lists());
  }

  template <LaneGroup G, class What>
  FATHOM_HD LiveResult alone(const G& group, const What& what, VertexId u, VertexId v) const {
    const Lanes<G> lanes(group);
    LiveResult result = LiveResult::NoVertex;
    if (exists(u) && exists(v)) {
      const Ends ends = ends_of(u, v);
      if (locks(what)) {
        const Lock<G> lock(lanes, my_.out.lock[ends.from]);
        result = change(lanes, what, ends);
      } else {
        result = change(lanes, what, ends);
      }
    }
    if (result == LiveResult::NoVertex && lanes.rank() == 0) count_missing_vertex(u);
    return result;
  }

  template <LaneGroup G, class What>
  FATHOM_HD LiveResult each(const G& group, bool asks, const What& what, VertexId u,
                            VertexId v) const {
    const Lanes<G> lanes(group);
    LiveResult result = LiveResult::None;
    const bool there = asks && exists(u) && exists(v);
    if (asks && !there) {
      result = LiveResult::NoVertex;
      count_missing_vertex(u);
    }
    const Ends mine = ends_of(u, v);
    memory::for_each_key(lanes, there, mine.from, [&](const memory::Party<Lanes<G>>& party) {
      const VertexId from = party.from_leader(mine.from);
      const auto serve = [&] {
        for (std::uint32_t i = 0; i < party.count(); ++i) {
          const std::uint32_t lane = party.lane(i);
          const LiveResult its =
              change(lanes, of_lane(lanes, what, lane), Ends{from, shuffle(lanes, mine.to, lane)});
          if (lanes.rank() == lane) result = its;
        }
      };
      if (locks(what)) {
        const Lock<G> lock(lanes, my_.out.lock[from]);
        serve();
      } else {
        serve();
      }
    });
    return result;
  }
  template <class L>
  FATHOM_HD Insertion of_lane(const L& lanes, const Insertion& what, std::uint32_t lane) const {
    Insertion its{{shuffle(lanes, what.data.weight, lane), {}}};
    if (dynamic::has_fields(my_.out.lists.layout))
      its.data.fields = shuffle(lanes, what.data.fields, lane);
    return its;
  }
  template <class L>
  FATHOM_HD Deletion of_lane(const L&, const Deletion& what, std::uint32_t) const {
    return what;
  }

  /// The bits of some vertices. They change only where vertices are inserted.
  FATHOM_HD std::uint32_t word_of(VertexId v) const {
    std::uint32_t& word = my_.exists[v / 32];
    return my_.fresh.reserved == 0 ? word : AtomicRef(word).load();
  }
  /// By one lane.
  FATHOM_HD VertexId take_index() const {
    const LiveIndices& fresh = my_.fresh;
    if (fresh.reserved != 0 && AtomicRef(*fresh.taken).load() < fresh.reserved) {
      const std::uint64_t i = AtomicRef(*fresh.taken).fetch_add(std::uint64_t{1});
      if (i < fresh.reserved) {
        const VertexId v = fresh.index[i];
        AtomicRef(my_.exists[v / 32]).fetch_or(1u << v % 32);
        AtomicRef(counts(v).new_vertices).fetch_add(std::uint64_t{1});
        return v;
      }
    }
    AtomicRef(counts(0).no_index).fetch_add(std::uint64_t{1});
    return kNoVertex;
  }

  FATHOM_HD dynamic::LiveCounts& counts(VertexId u) const {
    return my_.pages.counts[u % dynamic::kLiveCounts];
  }
  FATHOM_HD void count_missing_vertex(VertexId u) const {
    AtomicRef(counts(u).no_vertex).fetch_add(std::uint64_t{1});
  }
  /// By one lane.
  FATHOM_HD void count(LiveResult result, Ends e, std::uint32_t edges) const {
    dynamic::LiveCounts& at = counts(e.from);
    const auto add = [](std::uint64_t& to, std::uint64_t n) { AtomicRef(to).fetch_add(n); };
    if (result == LiveResult::Inserted) add(at.inserted, 1);
    if (result == LiveResult::Removed) add(at.removed, edges);
    if (result == LiveResult::Missing) add(at.missing, 1);
    if (result == LiveResult::NoMemory) add(at.no_memory, 1);
    if (result == LiveResult::WasThere)
      add(my_.duplicates == DuplicatePolicy::Overwrite ? at.overwritten : at.ignored, 1);
    if (e.from != e.to) return;
    if (result == LiveResult::Inserted) add(at.loops, 1);
    if (result == LiveResult::Removed) add(at.loops, std::uint64_t{0} - edges);
  }

  template <class L, class What>
  FATHOM_HD LiveResult change(const L& lanes, const What& what, Ends e) const {
    ListBy<L> first(lanes, my_.out.lists, my_.pages, e.from);
    std::uint32_t edges = 1;
    const LiveResult result = apply(lanes, what, first, e, edges);
    if (lanes.rank() == 0) count(result, e, edges);
    return result;
  }

  /// With the lock of the first list.
  template <class L>
  FATHOM_HD LiveResult apply(const L& lanes, const Insertion& what, ListBy<L>& first, Ends e,
                             std::uint32_t&) const {
    const std::uint32_t found = first.count(e.to);
    if (found != 0 && my_.duplicates == DuplicatePolicy::Ignore) return LiveResult::WasThere;
    const bool sets = found != 0 && my_.duplicates == DuplicatePolicy::Overwrite;
    if (sets && !my_.out.lists.layout.weighted()) return LiveResult::WasThere;
    if (!first.ensure(sets ? 0 : 1)) return LiveResult::NoMemory;
    const LiveSide other = second_side(e);
    if (other.lock != nullptr) {
      const auto lock = lock_of(lanes, other.lock[e.to]);
      ListBy<L> second(lanes, other.lists, my_.pages, e.to);
      second.count(e.from);
      if (!second.ensure(sets ? 0 : 1)) {
        first.undo_ensure();
        return LiveResult::NoMemory;
      }
      write(second, e.from, what.data, sets);
    }
    write(first, e.to, what.data, sets);
    return sets ? LiveResult::WasThere : LiveResult::Inserted;
  }
  template <class List>
  FATHOM_HD static void write(List& list, VertexId target, const dynamic::EdgeData& data,
                              bool sets) {
    if (sets)
      list.set(target, data);
    else
      list.put(target, data);
  }
  template <class G>
  FATHOM_HD static Lock<G> lock_of(const Lanes<G>& lanes, std::uint32_t& word) {
    return Lock<G>(lanes, word);
  }

  template <class L>
  FATHOM_HD LiveResult apply(const L& lanes, const Deletion&, ListBy<L>& first, Ends e,
                             std::uint32_t& edges) const {
    if (my_.out.lists.layout.markers) return mark(lanes, first, e, edges);
    edges = first.count(e.to);
    if (edges == 0) return LiveResult::Missing;
    if (!first.ensure(0)) return LiveResult::NoMemory;
    const LiveSide other = second_side(e);
    if (other.lock != nullptr) {
      const auto lock = lock_of(lanes, other.lock[e.to]);
      ListBy<L> second(lanes, other.lists, my_.pages, e.to);
      second.count(e.from);
      if (!second.ensure(0)) return LiveResult::NoMemory;
      second.take_out();
    }
    first.take_out();
    return LiveResult::Removed;
  }

  /// Without the lock unless locks() says so.
  template <class L>
  FATHOM_HD LiveResult mark(const L& lanes, ListBy<L>& first, Ends e, std::uint32_t& edges) const {
    if (first.count(e.to) == 0) return LiveResult::Missing;
    if (!own_pages(lanes, first, my_.out.lock[e.from], locks(Deletion{})))
      return LiveResult::NoMemory;
    const LiveSide other = second_side(e);
    ListBy<L> second(lanes, other.lock != nullptr ? other.lists : my_.out.lists, my_.pages,
                     other.lock != nullptr ? e.to : e.from);
    if (other.lock != nullptr && !own_pages(lanes, second, other.lock[e.to], false))
      return LiveResult::NoMemory;
    edges = first.mark(e.to, kNoPage);
    if (edges == 0) return LiveResult::Missing;  // somebody else was faster
    // As many are there, or will be at once: others on their way may take each other's.
    if (other.lock != nullptr)
      for (std::uint32_t left = edges; left > 0;) left -= second.mark(e.from, left);
    return LiveResult::Removed;
  }
  /// Has a list left the pages that a snapshot shows. `held`: by who has the lock.
  template <class L>
  FATHOM_HD static bool own_pages(const L& lanes, ListBy<L>& list, std::uint32_t& word, bool held) {
    if (!list.pinned()) return true;
    if (held) return list.ensure(0);
    const auto lock = lock_of(lanes, word);
    return list.ensure(0);
  }

  Parts my_;
};

/// Of a graph in host memory, whatever its allocator, and of one in a GPU's memory on pages of the
/// pool; live_managers.hpp has the others.
using LiveLists = LiveListsOf<dynamic::LiveArena>;

}  // namespace fathom
