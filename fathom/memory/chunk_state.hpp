// One word of metadata per chunk, changed atomically as a whole:
//   63.....35 34...32 31..29 28..24 23..0
//   generation flags   kind   class  held
// Invariants: of a chunk of pages at most `held` pages are somebody's; it leaves its class only
// while that is 0, and then gets a new generation, so that queue entries of the old one can be
// told.
//
// Whoever has drawn the entry of a page adds to `held`, and what was there before says whether the
// chunk had left meanwhile: then the addition, to a use of the chunk that has nothing to do with
// it, is taken back. So `held` may be too large for a moment, by as many pages as threads are just
// taking (2^24 are more than a GPU has), and other fields are changed by operations that keep it.
//
// Generations come round: after 2^29 uses, minutes where two classes take a chunk from each other.
// An entry of a class that nobody asks for may wait longer. So who makes a chunk one of pages with
// the first generation of either half looks through the queues of its level, and drops what names a
// past generation of any chunk: an entry, and a thread that has drawn one, would have to outlast
// half of all generations to be taken for one of now.
#pragma once

#include "fathom/memory/size_classes.hpp"
#include "fathom/memory/word.hpp"

namespace fathom::memory {

enum class ChunkKind : std::uint32_t {
  Untouched = 0,  // never handed out
  Free = 1,       // in the queue of free chunks
  Pages = 2,      // split into the pages of a class
  Queue = 3,      // holds entries of a virtualised queue
  Part = 4,       // a further unit of a larger chunk, `held` units behind its first
};

// Token: someone (a queue, a thread, or a scan by Loose) has the right to find this chunk's free
// pages (chunk units). Loose: only a scan finds them, no queue had room. Idle: in the queue of
// idle chunks though still of a class, since all its pages were free.
inline constexpr std::uint64_t kToken = std::uint64_t{1} << 32, kLoose = std::uint64_t{1} << 33,
                               kIdle = std::uint64_t{1} << 34;

// 26 bits of an entry number the chunks of 512 GiB, 9 the pages of a chunk.
inline constexpr std::uint32_t kGenerationBits = 29;

inline constexpr std::uint64_t kHeldBits = 0xffffff;  // the bits of `held`

FATHOM_HD constexpr std::uint32_t held_of(std::uint64_t state) {
  return static_cast<std::uint32_t>(state & kHeldBits);
}
FATHOM_HD constexpr std::uint32_t class_in(std::uint64_t state) {
  return static_cast<std::uint32_t>(state >> 24 & 0x1f);
}
FATHOM_HD constexpr ChunkKind kind_of(std::uint64_t state) {
  return static_cast<ChunkKind>(state >> 29 & 0x7);
}
/// Of a chunk of pages: how many nobody holds.
FATHOM_HD constexpr std::uint32_t free_of(std::uint64_t state) {
  const std::uint32_t all = pages_of(class_in(state)), held = held_of(state);
  return held < all ? all - held : 0;
}
FATHOM_HD constexpr std::uint64_t generation_of(std::uint64_t state) {
  return state >> (64 - kGenerationBits);
}
FATHOM_HD constexpr std::uint64_t make_state(std::uint64_t generation, ChunkKind kind,
                                             std::uint32_t size_class, std::uint32_t held) {
  return generation << (64 - kGenerationBits) | static_cast<std::uint64_t>(kind) << 29 |
         std::uint64_t{size_class} << 24 | held;
}

/// The generation of a chunk that is handed out with this state. An untouched one's is 1: the first
/// of a half is left to those that come round.
FATHOM_HD constexpr std::uint64_t generation_to_use(std::uint64_t state) {
  return kind_of(state) == ChunkKind::Untouched ? generation_of(state) + 1 : generation_of(state);
}
template <class Hooks>
FATHOM_HD constexpr std::uint64_t next_generation(std::uint64_t generation) {
  static_assert(Hooks::kGenerations % 2 == 0 && Hooks::kGenerations < 1u << kGenerationBits);
  return generation + 1 < Hooks::kGenerations ? generation + 1 : 0;
}
/// Whether entries of before have to be dropped now.
template <class Hooks>
FATHOM_HD constexpr bool begins_a_half(std::uint64_t generation) {
  return generation == 0 || generation == Hooks::kGenerations / 2;
}

// A queue entry: generation | chunk | page. Never kEmpty: no generation is all ones.
FATHOM_HD constexpr std::uint64_t make_entry(std::uint64_t generation, std::uint32_t chunk,
                                             std::uint32_t page) {
  return generation << (64 - kGenerationBits) | std::uint64_t{chunk} << 9 | page;
}
FATHOM_HD constexpr std::uint32_t chunk_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> 9 & 0x3ffffff);
}
FATHOM_HD constexpr std::uint32_t page_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry & 0x1ff);
}
/// Whether an entry of class k stands for a chunk with this state, or a page of it.
FATHOM_HD constexpr bool names(std::uint64_t entry, std::uint32_t k, std::uint64_t state) {
  return generation_of(state) == entry >> (64 - kGenerationBits) &&
         kind_of(state) == ChunkKind::Pages && class_in(state) == k;
}

}  // namespace fathom::memory
