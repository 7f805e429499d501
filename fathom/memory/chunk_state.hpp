// One word of metadata per chunk, changed atomically as a whole:
//   63.....41 40......36 35....32 31..24 23....16 15...0
//   generation    -       flags    kind   class   free
// Invariants: a chunk of pages has `free` pages that nobody holds; it leaves its class only while
// all are free, and then gets a new generation, so that queue entries of the old one can be told.
#pragma once

#include "fathom/memory/word.hpp"

namespace fathom::memory {

enum class ChunkKind : std::uint32_t {
  Untouched = 0,  // never handed out
  Free = 1,       // in the queue of free chunks
  Pages = 2,      // split into the pages of a class
  Queue = 3,      // holds entries of a virtualised queue
  Part = 4,       // a further unit of a larger chunk, `free` units behind its first
};

// Token: someone (a queue, a thread, or a scan by Loose) has the right to find this chunk's free
// pages (chunk units). Loose: only a scan finds them, no queue had room. Idle: in the queue of
// idle chunks though still of a class, since all its pages were free.
inline constexpr std::uint64_t kToken = std::uint64_t{1} << 32, kLoose = std::uint64_t{1} << 33,
                               kIdle = std::uint64_t{1} << 34;

inline constexpr std::uint32_t kGenerationBits = 23;

FATHOM_HD constexpr std::uint32_t free_of(std::uint64_t state) {
  return static_cast<std::uint32_t>(state & 0xffff);
}
FATHOM_HD constexpr std::uint32_t class_in(std::uint64_t state) {
  return static_cast<std::uint32_t>(state >> 16 & 0xff);
}
FATHOM_HD constexpr ChunkKind kind_of(std::uint64_t state) {
  return static_cast<ChunkKind>(state >> 24 & 0xff);
}
FATHOM_HD constexpr std::uint64_t generation_of(std::uint64_t state) {
  return state >> (64 - kGenerationBits);
}
FATHOM_HD constexpr std::uint64_t make_state(std::uint64_t generation, ChunkKind kind,
                                             std::uint32_t size_class, std::uint32_t free,
                                             std::uint64_t flags = 0) {
  return generation << (64 - kGenerationBits) | flags | static_cast<std::uint64_t>(kind) << 24 |
         std::uint64_t{size_class} << 16 | free;
}

// A queue entry: generation | chunk | page. Never kEmpty: chunk ids stay below 2^32 - 1.
FATHOM_HD constexpr std::uint64_t make_entry(std::uint64_t generation, std::uint32_t chunk,
                                             std::uint32_t page) {
  return generation << (64 - kGenerationBits) | std::uint64_t{chunk} << 9 | page;
}
FATHOM_HD constexpr std::uint32_t chunk_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> 9);
}
FATHOM_HD constexpr std::uint32_t page_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry & 0x1ff);
}

}  // namespace fathom::memory
