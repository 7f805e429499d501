// What the phases of a batch on a GPU work on and find out, for the kernels, for the host that
// queues them, and for tests that run them on fibers.
#pragma once

#include "fathom/dynamic/batches/batch_functors.hpp"
#include "fathom/dynamic/batches/packed_updates.hpp"
#include "fathom/dynamic/pages/bulk_pool.hpp"

namespace fathom::dynamic::gpu {

/// What the planning of the lists of one direction comes to.
struct SideTotals {
  std::uint32_t touched;
  std::uint32_t too_long;
  std::uint32_t longest;    // most changes of one list
  std::uint32_t collected;  // changes of chains
  unsigned long long fresh, old, moved;
  unsigned long long growth;  // edges, modulo 2^64
};

/// What is found in the updates themselves.
struct UpdateCheck {
  unsigned long long bad;    // 2^64 - 1 less the index of the first whose vertex does not exist
  unsigned long long loops;  // counted if asked for
};

/// What the kernels of a batch find out, for each other and for the host.
struct Totals {
  UpdateCheck check;
  SideTotals side[2];                  // out, in
  ChangeCounts counts;                 // of the out lists
  std::uint32_t wanted[kPageSizes];    // pages of each size
  std::uint32_t returned[kPageSizes];  // that go back at once
  std::uint64_t missing;               // bytes; see BulkPlan
  std::uint32_t free[kPageSizes];      // pages of each size afterwards, without those
  std::uint64_t border;
  std::uint32_t unsuited;  // a chain is too long: the batch has to be sorted
  std::uint32_t go;        // all is there: it is committed

  /// As far as the updates go.
  FATHOM_HD bool acceptable() const {
    return check.bad == 0 && side[0].too_long == 0 && side[1].too_long == 0 && unsuited == 0;
  }
};

/// The numbers of the first pages that a list is given and that it gives back among all of their
/// size.
struct PageNumbers {
  std::uint32_t fresh, old;
};

/// One direction of a batch, on the device.
struct Side {
  DynamicListsRef lists;
  std::uint32_t changes;  // those that are none (second copies of loops) not counted
  Change* change;
  TouchedList* touched;  // [changes]
  PageNumbers* number;   // [changes]
  VertexId* vertex;      // [changes], of chains: whose lists are touched
  PageRequest *fresh, *old;
  std::uint64_t fresh_room, old_room;
  SideTotals* totals;
  UpdateData data;  // what the changes of lists with fields refer to
  bool asked;       // `fresh` has its requests, and perhaps pages: there was room for them
};

/// What there is room for in arrays that the host has made.
struct Rooms {
  int sides = 0;
  std::uint64_t fresh[2] = {}, old[2] = {};  // pages of each side
  std::uint64_t retired = 0;                 // pages that stay with snapshots
  std::uint32_t free[kPageSizes] = {};       // free pages of each size

  /// Of size k.
  FATHOM_HD bool enough_free(const Totals& totals, int k) const {
    return std::uint64_t{totals.free[k]} + totals.returned[k] <= free[k];
  }
  /// Of everything else.
  FATHOM_HD bool enough(const Totals& totals) const {
    std::uint64_t stay = totals.side[0].old + totals.side[1].old;
    for (const std::uint32_t back : totals.returned) stay -= back;
    return stay <= retired && totals.side[0].fresh <= fresh[0] &&
           totals.side[1].fresh <= fresh[1] && totals.side[0].old <= old[0] &&
           totals.side[1].old <= old[1];
  }
};

/// Change::weight of update i.
FATHOM_HD Weight weight_of(bool numbered, std::size_t i, const EdgeUpdate& e) {
  return numbered ? UpdateData::numbered(static_cast<std::uint32_t>(i)) : e.weight;
}

/// An update in the chain of a list.
struct UpdateNode {
  std::uint32_t next;  // as in Chains::head
  std::uint32_t target;
  Weight weight;  // of the change
  std::uint32_t deletes;
};

inline constexpr std::uint32_t kEndOfChain = 0;
// Longer chains are left to the sort: a thread sorts one by insertion.
inline constexpr std::uint32_t kMostChained = 24;

/// The updates of each list of one direction.
struct Chains {
  std::uint32_t* head;  // [vertices]: the number of a node, from 1 on, or kEndOfChain
  UpdateNode* node;     // [changes]
};

/// Updates that become chains: a batch, or a piece of it. Those of vertices that do not exist are
/// left out, and the first is noted.
struct ChainedUpdates {
  const EdgeUpdate* update;  // null: they are packed
  std::uint32_t updates;
  bool mirrored;  // undirected: the other direction too
  int sides;
  const std::uint32_t* exists;  // a bit per vertex
  VertexId vertices;
  bool numbered;  // as in Updates
  Chains chains[2];
  PackedUpdates packed = {};
  std::uint32_t first = 0;  // the number in the batch of the first one

  FATHOM_HD EdgeUpdate operator[](std::size_t i) const { return update ? update[i] : packed[i]; }
};

/// Pages that a snapshot still has.
struct Retired {
  RetiredPage* page;
  std::uint32_t* count;
};

}  // namespace fathom::dynamic::gpu
