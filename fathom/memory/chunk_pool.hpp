// Chunk pool: hands out chunks of each level, those that were given back first, then fresh ones
// from the end of the data towards its front.
//
// A chunk of pages whose pages are all free is listed as idle while its class may still take pages
// of it; whoever draws it there takes it over only if they are still all free, and can be taken out
// of the class's count. So warm classes keep their chunks, and any class, or a queue, gets the
// chunk that another one does not need. Where a class is warm most of what is listed is in use
// again: fresh chunks come before a long search, and a search before the answer that there are
// none.
#pragma once

#include "fathom/memory/array_storage.hpp"
#include "fathom/memory/index_queue.hpp"

namespace fathom::memory {

template <class Hooks>
struct ChunkPool {
  using Queue = IndexQueue<ArrayStorage, Hooks>;

  /// One chunk for each lane that passes `mine`, kNone32 where there is none; its state keeps the
  /// generation of its next use. Collective.
  template <LaneGroup G>
  FATHOM_HD static std::uint32_t take(const Heap& heap, const G& group, std::uint32_t level,
                                      bool mine) {
    const bool wants = mine && Hooks::grants_chunk();
    std::uint32_t chunk = kNone32;
    if (level == 0) {
      std::uint64_t drawn = kEmpty;
      if (Queue::dequeue(heap, heap.free_chunks(), group, wants, drawn))
        chunk = static_cast<std::uint32_t>(drawn);
    }
    draw_idle(heap, group, level, wants, kFewDraws, chunk);
    const Party<G> party(group, wants && chunk == kNone32);
    if (!party.any()) return chunk;
    Fresh fresh;
    if (party.leads()) fresh = take_fresh(heap, party.count(), units_of(level));
    fresh = party.from_leader(fresh);
    if (party.joins() && party.index() < fresh.chunks)
      chunk = fresh.first + party.index() * units_of(level);
    draw_idle(heap, group, level, wants, ~std::uint32_t{0}, chunk);
    return chunk;
  }

  /// Gives back a chunk of level 0, to which nothing refers any more, of each lane that passes
  /// `mine`. Collective.
  template <LaneGroup G>
  FATHOM_HD static void give(const Heap& heap, const G& group, bool mine, std::uint32_t chunk) {
    if (mine) {
      const std::uint64_t s = heap.state(chunk).load();  // of a generation that no entry names
      heap.change_use(chunk, make_state(generation_of(s), ChunkKind::Free, 0, 0));
    }
    Queue::enqueue(heap, heap.free_chunks(), group, mine, chunk);
  }

  /// Says that a chunk is idle when `state`, which it had, says that all its pages are free.
  /// Returns whether the caller has to put it into the queue of idle chunks of its level.
  FATHOM_HD static bool becomes_idle(const Heap& heap, std::uint32_t chunk, std::uint64_t state) {
    const std::uint64_t generation = generation_of(state);
    while (held_of(state) == 0 && generation_of(state) == generation && !(state & kIdle) &&
           kind_of(state) == ChunkKind::Pages)
      if (heap.state(chunk).compare_exchange(state, state | kIdle)) return true;
    return false;
  }

  /// Moves the front, which belongs to the owner, to `units` from the base; false when chunks, or
  /// memory that is not there, are in the way.
  FATHOM_HD static bool set_front(const Heap& heap, std::uint32_t units) {
    Control& control = heap.control();
    for (;;) {
      std::uint64_t bounds = settled_bounds(heap);
      const std::uint64_t chunks = bounds & 0xffffffff;
      if (units > (control.limits.load() >> 32) || units + chunks > heap.layout.units) return false;
      Hooks::mark(Point::Chunk);
      if (control.bounds.atomic().compare_exchange(bounds, std::uint64_t{units} << 32 | chunks))
        return true;
    }
  }

 private:
  enum class Drawn { Taken, Dropped, NotYet };
  struct Fresh {
    std::uint32_t first = 0, chunks = 0;
  };
  static constexpr std::uint32_t kMostMisses = 16;  // then others hold what is still free
  static constexpr std::uint32_t kFewDraws = 8;

  /// Chunks that are still idle for lanes that have none yet, in so many draws. Collective.
  template <LaneGroup G>
  FATHOM_HD static void draw_idle(const Heap& heap, const G& group, std::uint32_t level, bool mine,
                                  std::uint32_t draws, std::uint32_t& chunk) {
    const QueueRef idle = heap.idle(level);
    for (std::uint32_t misses = 0; misses < kMostMisses && draws > 0; --draws) {
      std::uint64_t drawn = kEmpty;
      const bool got = Queue::dequeue(heap, idle, group, mine && chunk == kNone32, drawn);
      if (group.ballot(got) == 0) return;
      Drawn what = Drawn::Dropped;
      if (got) what = claim(heap, level, static_cast<std::uint32_t>(drawn));
      if (what == Drawn::Taken) chunk = static_cast<std::uint32_t>(drawn);
      Queue::enqueue(heap, idle, group, what == Drawn::NotYet, drawn);
      if (group.ballot(what == Drawn::NotYet) != 0) ++misses;
    }
  }

