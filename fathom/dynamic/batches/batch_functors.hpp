// The phases of a batch on the lists of one direction, each a functor over independent items: one
// source for host threads and kernels. Between two phases everyone waits.
//
//   decide    an edge          what its updates come to
//   locate    a change         where in its list the edge is (update-centric), or
//             a touched list   all of its changes (vertex-centric)
//   plan      a touched list   how long it becomes, and whether it needs another page
//   commit    a touched list   writes it; cannot fail
#pragma once

#include <type_traits>

#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/lists/lists_ref.hpp"
#include "fathom/dynamic/lists/merge_runs.hpp"
#include "fathom/dynamic/lists/sorted_links.hpp"

namespace fathom::dynamic {

/// A list with changes, and what becomes of it.
struct TouchedList {
  std::uint32_t first = 0, last = 0;  // its changes
  VertexId vertex = 0;
  std::uint32_t size = 0;     // afterwards
  std::uint32_t room = 0;     // entries that its page has to hold, at least size
  std::uint32_t written = 0;  // the epoch of the page before; see DynamicListsRef::written_of()
  // Pages that it is given and that it leaves: how many, and where they are among those of all.
  std::uint32_t fresh = 0, old = 0;
  std::uint64_t first_fresh = 0, first_old = 0;
  bool changes = false;          // at all
  bool moves = false;            // to the fresh pages; otherwise they come behind the others
  std::uint32_t tail = kNoPage;  // the last page of a linked list, where it has been found
};

struct DecideEdge {
  static constexpr bool kDeviceCode = true;
  Change* change;
  std::size_t changes;
  DuplicatePolicy policy;

  /// Item i does something when the updates of an edge begin there.
  FATHOM_HD void operator()(std::size_t i) const {
    if (i != 0 && change[i].same_edge(change[i - 1])) return;
    std::size_t last = i + 1;
    while (last < changes && change[last].same_edge(change[i])) ++last;
    decide(change, i, last, policy);
  }
};

struct LocateChange {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  Change* change;

  /// Every lane of the group calls it for the same change.
  template <LaneGroup G>
  FATHOM_HD void operator()(const G& group, std::size_t i) const {
    const VertexId u = change[i].source;
    const DynamicList mine = lists.list(u);
    if (!lists.linked()) {
      if constexpr (std::is_same_v<G, OneLane>)
        locate(lists.page(u, mine), 0, mine.size, change[i]);
      else
        locate(group, lists.page(u, mine), mine.size, change[i]);
    } else if (lists.layout.sorted) {
      if (knows_target(change[i], i == 0 || !change[i - 1].same_edge(change[i])))
        locate_sorted(group, lists.pages(), mine, change + i, change + i + 1);
    } else if (change[i].asks()) {
      locate_linked(group, lists.pages(), mine, change + i, change + i + 1);
    }
  }
};

struct LocateInList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  Change* change;
  TouchedList* touched;

  /// Every lane of the group calls it for the same list; of one that is not sorted() groups may
  /// share its pages.
  template <LaneGroup G>
  FATHOM_HD void operator()(const G& group, std::size_t i, const PageShare& share = {}) const {
    const TouchedList t = touched[i];
    const DynamicList mine = lists.list(t.vertex);
    if (lists.layout.sorted)
      return locate_sorted(group, lists.pages(), mine, change + t.first, change + t.last);
    if (lists.linked()) {
      const std::uint32_t tail =
          locate_linked(group, lists.pages(), mine, change + t.first, change + t.last, share);
      if (share.part == 0 && group.rank() == 0) touched[i].tail = tail;
      return;
    }
    const PageRef page = lists.page(t.vertex, mine);
    std::uint32_t from = 0;
    for (std::uint32_t c = t.first + group.rank(); c < t.last; c += group.size())
      from = locate(page, from, mine.size, change[c]);
  }
};

