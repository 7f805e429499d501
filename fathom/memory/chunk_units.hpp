// Chunk units: queues hold chunks with free pages, each at most once, and a bit map per chunk says
// which are free: little queue memory for more work per page (Winter, 5.3.2, algorithms 8 and 9).
//
// An entry is the right to find its chunk's free pages, and whoever has drawn it is alone with
// them: takes what is needed and puts the entry back while pages are left. So bits are taken
// without races, and an entry neither stands twice in a queue nor gets lost.
//
// Invariant: a chunk with free pages has kToken, and one entry, held, queued or found by a scan.
#pragma once

#include "fathom/memory/loose_pages.hpp"

namespace fathom::memory {

struct ChunkUnits {
  static constexpr bool kPages = false;

  /// As PageUnits::fetch. Collective.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static PageRef fetch(const Heap& heap, std::uint32_t k, const G& group, bool mine) {
    PageRef page;
    while (group.ballot(mine && !page.found()) != 0) {
      const Party<G> party(group, mine && !page.found());
      // One entry serves all lanes, unless its chunk has too few pages for them.
      const bool draws = pages_of(k) < kFewPages ? party.joins() : party.leads();
      std::uint64_t entry = kEmpty;
      bool got = IndexQueue<Storage, Hooks>::dequeue(heap, heap.queue(k), group, draws, entry);
      if (group.ballot(got) == 0) {
        if (party.leads()) got = draw_loose<Hooks>(heap, k, entry);
        if (group.ballot(got) == 0) {
          Hooks::pause();
          continue;
        }
      }
      bool left = false;
      if (pages_of(k) < kFewPages) {
        const OneLane alone;
        if (got) left = share<Hooks>(heap, k, alone, Party<OneLane>(alone, true), entry, page);
      } else {
        left = share<Hooks>(heap, k, group, party, entry, page);
      }
      list<Storage, Hooks>(heap, k, group, left, entry);
    }
    return page;
  }

  /// As PageUnits::list_new. Collective.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static void list_new(const Heap& heap, std::uint32_t k, const G& group,
                                 std::uint32_t chunk, std::uint32_t first) {
    const Party<G> all(group, true);
    std::uint64_t entry = kEmpty;
    if (all.leads()) {
      for (std::uint32_t w = 0; w < kBitWords; ++w)
        heap.bits(chunk, w).store(bits_from(first, pages_of(k), w), Order::Release);
      entry =
          make_entry(generation_of(heap.state(chunk).fetch_or(kToken, Order::AcqRel)), chunk, 0);
    }
    list<Storage, Hooks>(heap, k, group, all.leads(), entry);
  }

  /// As PageUnits::put_back. Collective.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static void put_back(const Heap& heap, std::uint32_t k, const G& group, bool mine,
                                 PageRef page) {
    if (mine) LoosePages<Hooks>::mark_free(heap, page.chunk, page.page);
    publish_writes();  // those of a lane whose page another one counts, which may free the chunk
    Hooks::mark(Point::State);
    Freed freed;
    const auto step = [&](const auto& party) {
      if (party.leads()) freed = add_free<Hooks>(heap, page.chunk, party.count());
    };
    if (pages_of(k) < kFewPages) {
      if (mine) freed = add_free<Hooks>(heap, page.chunk, 1);
    } else {
      for_keys_apart(group, mine, page.chunk, step);
    }
    list<Storage, Hooks>(heap, k, group, freed.owes_entry, freed.entry);
    ChunkPool<Hooks>::Queue::enqueue(heap, heap.idle(level_of(k)), group, freed.idle, page.chunk);
  }

  /// An entry per chunk: what is stale is never worth looking for.
  template <class Storage, class Hooks>
  FATHOM_HD static bool drop_stale(const Heap&, std::uint32_t) {
    return false;
  }

  /// As PageUnits::drop_all_stale. One thread.
  template <class Storage, class Hooks>
  FATHOM_HD static void drop_all_stale(const Heap& heap, std::uint32_t k) {
    const QueueRef q = heap.queue(k);
    const std::uint64_t end = q.control->back.load();
    while (q.control->front.load() < end) {
      std::uint64_t entry = kEmpty;
      if (!IndexQueue<Storage, Hooks>::dequeue(heap, q, OneLane{}, true, entry))
        Hooks::pause();
      else if (names(entry, k, heap.state(chunk_of(entry)).load(Order::Acquire)))
        list<Storage, Hooks>(heap, k, OneLane{}, true, entry);
    }
  }

 private:
  static constexpr std::uint32_t kFewPages = 16;
  struct Freed {
    std::uint64_t entry = kEmpty;
    bool owes_entry = false, idle = false;
  };

  /// The free pages of the drawn chunk for the members of the party, as far as they go; whether
  /// some are left, so that the leader has to put the entry back. Collective.
  template <class Hooks, LaneGroup G>
  FATHOM_HD static bool share(const Heap& heap, std::uint32_t k, const G&, const Party<G>& party,
                              std::uint64_t entry, PageRef& page) {
    std::uint32_t claimed = 0;
    bool left = false;
    if (party.leads())
      claimed = LoosePages<Hooks>::claim(heap, k, chunk_of(entry), entry >> (64 - kGenerationBits),
                                         party.count(), true, left);
    claimed = party.from_leader(claimed);
    entry = party.from_leader(entry);
    for (std::uint32_t found = 0; found < claimed;)
      found +=
          LoosePages<Hooks>::pick(heap, party, k, chunk_of(entry), found, claimed - found, page);
    return left;
  }

  /// Queues the entry of each lane that passes `mine`, or leaves its chunk to a scan. Collective.
  template <class Storage, class Hooks, LaneGroup G>
  FATHOM_HD static void list(const Heap& heap, std::uint32_t k, const G& group, bool mine,
                             std::uint64_t entry) {
    if (!IndexQueue<Storage, Hooks>::enqueue(heap, heap.queue(k), group, mine, entry) && mine)
      LoosePages<Hooks>::add(heap, k, chunk_of(entry), entry >> (64 - kGenerationBits));
  }

  template <class Hooks>
  FATHOM_HD static bool draw_loose(const Heap& heap, std::uint32_t k, std::uint64_t& entry) {
    std::uint64_t generation = 0;
    const std::uint32_t chunk = LoosePages<Hooks>::find(heap, k, generation);
    if (chunk != kNone32) entry = make_entry(generation, chunk, 0);
    return chunk != kNone32;
  }

  template <class Hooks>
  FATHOM_HD static Freed add_free(const Heap& heap, std::uint32_t chunk, std::uint32_t n) {
    Freed freed;
    std::uint64_t s = heap.state(chunk).load();
    while (!heap.state(chunk).compare_exchange(s, (s - n) | kToken)) {
    }
    freed.owes_entry = !(s & kToken);
    freed.entry = make_entry(generation_of(s), chunk, 0);
    freed.idle = ChunkPool<Hooks>::becomes_idle(heap, chunk, (s - n) | kToken);
    return freed;
  }

  /// Word w of a bit map in which pages [first, end) are free.
  FATHOM_HD static std::uint64_t bits_from(std::uint32_t first, std::uint32_t end,
                                           std::uint32_t w) {
    std::uint64_t bits = 0;
    for (std::uint32_t i = first > w * 64 ? first : w * 64; i < end && i < (w + 1) * 64; ++i)
      bits |= std::uint64_t{1} << i % 64;
    return bits;
  }
};

}  // namespace fathom::memory
