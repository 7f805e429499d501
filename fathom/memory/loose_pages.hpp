// Free pages marked in the bit maps of their chunks, and the chunks that only a scan finds because
// no queue had room for them. So a page is never lost, whatever is full: what a queue cannot take
// stays in its chunk.
#pragma once

#include "fathom/memory/chunk_pool.hpp"

namespace fathom::memory {

template <class Hooks>
struct LoosePages {
  FATHOM_HD static void mark_free(const Heap& heap, std::uint32_t chunk, std::uint32_t page) {
    heap.bits(chunk, page / 64).fetch_or(std::uint64_t{1} << page % 64, Order::Release);
  }

  /// Up to n pages of a chunk whose free pages are marked: one for each of the first members of the
  /// party. The pages must be claimed already, and no more than `n` of them are marked for others.
  /// Returns how many were found in one walk over the bit map. Collective.
  template <LaneGroup G>
  FATHOM_HD static std::uint32_t pick(const Heap& heap, const Party<G>& party,
                                      std::uint32_t size_class, std::uint32_t chunk,
                                      std::uint32_t skip, std::uint32_t n, PageRef& mine) {
    const std::uint32_t words = (pages_of(size_class) + 63) / 64;
    std::uint32_t found = 0;
    for (std::uint32_t w = 0; w < words && found < n; ++w) {
      std::uint64_t got = 0;
      if (party.leads()) got = take_bits(heap, chunk, w, n - found);
      got = party.from_leader(got);
      const std::uint32_t here = count_bits(got), index = party.index();
      if (party.joins() && index >= skip + found && index < skip + found + here)
        mine = {chunk, w * 64 + nth_bit(got, index - skip - found)};
      found += here;
    }
    return found;
  }

  /// Says that only a scan finds the chunk's pages from now on; nothing if it has left its class.
  /// Writes even when it was said before: a scan that then clears it sees the pages marked first.
  FATHOM_HD static void add(const Heap& heap, std::uint32_t size_class, std::uint32_t chunk,
                            std::uint64_t generation) {
    std::uint64_t s = heap.state(chunk).load();
    const std::uint64_t entry = make_entry(generation, chunk, 0);
    while (names(entry, size_class, s))
      if (heap.state(chunk).compare_exchange(s, s | kLoose)) {
        if (!(s & kLoose)) Tally(heap.size_class(size_class).loose).add(1);
        return;
      }
  }

  /// A chunk of the class with loose pages, found by a scan; the caller has it from now on.
  FATHOM_HD static std::uint32_t find(const Heap& heap, std::uint32_t size_class,
                                      std::uint64_t& generation) {
    ClassControl& control = heap.size_class(size_class);
    if (Tally(control.loose).value() <= 0) return kNone32;
    const std::uint32_t end = heap.chunks_taken();
    const std::uint64_t start = control.cursor.load();
    for (std::uint32_t i = 0; i < end; ++i) {
      const auto chunk = static_cast<std::uint32_t>((start + i) % end);
      std::uint64_t s = heap.state(chunk).load(Order::Acquire);
      while (kind_of(s) == ChunkKind::Pages && class_in(s) == size_class && (s & kLoose)) {
        if (!heap.state(chunk).compare_exchange(s, s & ~kLoose)) continue;
        Tally(control.loose).add(~std::uint64_t{0});
        control.cursor.atomic().store(chunk);
        generation = generation_of(s);
        return chunk;
      }
    }
    return kNone32;
  }

  /// The next scan begins behind this chunk.
  FATHOM_HD static void pass(const Heap& heap, std::uint32_t size_class, std::uint32_t chunk) {
    heap.size_class(size_class).cursor.atomic().store(std::uint64_t{chunk} + 1);
  }

  /// Holds up to n further pages while the chunk is of the class and of `generation`; says by
  /// how many, and whether pages are left. With `token` its right to be found goes with the last
  /// page.
  FATHOM_HD static std::uint32_t claim(const Heap& heap, std::uint32_t size_class,
                                       std::uint32_t chunk, std::uint64_t generation,
                                       std::uint32_t n, bool token, bool& pages_left) {
    pages_left = false;
    std::uint64_t s = heap.state(chunk).load(Order::Acquire);
    for (;;) {
      Hooks::mark(Point::State);
      if (!names(make_entry(generation, chunk, 0), size_class, s)) return 0;
      const std::uint32_t free = free_of(s), got = free < n ? free : n;
      std::uint64_t next = s + got;
      if (token && got == free) next &= ~kToken;
      if (next == s) return 0;
      if (heap.state(chunk).compare_exchange(s, next)) {
        pages_left = free > got;
        return got;
      }
    }
  }

 private:
  FATHOM_HD static std::uint64_t take_bits(const Heap& heap, std::uint32_t chunk, std::uint32_t w,
                                           std::uint32_t n) {
    const auto word = heap.bits(chunk, w);
    const std::uint64_t seen = word.load(Order::Acquire);
    if (seen == 0) return 0;
    std::uint64_t rest = seen;
    for (std::uint32_t i = 0; i < n && rest != 0; ++i) rest &= rest - 1;
    const std::uint64_t chosen = seen & ~rest;
    return word.fetch_and(~chosen, Order::AcqRel) & chosen;
  }
};

}  // namespace fathom::memory