struct PlanList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  const Change* change;
  TouchedList* touched;
  unsigned* too_long;  // set where a list would be longer than lists may be

  FATHOM_HD void operator()(std::size_t i) const { (*this)(OneLane{}, i); }

  /// Every lane of the group calls it for the same list.
  template <LaneGroup G>
  FATHOM_HD void operator()(const G& group, std::size_t i) const {
    TouchedList& t = touched[i];
    const DynamicList mine = lists.list(t.vertex);
    std::int64_t growth = 0;
    bool changes = false;
    for (std::uint32_t c = t.first + group.rank(); c < t.last; c += group.size()) {
      const Change& its = change[c];
      growth += its.growth();
      changes |= its.growth() != 0 || (its.kind == ChangeKind::Set && lists.layout.weighted());
    }
    growth = reduce(group, growth, [](std::int64_t a, std::int64_t b) { return a + b; });
    changes = group.ballot(changes) != 0;
    if (group.rank() == 0) decide_on(t, mine, mine.size + growth, changes);
  }

 private:
  FATHOM_HD void decide_on(TouchedList& t, const DynamicList& mine, std::int64_t size,
                           bool changes) const {
    t.changes = changes;
    if (!t.changes) return;
    if (size > std::int64_t{lists.layout.most_edges()}) {
      AtomicRef(*too_long).store(1u);
      return;
    }
    t.size = static_cast<std::uint32_t>(size);
    t.written = lists.written_of(t.vertex);
    t.room = lists.room_for(t.size, mine.capacity);
    const bool other = !lists.linked() && lists.capacity_for(t.room) != mine.capacity;
    // Snapshots have records of their own, and with them what lies there.
    t.moves = other || (lists.layout.on_page(mine.capacity) ? t.written <= lists.pinned
                                                            : mine.capacity == 0);
    const std::uint32_t needed = lists.pages_for(t.room), have = lists.pages_for(mine.capacity);
    if (t.moves) {
      t.fresh = needed;
      t.old = have;
    } else {
      t.fresh = needed > have ? needed - have : 0;
      t.old = needed < have && !lists.layout.markers ? have - needed : 0;
    }
  }
};

/// `Data`: UpdateData for lists with fields, else WeightsAlone.
template <class Data>
struct CommitList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  const Change* change;
  const TouchedList* touched;
  const PageRequest* fresh;
  PageRequest* old;  // pages that the lists have left
  Data data;

  template <LaneGroup G>
  FATHOM_HD void operator()(const G& group, std::size_t i) const {
    const auto leave = [this](const TouchedList& t, std::uint32_t k, const PageRequest& page) {
      old[t.first_old + k] = page;
    };
    switch (lists.form()) {
      case ListForm::Contiguous:
        return write<ListForm::Contiguous>(group, i, leave);
      case ListForm::Linked:
        return write<ListForm::Linked>(group, i, leave);
      case ListForm::Sorted:
        return write<ListForm::Sorted>(group, i, leave);
    }
  }
  /// Every lane of the group calls it for the same list, which is of this form. One of them calls
  /// leave(t, k, page) for page k < t.old of those that the list leaves.
  template <ListForm kForm, LaneGroup G, class Leave>
  FATHOM_HD void write(const G& group, std::size_t i, const Leave& leave) const {
    const TouchedList t = touched[i];
    if (!t.changes) return;
    const DynamicList mine = lists.list(t.vertex);
    group.ballot(true);  // all have read it
    DynamicList now = mine;
    now.size = t.size;
    if constexpr (kForm == ListForm::Contiguous)
      commit_contiguous(group, t, mine, now, leave);
    else
      commit_linked<kForm>(group, t, mine, now, leave);
    group.ballot(true);
    if (group.rank() == 0) lists.set(t.vertex, now, t.moves);
  }

 private:
  template <LaneGroup G, class Leave>
  FATHOM_HD void commit_contiguous(const G& group, const TouchedList& t, const DynamicList& mine,
                                   DynamicList& now, const Leave& leave) const {
    const Change* const first = change + t.first;
    const Change* const last = change + t.last;
    const PageRef in = lists.page(t.vertex, mine);
    const ChangeRuns<G, Data> runs{group, first, t.last - t.first, data};
    const bool in_runs = runs.worthwhile(mine.size);
    if (!t.moves) {
      if (in_runs) {
        const std::uint32_t left = runs.rewrite(in, mine.size, in, false);
        runs.insert(in, left, t.size, mine.size - left);
      } else {
        const std::uint32_t left = rewrite(group, first, last, data, in, mine.size, in, false);
        insert(group, first, last, data, in, left, t.size);
      }
      return;
    }
    now = {0, t.size, lists.capacity_for(t.room)};
    if (t.fresh != 0) now.page = fresh[t.first_fresh].page;
    if (t.size != 0) {
      const PageRef out = lists.page(t.vertex, now);
      if (in_runs)
        runs.rewrite(in, mine.size, out, true);
      else
        rewrite(group, first, last, data, in, mine.size, out, true);
    }
    if (group.rank() == 0 && t.old != 0)
      leave(t, 0, PageRequest{lists.bytes_for(mine.capacity), mine.page});
  }

  template <ListForm kForm, LaneGroup G, class Leave>
  FATHOM_HD void commit_linked(const G& group, const TouchedList& t, const DynamicList& mine,
                               DynamicList& now, const Leave& leave) const {
    const Change* const first = change + t.first;
    const Change* const last = change + t.last;
    const LinkedPages pages = lists.pages();
    const PageRequest* const added = fresh + t.first_fresh;
    chain(
        group, pages, [added](std::uint32_t k) { return added[k].page; }, t.fresh);
    std::uint32_t leaves = mine.page;  // the first page that the list leaves, if it leaves any
    if (t.moves) {
      now = {0, t.size, t.fresh * pages.entries()};
      if (t.fresh != 0) {
        now.page = added[0].page;
        if constexpr (kForm == ListForm::Sorted)
          rewrite_sorted(group, pages, mine, first, last, data, {now.page, 0}, true);
        else
          rewrite_linked(group, pages, mine, first, last, data, {now.page, 0});
      }
    } else {
      const std::uint32_t have = lists.pages_for(mine.capacity);
      if (t.fresh != 0) {
        if (group.rank() == 0) {
          const std::uint32_t tail =
              t.tail != kNoPage
                  ? t.tail
                  : LinkedPlace{mine.page, 0}.after(pages, have * pages.entries()).page;
          pages.link(tail) = added[0].page;
        }
        group.ballot(true);
      }
      if constexpr (kForm == ListForm::Sorted)
        change_sorted(group, pages, mine, first, last, data);
      else if (pages.layout.markers)
        mark_and_fill(group, pages, mine.page, first, last, data);
      else
        rewrite_linked(group, pages, mine, first, last, data, {mine.page, 0}, t.tail);
      now.capacity = (have + t.fresh - t.old) * pages.entries();
      if (now.capacity == 0)
        now.page = 0;
      else if (t.old != 0)
        leaves = LinkedPlace{mine.page, 0}.slot(pages, now.capacity).page;
    }
    if (group.rank() != 0) return;
    for (std::uint32_t k = 0; k < t.old; ++k) {
      const std::uint32_t next =
          pages.link(leaves);  // of a page that is somebody's once it is left
      leave(t, k, PageRequest{std::uint64_t{pages.layout.link_words} * 4, leaves});
      leaves = next;
    }
  }
};

