// The phases of a batch on the lists of one direction, each a functor over independent items: one
// source for host threads and kernels. Between two phases everyone waits.
//
//   decide    an edge          what its updates come to
//   locate    a change         where in its list the edge is (update-centric), or
//             a touched list   all of its changes (vertex-centric)
//   plan      a touched list   how long it becomes, and whether it needs another page
//   commit    a touched list   writes it; cannot fail
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/list_body.hpp"
#include "fathom/dynamic/page_store.hpp"

namespace fathom::dynamic {

/// A list with changes, and what becomes of it.
struct TouchedList {
  std::uint32_t first = 0, last = 0;  // its changes
  VertexId vertex = 0;
  std::uint32_t size = 0;  // afterwards
  bool changes = false;    // at all
  bool moves = false;      // to the page that was asked for, if the list is not empty
};

struct DynamicListsRef {
  std::uint32_t* region;
  DynamicList* list;
  DynamicLayout layout;
  std::uint32_t epoch;   // of the batch
  std::uint32_t pinned;  // pages written in an epoch up to this one are in a snapshot

  FATHOM_HD PageRef page(const DynamicList& l) const {
    return page_of(region, layout, l.page, l.capacity);
  }
  FATHOM_HD std::uint64_t bytes_for(std::uint32_t entries) const {
    return entries == 0 ? 0 : page_bytes_for(std::uint64_t{entries} * layout.entry_words * 4);
  }
  /// Entries that a page of so many bytes holds.
  FATHOM_HD std::uint32_t capacity_of(std::uint64_t bytes) const {
    return static_cast<std::uint32_t>(bytes / (std::uint64_t{layout.entry_words} * 4));
  }
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

  FATHOM_HD void operator()(std::size_t i) const {
    const DynamicList mine = lists.list[change[i].source];
    locate(lists.page(mine), 0, mine.size, change[i]);
  }
};

struct LocateInList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  Change* change;
  const TouchedList* touched;

  FATHOM_HD void operator()(std::size_t i) const {
    const TouchedList t = touched[i];
    const DynamicList mine = lists.list[t.vertex];
    const PageRef page = lists.page(mine);
    std::uint32_t from = 0;
    for (std::uint32_t c = t.first; c != t.last; ++c)
      from = locate(page, from, mine.size, change[c]);
  }
};

struct PlanList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  const Change* change;
  TouchedList* touched;
  PageRequest* wanted;  // [touched]
  unsigned* too_long;   // set where a list would be longer than 2^32 - 1

  FATHOM_HD void operator()(std::size_t i) const {
    TouchedList& t = touched[i];
    const DynamicList mine = lists.list[t.vertex];
    std::int64_t size = mine.size;
    for (std::uint32_t c = t.first; c != t.last; ++c) {
      const Change& its = change[c];
      size += its.growth();
      t.changes |= its.growth() != 0 || (its.kind == ChangeKind::Set && lists.layout.weighted());
    }
    wanted[i] = {};
    if (!t.changes) return;
    if (size > std::int64_t{kNoPage}) {
      AtomicRef(*too_long).store(1u);
      return;
    }
    t.size = static_cast<std::uint32_t>(size);
    const std::uint64_t bytes = lists.bytes_for(t.size);
    t.moves = mine.epoch <= lists.pinned || lists.capacity_of(bytes) != mine.capacity;
    if (t.moves) wanted[i].bytes = bytes;
  }
};

struct CommitList {
  static constexpr bool kDeviceCode = true;
  DynamicListsRef lists;
  const Change* change;
  const TouchedList* touched;
  const PageRequest* fresh;  // [touched]
  PageRequest* old;          // [touched]: pages that the lists have left

  /// Every lane of the group calls it for the same list.
  template <LaneGroup G>
  FATHOM_HD void operator()(const G& group, std::size_t i) const {
    const TouchedList t = touched[i];
    const DynamicList mine = lists.list[t.vertex];
    if (group.rank() == 0) old[i] = {};
    if (!t.changes) return;
    const Change* const first = change + t.first;
    const Change* const last = change + t.last;
    DynamicList now = mine;
    now.size = t.size;
    if (t.moves) {
      now.capacity = lists.capacity_of(fresh[i].bytes);
      now.page = now.capacity == 0 ? 0 : fresh[i].page;
      now.epoch = lists.epoch;
      if (t.size != 0)
        rewrite(group, first, last, lists.page(mine), mine.size, lists.page(now), true);
    } else {
      const PageRef page = lists.page(mine);
      const std::uint32_t left = rewrite(group, first, last, page, mine.size, page, false);
      insert(group, first, last, page, left, t.size);
    }
    group.ballot(true);
    if (group.rank() != 0) return;
    if (t.moves) old[i] = {lists.bytes_for(mine.capacity), mine.page};
    lists.list[t.vertex] = now;
  }
};

}  // namespace fathom::dynamic
