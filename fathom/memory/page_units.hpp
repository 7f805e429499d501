// Page units: queues hold free pages. A page is one entry away, a free is one entry more; a chunk
// whose pages are all free can leave, and the entries that still name it are dropped when met,
// since its generation has changed (Winter, 5.3.1, which cannot let chunks go).
#pragma once

#include "fathom/memory/loose_pages.hpp"

namespace fathom::memory {

struct PageUnits {
  static constexpr bool kPages = true;

  /// A page for each lane that passes `mine`: that many were granted, so they are there, or being
  /// put there by running threads. Collective.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static PageRef fetch(const Heap& heap, std::uint32_t k, const G& group, bool mine) {
    PageRef page;
    while (group.ballot(mine && !page.found()) != 0) {
      std::uint64_t entry = kEmpty;
      const bool got = IndexQueue<Storage, Hooks>::dequeue(heap, heap.queue(k), group,
                                                           mine && !page.found(), entry);
      if (group.ballot(got) == 0) {
        if (!fetch_loose<Hooks>(heap, k, group, mine, page)) Hooks::pause();
        continue;
      }
      if (take_entry<Hooks>(heap, k, group, got, entry)) page = {chunk_of(entry), page_of(entry)};
    }
    return page;
  }

  /// Lists pages [first, all) of a chunk that the caller has just made. Collective; `chunk` and
  /// `first` are the same in all lanes.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static void list_new(const Heap& heap, std::uint32_t k, const G& group,
                                 std::uint32_t chunk, std::uint32_t first) {
    const Party<G> all(group, true);
    const std::uint64_t generation = generation_of(heap.state(chunk).load());
    const std::uint32_t listed = IndexQueue<Storage, Hooks>::enqueue_run(
        heap, heap.queue(k), group, pages_of(k) - first,
        [&](std::uint32_t i) { return make_entry(generation, chunk, first + i); });
    bool loose = false;
    for (std::uint32_t page = first + listed + all.index(); page < pages_of(k);
         page += all.count()) {
      LoosePages<Hooks>::mark_free(heap, chunk, page);
      loose = true;
    }
    if (loose) LoosePages<Hooks>::add(heap, k, chunk, generation);
  }

  /// Takes back one page of each lane that passes `mine`. Collective.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static void put_back(const Heap& heap, std::uint32_t k, const G& group, bool mine,
                                 PageRef page) {
    std::uint64_t generation = 0;
    if (mine) generation = generation_of(heap.state(page.chunk).load());  // fixed while it is held
    const std::uint64_t entry = make_entry(generation, page.chunk, page.page);
    const bool placed =
        IndexQueue<Storage, Hooks>::enqueue(heap, heap.queue(k), group, mine, entry);
    const bool loose = mine && !placed;
    if (loose) LoosePages<Hooks>::mark_free(heap, page.chunk, page.page);
    publish_writes();  // those of a lane whose page another one counts, which may free the chunk
    Hooks::mark(Point::State);
    bool idle = false;
    const auto step = [&](const auto& party) {
      const bool some_loose = party.any_of(loose);
      if (party.leads()) idle = let_go<Hooks>(heap, k, page.chunk, party.count(), some_loose);
    };
    if (pages_of(k) < kFewPages) {
      if (mine) idle = let_go<Hooks>(heap, k, page.chunk, 1, loose);
    } else {
      for_keys_apart(group, mine, page.chunk, step);
    }
    ChunkPool<Hooks>::Queue::enqueue(heap, heap.idle(level_of(k)), group, idle, page.chunk);
  }

  /// Drops entries of chunks that have left from a virtualised queue, until one of the chunks that
  /// hold its slots can go; false when there is none to gain. One thread.
  template <class Storage, class Hooks>
  FATHOM_HD static bool drop_stale(const Heap& heap, std::uint32_t k) {
    constexpr std::int64_t kSlots = Storage::kBatch;
    if (kSlots == 0 || Tally(heap.size_class(k).stale).value() < kSlots) return false;
    std::int64_t dropped = 0;
    const std::int64_t queued = Tally(heap.queue(k).control->queued).value();
    for (std::int64_t i = 0; i < queued && dropped < 2 * kSlots; ++i) {
      bool stale = false;
      if (!turn<Storage, Hooks>(heap, k, stale)) break;
      dropped += stale ? 1 : 0;
    }
    return dropped > 0;
  }

  /// Drops all entries that are stale by now. Waits for writers that have their ticket, and for
  /// readers that count what they could not have. One thread.
  template <class Storage, class Hooks>
  FATHOM_HD static void drop_all_stale(const Heap& heap, std::uint32_t k) {
    const QueueControl& queue = *heap.queue(k).control;
    const std::uint64_t end = queue.back.load();
    for (bool stale = false; queue.front.load() < end;)
      if (!turn<Storage, Hooks>(heap, k, stale)) Hooks::pause();
  }

 private:
  /// Draws an entry, false when there is none, and lists it again if it is not stale.
  template <class Storage, class Hooks>
  FATHOM_HD static bool turn(const Heap& heap, std::uint32_t k, bool& stale) {
    std::uint64_t entry = kEmpty;
    if (!IndexQueue<Storage, Hooks>::dequeue(heap, heap.queue(k), OneLane{}, true, entry))
      return false;
    stale = !take_entry<Hooks>(heap, k, OneLane{}, true, entry);
    if (!stale)
      put_back<Storage, Hooks>(heap, k, OneLane{}, true, {chunk_of(entry), page_of(entry)});
    return true;
  }

  // Lanes whose pages share a chunk change its state together, unless few can share one.
  static constexpr std::uint32_t kFewPages = 16;

  /// Whether the entry still names a page of its class; then the page is the caller's. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool take_entry(const Heap& heap, std::uint32_t k, const G& group, bool got,
                                   std::uint64_t entry) {
    bool valid = false, idle = false;
    const std::uint64_t use = entry & ~std::uint64_t{kMostPages - 1};  // generation and chunk
    if (pages_of(k) < kFewPages) {
      if (got) valid = hold<Hooks>(heap, k, entry, 1, idle);
    } else {
      for_keys_apart(group, got, use, [&](const auto& party) {
        std::uint32_t ok = 0;
        if (party.leads()) ok = hold<Hooks>(heap, k, entry, party.count(), idle) ? 1 : 0;
        ok = party.from_leader(ok);
        if (party.joins()) valid = ok != 0;
      });
    }
    if (got && !valid) Tally(heap.size_class(k).stale).add(~std::uint64_t{0});
    ChunkPool<Hooks>::Queue::enqueue(heap, heap.idle(level_of(k)), group, idle, chunk_of(entry));
    return valid;
  }

  /// n pages of the entry's chunk, whose entries the caller has; false when the chunk has left. By
  /// one addition, as the chunk is the same for thousands of threads. It may come before the thread
  /// that listed a page has let go of it. `idle` as let_go() returns it.
  template <class Hooks>
  FATHOM_HD static bool hold(const Heap& heap, std::uint32_t k, std::uint64_t entry,
                             std::uint32_t n, bool& idle) {
    const auto state = heap.state(chunk_of(entry));
    Hooks::mark(Point::State);
    if (names(entry, k, state.fetch_add(n, Order::AcqRel))) return true;
    Hooks::mark(Point::State);
    idle = let_go<Hooks>(heap, k, chunk_of(entry), n, false);
    return false;
  }

  /// Returns whether the caller has to list the chunk as idle.
  template <class Hooks>
  FATHOM_HD static bool let_go(const Heap& heap, std::uint32_t k, std::uint32_t chunk,
                               std::uint32_t n, bool loose) {
    const auto state = heap.state(chunk);
    if (loose) LoosePages<Hooks>::add(heap, k, chunk, generation_of(state.load()));
    return ChunkPool<Hooks>::becomes_idle(heap, chunk,
                                          state.fetch_add(0 - std::uint64_t{n}, Order::AcqRel) - n);
  }

  /// Pages that no queue had room for; false when none was found. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool fetch_loose(const Heap& heap, std::uint32_t k, const G& group, bool mine,
                                    PageRef& page) {
    const Party<G> party(group, mine && !page.found());
    std::uint32_t chunk = kNone32, claimed = 0;
    std::uint64_t generation = 0;
    bool left = false;
    if (party.leads()) {
      chunk = LoosePages<Hooks>::find(heap, k, generation);
      if (chunk != kNone32)
        claimed = LoosePages<Hooks>::claim(heap, k, chunk, generation, party.count(), false, left);
    }
    chunk = party.from_leader(chunk);
    claimed = party.from_leader(claimed);
    if (claimed == 0) {
      // Marked pages that are not counted yet will be. Without marks the chunk was listed again by
      // one who marked a page that others had found by then: it has nothing, and a scan that came
      // back to it would not come to those that have.
      if (party.leads() && chunk != kNone32) {
        if (any_marked(heap, k, chunk)) LoosePages<Hooks>::add(heap, k, chunk, generation);
        LoosePages<Hooks>::pass(heap, k, chunk);
      }
      return false;
    }
    const std::uint32_t found = LoosePages<Hooks>::pick(heap, party, k, chunk, 0, claimed, page);
    if (party.leads()) {
      if (claimed > found && let_go<Hooks>(heap, k, chunk, claimed - found, false))
        ChunkPool<Hooks>::Queue::enqueue(heap, heap.idle(level_of(k)), OneLane{}, true, chunk);
      if (found > 0 && any_marked(heap, k, chunk))
        LoosePages<Hooks>::add(heap, k, chunk, generation);
    }
    return found > 0;
  }

  FATHOM_HD static bool any_marked(const Heap& heap, std::uint32_t k, std::uint32_t chunk) {
    for (std::uint32_t w = 0; w < (pages_of(k) + 63) / 64; ++w)
      if (heap.bits(chunk, w).load(Order::Acquire) != 0) return true;
    return false;
  }
};

}  // namespace fathom::memory
