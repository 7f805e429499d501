// A queue in one ring of its own: the fastest and the one whose memory is there from the beginning.
#pragma once

#include "fathom/memory/bulk_semaphore.hpp"
#include "fathom/memory/heap.hpp"
#include "fathom/memory/party.hpp"

namespace fathom::memory {

struct ArrayStorage {
  static constexpr std::uint32_t kBatch = 0;  // slots gained by attach(): none
  static constexpr bool kDirectory = false;

  FATHOM_HD static void reset(const Heap&, const QueueRef& q) {
    q.control->room = {};
    BulkSemaphore<>(q.control->room).signal(q.capacity);
  }
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool attach(const Heap&, const QueueRef&, const G&) {
    return false;
  }
  template <class Hooks>
  FATHOM_HD static std::uint64_t& slot(const Heap&, const QueueRef& q, std::uint64_t position) {
    return q.slots[position & (q.capacity - 1)];
  }
  /// How many slots lie in a row from this position on.
  FATHOM_HD static std::uint64_t in_a_row(const QueueRef& q, std::uint64_t position) {
    return q.capacity - (position & (q.capacity - 1));
  }
  /// The members of the party have emptied `amount` slots from `position` on.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static void taken(const Heap&, const QueueRef& q, const G&, const Party<G>& party,
                              std::uint64_t, std::uint32_t amount) {
    if (party.leads()) BulkSemaphore<Hooks>(q.control->room).signal(amount);
  }
};

}  // namespace fathom::memory
