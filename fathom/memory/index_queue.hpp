// Index queue: entries handed over through slots that writers and readers get by tickets (Winter,
// chapter 5, algorithm 5). A counting semaphore on either side comes before the tickets, so that a
// ticket is given only for a slot that will be written, or emptied, by a thread that is running:
// exactly as many entries are admitted as there are slots, and no entry is lost.
//
// Counters and tickets are relaxed: entries, and all that was written before them, are handed over
// by their slots, and a slot's chunk by its directory or tag.
//
// Where the slots lie is Storage's business. A storage may attach further slots while it works.
#pragma once

#include "fathom/memory/bulk_semaphore.hpp"
#include "fathom/memory/heap.hpp"
#include "fathom/memory/party.hpp"

namespace fathom::memory {

template <class Storage, class Hooks>
struct IndexQueue {
  /// Puts one value per lane that passes `mine`; false for lanes for which no slot could be had.
  /// Collective.
  template <LaneGroup G>
  FATHOM_HD static bool enqueue(const Heap& heap, const QueueRef& q, const G& group, bool mine,
                                std::uint64_t value) {
    const BulkSemaphore<Hooks> room(q.control->room);
    bool placed = false;
    for (;;) {
      const Party<G> party(group, mine && !placed);
      if (!party.any()) return placed;
      Grant grant;
      if (party.leads()) grant = room.acquire(party.count(), Storage::kBatch);
      grant = party.from_leader(grant);
      if (grant.mints > 0) {
        const std::uint32_t n = party.count();
        const bool attached = Storage::template attach<Hooks>(heap, q, group);
        if (party.leads()) room.settle(attached ? Storage::kBatch - n : 0, grant.mints, n);
        grant.granted = attached ? n : 0;
      }
      if (grant.granted == 0) return placed;
      placed = write(heap, q, party, grant.granted, value) || placed;
    }
  }

  /// Takes up to one entry per lane that passes `mine`; false for lanes that got none, when the
  /// queue had no more. Waits only for writers that have their ticket. Collective.
  template <LaneGroup G>
  FATHOM_HD static bool dequeue(const Heap& heap, const QueueRef& q, const G& group, bool mine,
                                std::uint64_t& value) {
    const Party<G> party(group, mine);
    if (!party.any()) return false;
    std::uint32_t amount = 0;
    std::uint64_t position = 0;
    if (party.leads()) {
      amount = Tally(q.control->queued).take_up_to(party.count());
      if (amount > 0) position = q.control->front.atomic().fetch_add(amount);
    }
    amount = party.from_leader(amount);
    if (amount == 0) return false;
    position = party.from_leader(position);
    Hooks::mark(Point::Ticket);
    const bool mine_too = party.joins() && party.index() < amount;
    if (mine_too) {
      const AtomicRef<std::uint64_t> slot(
          Storage::template slot<Hooks>(heap, q, position + party.index()));
      // Takes the entry and leaves kEmpty, all ones, in one operation.
      while ((value = slot.fetch_or(kEmpty, Order::AcqRel)) == kEmpty) {
        do Hooks::pause();
        while (slot.load() == kEmpty);
      }
      Hooks::mark(Point::Slot);
    }
    group.ballot(mine_too);  // all have emptied their slots
    Storage::template taken<Hooks>(heap, q, group, party, position, amount);
    return mine_too;
  }

 private:
  template <LaneGroup G>
  FATHOM_HD static bool write(const Heap& heap, const QueueRef& q, const Party<G>& party,
                              std::uint32_t amount, std::uint64_t value) {
    std::uint64_t position = 0;
    if (party.leads()) position = q.control->back.atomic().fetch_add(amount);
    position = party.from_leader(position);
    Hooks::mark(Point::Ticket);
    const bool mine = party.joins() && party.index() < amount;
    if (mine) {
      const AtomicRef<std::uint64_t> slot(
          Storage::template slot<Hooks>(heap, q, position + party.index()));
      for (std::uint64_t found = kEmpty; !slot.compare_exchange(found, value); found = kEmpty)
        Hooks::pause();
      Hooks::mark(Point::Slot);
    }
    if (party.leads()) Tally(q.control->queued).add(amount);  // readers wait for the slots
    return mine;
  }
};

}  // namespace fathom::memory
