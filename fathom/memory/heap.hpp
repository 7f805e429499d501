// Heap: where everything of one region lies. Chunk i is the i-th from the end of the data, so that
// the front stays linearly addressable for an owner, who grows against the chunks, and so that a
// larger or smaller region can take the data over without renaming anything.
//
//   base ....................................... data end
//   | front ->        free        <- chunks 2, 1, 0 | control, states, tags, bits, live, rings
//
// Copied by value; every method may run on the host or on the device that the region belongs to.
#pragma once

#include "fathom/memory/bulk_semaphore.hpp"
#include "fathom/memory/chunk_state.hpp"
#include "fathom/memory/size_classes.hpp"

namespace fathom::memory {

/// The moving parts of one index queue. Positions only ever grow; a ring takes them modulo its
/// capacity. Invariant, quiescent: queued = back - front.
struct QueueControl {
  SemaphoreWords room;  // slots that may be written
  Word queued;          // tally: entries that may be read
  Word back, front;     // the next position to write, to read
  Word attached;        // virtualised queues: chunks attached so far
  Word spots;           // array hierarchy: tally of free slots of its directory
  Word head;            // linked chunks: the oldest, as index << 32 | chunk
};

struct ClassControl {
  SemaphoreWords pages;  // free pages, wherever they are listed
  QueueControl queue;
  Word loose;   // tally: chunks that only a scan finds
  Word cursor;  // where the scan goes on
  Word stale;   // tally: page entries queued whose chunk has left the class
};

struct Control {
  Word bounds;  // units taken: front << 32 | chunks
  Word limits;  // units that have memory, from either end: front << 32 | chunks
  Word faults;  // checked builds: double frees << 32 | foreign pointers
  ClassControl classes[kClasses];
  QueueControl idle[kLevels];
  QueueControl free_chunks;
};

/// A queue and the slots (of a directory: slots that hold chunks) it was given.
struct QueueRef {
  QueueControl* control;
  std::uint64_t* slots;
  std::uint64_t capacity;  // a power of two, or 0
};

/// Offsets in bytes from the base of the region.
struct Layout {
  std::uint64_t units = 0;  // of data, from the base on
  std::uint64_t control = 0, states = 0, tags = 0, bits = 0, live = 0, bytes = 0;
  std::uint64_t ring[kRings] = {};           // 0: none
  std::uint64_t ring_capacity[kRings] = {};  // slots
};

/// Words of a chunk's bit map: one bit per page.
inline constexpr std::uint32_t kBitWords = kMostPages / 64;

struct Heap {
  std::byte* base = nullptr;
  Layout layout;

  template <class T>
  FATHOM_HD T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(base + offset);
  }
  FATHOM_HD Control& control() const { return *at<Control>(layout.control); }
  FATHOM_HD ClassControl& size_class(std::uint32_t k) const { return control().classes[k]; }
  FATHOM_HD std::byte* data_end() const { return base + layout.units * kChunkBytes; }

  FATHOM_HD AtomicRef<std::uint64_t> state(std::uint32_t chunk) const {
    return AtomicRef<std::uint64_t>(at<std::uint64_t>(layout.states)[chunk]);
  }
  /// Another use for a chunk that is the caller's alone. By an addition, so that what others count
  /// for a moment is not lost.
  FATHOM_HD void change_use(std::uint32_t chunk, std::uint64_t next) const {
    state(chunk).fetch_add(next - (state(chunk).load() & ~kHeldBits), Order::Release);
  }
  /// Linked queues: which queue and index the chunk has; outlives every use of the chunk's data.
  FATHOM_HD AtomicRef<std::uint64_t> tag(std::uint32_t chunk) const {
    return AtomicRef<std::uint64_t>(at<std::uint64_t>(layout.tags)[chunk]);
  }
  /// Page chunks: 1 for a free page that no page entry stands for. Queue chunks: word 0 counts the
  /// entries taken, word 1 links to the next.
  FATHOM_HD AtomicRef<std::uint64_t> bits(std::uint32_t chunk, std::uint32_t word) const {
    return AtomicRef<std::uint64_t>(
        at<std::uint64_t>(layout.bits)[std::uint64_t{chunk} * kBitWords + word]);
  }
  /// Checked builds: 1 for a page that a caller holds.
  FATHOM_HD AtomicRef<std::uint64_t> live(std::uint32_t chunk, std::uint32_t word) const {
    return AtomicRef<std::uint64_t>(
        at<std::uint64_t>(layout.live)[std::uint64_t{chunk} * kBitWords + word]);
  }

  FATHOM_HD QueueRef queue(std::uint32_t k) const {
    return {&size_class(k).queue, at<std::uint64_t>(layout.ring[k]), layout.ring_capacity[k]};
  }
  /// Chunks of a level that were all free when they were put here, and may be in use again.
  FATHOM_HD QueueRef idle(std::uint32_t level) const {
    return {&control().idle[level], at<std::uint64_t>(layout.ring[kClasses + level]),
            layout.ring_capacity[kClasses + level]};
  }
  /// Chunks of level 0 that belong to nobody.
  FATHOM_HD QueueRef free_chunks() const {
    return {&control().free_chunks, at<std::uint64_t>(layout.ring[kRings - 1]),
            layout.ring_capacity[kRings - 1]};
  }

  /// The first byte of a chunk of `units` units, the first of which is unit `chunk` from the end.
  FATHOM_HD std::byte* chunk_data(std::uint32_t chunk, std::uint32_t units) const {
    return data_end() - (std::uint64_t{chunk} + units) * kChunkBytes;
  }
  FATHOM_HD std::byte* page_data(std::uint32_t k, std::uint32_t chunk, std::uint32_t page) const {
    return chunk_data(chunk, units_of(level_of(k))) + page * page_bytes(k);
  }
  /// Units at the end of the data that were ever handed out. The word counts more for a moment when
  /// threads ask for more than there is.
  FATHOM_HD std::uint32_t chunks_taken() const {
    const auto taken = static_cast<std::uint32_t>(control().bounds.load());
    return taken < layout.units ? taken : static_cast<std::uint32_t>(layout.units);
  }
};

/// A page by its chunk; chunk is kNone32 where there is none.
struct PageRef {
  std::uint32_t chunk = kNone32;
  std::uint32_t page = 0;
  FATHOM_HD bool found() const { return chunk != kNone32; }
};

}  // namespace fathom::memory
