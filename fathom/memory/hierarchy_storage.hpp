// Virtualised array hierarchy: the slots lie on chunks of the heap that are attached when they are
// needed and given back when emptied; a ring of pointers, the directory, finds them
// (Winter, 5.4.1).
//
// Invariant: a position's chunk is attached before, or by a running thread just after, the slot's
// room is granted; a chunk leaves when all its slots have been emptied, so nobody looks for it.
#pragma once

#include "fathom/memory/chunk_pool.hpp"

namespace fathom::memory {

inline constexpr std::uint32_t kSlotsPerChunk = kChunkBytes / sizeof(std::uint64_t);

/// What both virtualised storages do with the chunks that hold slots.
struct QueueChunks {
  FATHOM_HD static std::uint64_t* slots(const Heap& heap, std::uint32_t chunk) {
    return reinterpret_cast<std::uint64_t*>(heap.chunk_data(chunk, 1));
  }
  FATHOM_HD static std::uint64_t in_a_row(const QueueRef&, std::uint64_t position) {
    return kSlotsPerChunk - position % kSlotsPerChunk;
  }

  /// A chunk of empty slots, in every lane; kNone32 without one. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static std::uint32_t make(const Heap& heap, const G& group, std::uint32_t leader) {
    const bool leads = group.rank() == leader;
    std::uint32_t chunk = ChunkPool<Hooks>::take(heap, group, 0, leads);
    chunk = group.shfl(chunk, leader);
    if (chunk == kNone32) return chunk;
    const Party<G> all(group, true);
    for (std::uint32_t i = all.index(); i < kSlotsPerChunk; i += all.count())
      AtomicRef<std::uint64_t>(slots(heap, chunk)[i]).store(kEmpty);
    if (leads) {
      const std::uint64_t s = heap.state(chunk).load();
      heap.change_use(chunk, make_state(generation_to_use(s), ChunkKind::Queue, 0, 0));
      heap.bits(chunk, 0).store(0);
      heap.bits(chunk, 1).store(kEmpty);
    }
    publish_writes();
    group.ballot(true);
    return chunk;
  }

  /// Counts emptied slots; true for the one who emptied the last.
  FATHOM_HD static bool count(const Heap& heap, std::uint32_t chunk, std::uint32_t amount) {
    return heap.bits(chunk, 0).fetch_add(amount, Order::AcqRel) + amount == kSlotsPerChunk;
  }

  FATHOM_HD static void release(const Heap& heap, std::uint32_t chunk) {
    heap.bits(chunk, 0).store(0);
    heap.bits(chunk, 1).store(0);
  }
};

struct HierarchyStorage : QueueChunks {
  static constexpr std::uint32_t kBatch = kSlotsPerChunk;
  static constexpr bool kDirectory = true;

  FATHOM_HD static void reset(const Heap&, const QueueRef& q) {
    q.control->spots.value = q.capacity;
  }

  /// Gains kBatch slots; false when no chunk or no spot of the directory could be had. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool attach(const Heap& heap, const QueueRef& q, const G& group) {
    const Party<G> all(group, true);
    const Tally spots(q.control->spots);
    std::uint32_t spot = 0;
    if (all.leads()) spot = spots.take_up_to(1);
    if (all.from_leader(spot) == 0) return false;
    const std::uint32_t chunk = make<Hooks>(heap, group, all.leader());
    if (all.leads()) {
      if (chunk == kNone32) {
        spots.add(1);
      } else {
        const std::uint64_t index = q.control->attached.atomic().fetch_add(1, Order::AcqRel);
        const AtomicRef<std::uint64_t> entry(q.slots[index & (q.capacity - 1)]);
        const std::uint64_t mine = index << 32 | chunk;
        for (std::uint64_t found = kEmpty; !entry.compare_exchange(found, mine); found = kEmpty)
          Hooks::pause();
      }
    }
    return chunk != kNone32;
  }

  template <class Hooks>
  FATHOM_HD static std::uint64_t& slot(const Heap& heap, const QueueRef& q,
                                       std::uint64_t position) {
    return slots(heap, find<Hooks>(q, position / kSlotsPerChunk))[position % kSlotsPerChunk];
  }

  template <class Hooks, LaneGroup G>
  FATHOM_HD static void taken(const Heap& heap, const QueueRef& q, const G&, const Party<G>& party,
                              std::uint64_t position, std::uint32_t amount) {
    while (party.leads() && amount > 0) {
      const auto here = static_cast<std::uint32_t>(position % kSlotsPerChunk);
      const std::uint32_t some = amount < kSlotsPerChunk - here ? amount : kSlotsPerChunk - here;
      const std::uint64_t index = position / kSlotsPerChunk;
      const std::uint32_t chunk = find<Hooks>(q, index);
      if (count(heap, chunk, some)) {
        release(heap, chunk);
        AtomicRef<std::uint64_t>(q.slots[index & (q.capacity - 1)]).store(kEmpty, Order::Release);
        Tally(q.control->spots).add(1);
        ChunkPool<Hooks>::give(heap, OneLane{}, true, chunk);
      }
      position += some;
      amount -= some;
    }
  }

 private:
  template <class Hooks>
  FATHOM_HD static std::uint32_t find(const QueueRef& q, std::uint64_t index) {
    const AtomicRef<std::uint64_t> entry(q.slots[index & (q.capacity - 1)]);
    std::uint64_t found = entry.load(Order::Acquire);
    while (found == kEmpty || found >> 32 != (index & 0xffffffff)) {
      Hooks::pause();
      found = entry.load(Order::Acquire);
    }
    return static_cast<std::uint32_t>(found);
  }
};

}  // namespace fathom::memory