/// Writes lists of a graph at rest into lists that were empty.
struct FillList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  const TouchedList* touched;
  const PageRequest* fresh;
  const EdgeId* offset;  // [touched list], and one more; entry p is at p - base
  const VertexId* target;
  const Weight* weight;  // null: 1
  EdgeId base;
  const EdgeFields* fields = nullptr;  // null: all zero

  /// Every lane of the group calls it for the same list.
  template <LaneGroup G>
  FATHOM_HD void operator()(const G& group, std::size_t i) const {
    const TouchedList t = touched[i];
    DynamicList now{0, t.size, lists.capacity_for(t.size)};
    if (t.size != 0) {
      const PageRequest* const its = fresh + t.first_fresh;
      if (t.fresh != 0) now.page = its[0].page;
      const EdgeId from = offset[i] - base;
      const auto put = [&](const PageRef& page, std::uint32_t at, std::uint32_t k) {
        page.set(at, target[from + k], weight ? weight[from + k] : Weight{1});
        if (page.fields != 0) page.set_fields(at, fields ? fields[from + k] : EdgeFields{});
      };
      if (lists.linked()) {
        const LinkedPages linked = lists.pages();
        chain(
            group, linked, [its](std::uint32_t k) { return its[k].page; }, t.fresh);
        for (std::uint32_t k = group.rank(); k < t.size; k += group.size())
          put(linked.page(its[k / linked.entries()].page), k % linked.entries(), k);
      } else {
        const PageRef page = lists.page(t.vertex, now);
        for (std::uint32_t k = group.rank(); k < t.size; k += group.size()) put(page, k, k);
      }
    }
    group.ballot(true);
    if (group.rank() == 0) lists.set(t.vertex, now, true);
  }
};

}  // namespace fathom::dynamic
