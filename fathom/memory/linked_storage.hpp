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

struct LinkedStorage : QueueChunks {
  static constexpr std::uint32_t kBatch = kSlotsPerChunk;
  static constexpr bool kDirectory = false;
  static constexpr std::uint32_t kHints = 1024;  // words: one chunk's worth per queue

  FATHOM_HD static void reset(const Heap&, const QueueRef& q) { q.control->head.value = kEmpty; }

  /// Gains kBatch slots; false when no chunk could be had. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool attach(const Heap& heap, const QueueRef& q, const G& group) {
    const Party<G> all(group, true);
    const std::uint32_t chunk = make<Hooks>(heap, group, all.leader());
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
    }
    advance<Hooks>(heap, q, group);  // what was emptied may have waited for this one
    return true;
  }

  template <class Hooks>
  FATHOM_HD static std::uint64_t& slot(const Heap& heap, const QueueRef& q,
                                       std::uint64_t position) {
    return slots(heap, find<Hooks>(heap, q, position / kSlotsPerChunk))[position % kSlotsPerChunk];
  }

  template <class Hooks, LaneGroup G>
  FATHOM_HD static void taken(const Heap& heap, const QueueRef& q, const G& group,
                              const Party<G>& party, std::uint64_t position, std::uint32_t amount) {
    bool emptied = false;
    while (party.leads() && amount > 0) {
      const auto here = static_cast<std::uint32_t>(position % kSlotsPerChunk);
      const std::uint32_t some = amount < kSlotsPerChunk - here ? amount : kSlotsPerChunk - here;
      const std::uint32_t chunk = find<Hooks>(heap, q, position / kSlotsPerChunk);
      if (count(heap, chunk, some)) emptied = true;
      position += some;
      amount -= some;
    }
    if (group.ballot(emptied) != 0) advance<Hooks>(heap, q, group);
  }

 private:
  /// No two chunks ever have the same at a time, nor one chunk twice: queue and index, never 0.
  FATHOM_HD static std::uint64_t tag_of(const Heap& heap, const QueueRef& q, std::uint64_t index) {
    const auto k = reinterpret_cast<const std::byte*>(q.control) -
                   reinterpret_cast<const std::byte*>(&heap.control().classes[0].queue);
    return (static_cast<std::uint64_t>(k) / sizeof(ClassControl) + 1) << 56 | index;
  }

  /// Whether the chunk is the one of this index, of which the low half is enough.
  FATHOM_HD static bool is_at(const Heap& heap, const QueueRef& q, std::uint32_t chunk,
                              std::uint64_t index) {
    constexpr std::uint64_t kLow = 0xffffffff, kQueue = std::uint64_t{0xff} << 56;
    const std::uint64_t tag = heap.tag(chunk).load(Order::Acquire);
    return ((tag ^ tag_of(heap, q, index)) & (kQueue | kLow)) == 0;
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

  /// Lets emptied chunks go from the head on: as many at once as the group has lanes, each of which
  /// looks at the next but so many, by its hint. Collective.
  ///
  /// The head is read by a read-modify-write: of two threads that each empty, or append, a chunk
  /// and then look, the later one sees what both did. Who finds it moved when it is to be replaced
  /// is done: the other one looks further after that. None of the chunks can have left since their
  /// tags were read while the head is the same. Each has its link, whose writer looks for it.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static void advance(const Heap& heap, const QueueRef& q, const G& group) {
    const Party<G> all(group, true);
    const auto head = q.control->head.atomic();
    std::uint64_t first = 0;
    if (all.leads()) first = head.fetch_or(0, Order::AcqRel);
    for (;;) {
      first = all.from_leader(first);
      if (first == kEmpty) return;  // who brings the first chunk comes here after that
      const std::uint64_t index = (first >> 32) + all.index();
      const std::uint64_t at = all.leads() ? first : hint(q, index).load(Order::Acquire);
      const auto chunk = static_cast<std::uint32_t>(at);
      std::uint64_t taken = 0, next = kEmpty;
      if (chunk < heap.layout.units && is_at(heap, q, chunk, index)) {
        taken = heap.bits(chunk, 0).load(Order::Acquire);
        next = heap.bits(chunk, 1).load(Order::Acquire);
      }
      Hooks::mark(Point::Slot);
      const Party<G> stays(group, taken != kSlotsPerChunk || next == kEmpty);
      const std::uint32_t n = stays.any() ? group.shfl(all.index(), stays.leader()) : all.count();
      if (n == 0) return;
      next = shuffle(group, next, all.lane(n - 1));
      std::uint32_t moved = 0;
      if (all.leads()) {
        const std::uint64_t then = ((first >> 32) + n) << 32 | next;
        moved = head.compare_exchange(first, then) ? 1 : 0;
        first = then;
      }
      if (all.from_leader(moved) == 0) return;
      const bool gone = all.index() < n;
      if (gone) {
        heap.tag(chunk).store(0, Order::Release);
        release(heap, chunk);
      }
      ChunkPool<Hooks>::give(heap, group, gone, chunk);
    }
  }
};

}  // namespace fathom::memory
