// Virtualised linked chunks: as the array hierarchy, but each chunk links to the next instead of
// standing in a directory, so that little is there from the beginning, whatever the heap's size
// (5.4.2). A ring of kHints words remembers where the newest chunks are, which saves most walks.
//
// The paper keeps emptied chunks for a while, long enough, one hopes, for slow readers of a link.
// Here links and tags are metadata, which outlives every use of a chunk: a thread that walks checks
// the tag before and after it reads a link, and begins again at the head when it has changed.
//
// Invariants: head <= the chunk of every position in use; chunks leave at the head, in order, each
// when emptied and followed by another one; the last one stays.
#pragma once

#include "fathom/memory/hierarchy_storage.hpp"

namespace fathom::memory {

struct LinkedStorage {
  static constexpr std::uint32_t kBatch = kSlotsPerChunk;
  static constexpr bool kDirectory = false;
  static constexpr std::uint32_t kHints = 1024;  // words: one chunk's worth per queue

  FATHOM_HD static void reset(const Heap&, const QueueRef& q) { q.control->head.value = kEmpty; }

  /// Gains kBatch slots; false when no chunk could be had. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool attach(const Heap& heap, const QueueRef& q, const G& group) {
    const Party<G> all(group, true);
    const std::uint32_t chunk = QueueChunks::make<Hooks>(heap, group, all.leader());
    if (chunk == kNone32) return false;
    if (all.leads()) {
      const std::uint64_t index = q.control->attached.atomic().fetch_add(1, Order::AcqRel);
      const std::uint64_t mine = index << 32 | chunk;
      Hooks::mark(Point::Ticket);
      heap.tag(chunk).store(tag_of(heap, q, index), Order::Release);
      // The head before the hint: who has found this chunk looks at the head next. By a
      // read-modify-write, so that this thread sees what those did who came before (advance()).
      if (index == 0) {
        std::uint64_t none = kEmpty;
        q.control->head.atomic().compare_exchange(none, mine);
      }
      hint(q, index).store(mine, Order::Release);
      Hooks::mark(Point::Slot);
      if (index != 0)  // which stays, as nothing follows it yet
        heap.bits(find<Hooks>(heap, q, index - 1), 1).store(chunk, Order::Release);
      advance<Hooks>(heap, q);  // what was emptied may have waited for this one
    }
    return true;
  }

  template <class Hooks>
  FATHOM_HD static std::uint64_t& slot(const Heap& heap, const QueueRef& q,
                                       std::uint64_t position) {
    return QueueChunks::slots(
        heap, find<Hooks>(heap, q, position / kSlotsPerChunk))[position % kSlotsPerChunk];
  }

  template <class Hooks, LaneGroup G>
  FATHOM_HD static void taken(const Heap& heap, const QueueRef& q, const G&, const Party<G>& party,
                              std::uint64_t position, std::uint32_t amount) {
    while (party.leads() && amount > 0) {
      const auto here = static_cast<std::uint32_t>(position % kSlotsPerChunk);
      const std::uint32_t some = amount < kSlotsPerChunk - here ? amount : kSlotsPerChunk - here;
      const std::uint32_t chunk = find<Hooks>(heap, q, position / kSlotsPerChunk);
      if (QueueChunks::count(heap, chunk, some)) advance<Hooks>(heap, q);
      position += some;
      amount -= some;
    }
  }

 private:
  /// No two chunks ever have the same at a time, nor one chunk twice: queue and index, never 0.
  FATHOM_HD static std::uint64_t tag_of(const Heap& heap, const QueueRef& q, std::uint64_t index) {
    const auto k = reinterpret_cast<const std::byte*>(q.control) -
                   reinterpret_cast<const std::byte*>(&heap.control().classes[0].queue);
    return (static_cast<std::uint64_t>(k) / sizeof(ClassControl) + 1) << 56 | index;
  }

  /// Where the chunk of this index, or one of kHints indices more or less, was attached. Only its
  /// tag says whether it still is.
  FATHOM_HD static AtomicRef<std::uint64_t> hint(const QueueRef& q, std::uint64_t index) {
    return AtomicRef<std::uint64_t>(q.slots[index % kHints]);
  }

  template <class Hooks>
  FATHOM_HD static std::uint32_t find(const Heap& heap, const QueueRef& q, std::uint64_t index) {
    const std::uint64_t wanted = tag_of(heap, q, index);
    for (;; Hooks::pause()) {
      const auto likely = static_cast<std::uint32_t>(hint(q, index).load(Order::Acquire));
      if (likely < heap.layout.units && heap.tag(likely).load(Order::Acquire) == wanted)
        return likely;
      const std::uint64_t head = q.control->head.load();
      if (head == kEmpty) continue;
      auto chunk = static_cast<std::uint32_t>(head);
      for (;;) {
        const std::uint64_t tag = heap.tag(chunk).load(Order::Acquire);
        if (tag == wanted) return chunk;
        if (tag >> 56 != wanted >> 56 || tag > wanted) break;
        const std::uint64_t next = heap.bits(chunk, 1).load(Order::Acquire);
        Hooks::mark(Point::Slot);
        if (next >= heap.layout.units || heap.tag(chunk).load(Order::Acquire) != tag) break;
        chunk = static_cast<std::uint32_t>(next);
      }
    }
  }

  /// Lets emptied chunks go from the head on. Reads the head by a read-modify-write: of two threads
  /// that each empty, or append, a chunk and then look, the later one sees what both did.
  template <class Hooks>
  FATHOM_HD static void advance(const Heap& heap, const QueueRef& q) {
    const auto head = q.control->head.atomic();
    for (;;) {
      std::uint64_t first = head.fetch_or(0, Order::AcqRel);
      if (first == kEmpty) return;  // who brings the first chunk comes here after that
      const auto chunk = static_cast<std::uint32_t>(first);
      const std::uint64_t tag = heap.tag(chunk).load(Order::Acquire);
      const std::uint64_t taken = heap.bits(chunk, 0).load(Order::Acquire);
      const std::uint64_t next = heap.bits(chunk, 1).load(Order::Acquire);
      Hooks::mark(Point::Slot);
      if (head.load(Order::Acquire) != first || heap.tag(chunk).load(Order::Acquire) != tag)
        continue;  // it left meanwhile: what was read may be another use's
      if (taken != kSlotsPerChunk || next == kEmpty) return;
      if (!head.compare_exchange(first, ((first >> 32) + 1) << 32 | next)) continue;
      heap.tag(chunk).store(0, Order::Release);
      QueueChunks::release(heap, chunk);
      ChunkPool<Hooks>::give(heap, chunk);
    }
  }
};

}  // namespace fathom::memory