  FATHOM_HD static Drawn claim(const Heap& heap, std::uint32_t level, std::uint32_t chunk) {
    const auto state = heap.state(chunk);
    std::uint64_t s = state.load(Order::Acquire);
    Hooks::mark(Point::Chunk);
    const std::uint32_t k = class_in(s), all = pages_of(k);
    const BulkSemaphore<Hooks> pages(heap.size_class(k).pages);
    for (;;) {
      if (held_of(s) > 0) {
        if (state.compare_exchange(s, s & ~kIdle)) return Drawn::Dropped;
        continue;
      }
      if (!pages.try_take(all)) return Drawn::NotYet;
      while (held_of(s) == 0) {
        const std::uint64_t next = next_generation<Hooks>(generation_of(s));
        if (!state.compare_exchange(s, make_state(next, ChunkKind::Free, level, 0))) continue;
        if (s & kLoose) Tally(heap.size_class(k).loose).add(~std::uint64_t{0});
        Tally(heap.size_class(k).stale).add(all - clear_bits(heap, chunk));
        return Drawn::Taken;
      }
      pages.signal(all);
    }
  }

  /// Returns how many bits were set.
  FATHOM_HD static std::uint32_t clear_bits(const Heap& heap, std::uint32_t chunk) {
    std::uint32_t count = 0;
    for (std::uint32_t word = 0; word < kBitWords; ++word) {
      const std::uint64_t bits = heap.bits(chunk, word).load(Order::Acquire);
      if (bits != 0) heap.bits(chunk, word).store(0);
      count += count_bits(bits);
    }
    return count;
  }

  /// By one addition where much is left: no retries, of which thousands at once would each cost the
  /// others one. Near the end by compare-and-swap.
  ///
  /// The addition that passes the end is undone by its thread, which puts back the value it found.
  /// Others may have added on top of it; they found themselves behind the end, and what they added
  /// goes with it. Were each to subtract its own, one could do so from below another's, and units
  /// would be handed out a second time. Until then nobody knows what is left, and everybody waits.
  FATHOM_HD static Fresh take_fresh(const Heap& heap, std::uint32_t wanted, std::uint32_t units) {
    const auto bounds = heap.control().bounds.atomic();
    for (;;) {
      std::uint64_t seen = settled_bounds(heap);
      const std::uint64_t room = end_in(heap, seen) - (seen & 0xffffffff);
      const auto chunks = static_cast<std::uint32_t>(room / units < wanted ? room / units : wanted);
      if (chunks == 0) return {};
      const std::uint64_t taken = std::uint64_t{chunks} * units;
      Hooks::mark(Point::Chunk);
      if (room > heap.layout.units / 8 && room > 4 * taken) {
        seen = bounds.fetch_add(taken, Order::AcqRel);
        const std::uint64_t end = end_in(heap, seen), first = seen & 0xffffffff;
        if (first + taken <= end) return {static_cast<std::uint32_t>(first), chunks};
        Hooks::mark(Point::Chunk);
        if (first > end) continue;
        for (std::uint64_t now = bounds.load(); !bounds.compare_exchange(now, seen);)
          Hooks::mark(Point::Chunk);
      } else if (bounds.compare_exchange(seen, seen + taken)) {
        return {static_cast<std::uint32_t>(seen), chunks};
      }
    }
  }

  /// The units taken, once nobody is behind their end. The front stays where it is until then.
  FATHOM_HD static std::uint64_t settled_bounds(const Heap& heap) {
    std::uint64_t bounds = heap.control().bounds.load();
    while ((bounds & 0xffffffff) > end_in(heap, bounds)) {
      Hooks::pause();
      bounds = heap.control().bounds.load();
    }
    return bounds;
  }

  /// How many units chunks may take. Positions of threads behind it stay far below 2^32.
  FATHOM_HD static std::uint64_t end_in(const Heap& heap, std::uint64_t bounds) {
    const std::uint64_t front = bounds >> 32;
    const std::uint64_t limit = heap.control().limits.load() & 0xffffffff;
    return limit < heap.layout.units - front ? limit : heap.layout.units - front;
  }
};

}  // namespace fathom::memory
