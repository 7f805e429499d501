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
    bool placed = false;
    for (;;) {
      const Party<G> party(group, mine && !placed);
      if (!party.any()) return placed;
      const std::uint32_t granted = make_room(heap, q, group, party, party.count());
      if (granted == 0) return placed;
      placed = write(heap, q, party, granted, value) || placed;
    }
  }

  /// Puts value_of(i) for each i below n, which is at most kMostPages and the same in all lanes;
  /// returns how many of the first were placed: fewer than n where no more slots could be had. What
  /// lanes put one at a time costs a round trip each; here they are under way together. Collective.
  template <LaneGroup G, class ValueOf>
  FATHOM_HD static std::uint32_t enqueue_run(const Heap& heap, const QueueRef& q, const G& group,
                                             std::uint32_t n, const ValueOf& value_of) {
    const Party<G> all(group, true);
    std::uint32_t placed = 0;
    while (placed < n) {
      const std::uint32_t granted = make_room(heap, q, group, all, n - placed);
      if (granted == 0) return placed;
      write_run(heap, q, all, granted, [&](std::uint32_t i) { return value_of(placed + i); });
      placed += granted;
    }
    return placed;
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
  // Slots that a lane writes: with more a kernel takes so many registers that fewer warps are
  // resident (sm_90: 78 before there were runs, 80 with 2, 88 with 4, 95 with 8; S-P).
  static constexpr std::uint32_t kAtOnce = 2;

  /// Room for up to n entries, at least one; 0 when no slot could be had. In every lane.
  /// Collective.
  template <LaneGroup G>
  FATHOM_HD static std::uint32_t make_room(const Heap& heap, const QueueRef& q, const G& group,
                                           const Party<G>& party, std::uint32_t n) {
    const BulkSemaphore<Hooks> room(q.control->room);
    Grant grant;
    if (party.leads()) grant = room.acquire(n, Storage::kBatch);
    grant = party.from_leader(grant);
    if (grant.mints == 0) return grant.granted;
    const bool attached = Storage::template attach<Hooks>(heap, q, group);
    if (party.leads()) room.settle(attached ? Storage::kBatch - n : 0, grant.mints, n);
    return attached ? n : 0;
  }

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

  template <LaneGroup G, class ValueOf>
  FATHOM_HD static void write_run(const Heap& heap, const QueueRef& q, const Party<G>& all,
                                  std::uint32_t amount, const ValueOf& value_of) {
    std::uint64_t position = 0;
    if (all.leads()) position = q.control->back.atomic().fetch_add(amount);
    position = all.from_leader(position);
    Hooks::mark(Point::Ticket);
    publish_writes();  // once: an exchange that does so waits for the one before
    for (std::uint32_t done = 0; done < amount;) {
      const std::uint64_t row = Storage::in_a_row(q, position + done);
      const std::uint32_t left = amount - done;
      const std::uint32_t here = row < left ? static_cast<std::uint32_t>(row) : left;
      // Only who has a slot there looks for it: once all are written, a chunk of slots may leave.
      if (all.index() < here) {
        std::uint64_t* const slots = &Storage::template slot<Hooks>(heap, q, position + done);
        for (std::uint32_t i = all.index(); i < here; i += kAtOnce * all.count())
          fill(slots, i, here, all.count(), [&](std::uint32_t at) { return value_of(done + at); });
      }
      done += here;
    }
    if (all.leads()) Tally(q.control->queued).add(amount);
  }

  /// Slots i, i + step and so on below `end`, kAtOnce at most.
  template <class ValueOf>
  FATHOM_HD static void fill(std::uint64_t* slots, std::uint32_t i, std::uint32_t end,
                             std::uint32_t step, const ValueOf& value_of) {
#if defined(__CUDA_ARCH__)
    constexpr Order kOrder = Order::Relaxed;  // behind publish_writes()
#else
    constexpr Order kOrder = Order::Release;
#endif
    std::uint64_t found[kAtOnce];
    for (std::uint32_t j = 0; j < kAtOnce; ++j) {
      const std::uint32_t at = i + j * step;
      found[j] = kEmpty;
      if (at < end)
        AtomicRef<std::uint64_t>(slots[at]).compare_exchange(found[j], value_of(at), kOrder);
    }
    for (std::uint32_t j = 0; j < kAtOnce; ++j) {
      const std::uint32_t at = i + j * step;
      while (found[j] != kEmpty) {  // not emptied yet
        Hooks::pause();
        found[j] = kEmpty;
        AtomicRef<std::uint64_t>(slots[at]).compare_exchange(found[j], value_of(at), kOrder);
      }
      if (at < end) Hooks::mark(Point::Slot);
    }
  }
};

}  // namespace fathom::memory
