// What a quiescent heap holds, and whether all its invariants hold. One thread, on whichever side
// the memory is; O(units of data + queued entries).
#pragma once

#include "fathom/memory/ouroboros.hpp"

namespace fathom::memory {

struct Stats {
  std::uint64_t bytes_live = 0;      // of pages that callers hold
  std::uint64_t bytes_reserved = 0;  // of chunks taken so far, whatever they are used for
  std::uint64_t bytes_front = 0;     // the owner's
  std::uint64_t bytes_data = 0;      // that have memory, front included
  std::uint64_t bytes_fixed = 0;     // metadata and rings
  std::uint64_t pages_free[kClasses] = {};
  std::uint64_t chunks_free = 0, chunks_pages = 0, chunks_queue = 0;
  std::uint64_t chunks_idle = 0;  // of chunks_pages: all their pages are free
  std::uint64_t double_frees = 0, foreign_frees = 0;
  /// Share of the bytes of page chunks in use that nobody holds.
  double fragmentation = 0;
};

template <class Manager>
FATHOM_HD Stats stats(const Manager& manager) {
  const Heap& heap = manager.heap();
  Stats s;
  std::uint64_t in_use = 0;
  const std::uint32_t taken = heap.chunks_taken();
  for (std::uint32_t i = 0; i < taken; ++i) {
    const std::uint64_t state = heap.state(i).load();
    const std::uint32_t k = class_in(state), all = pages_of(k);
    if (kind_of(state) == ChunkKind::Free) ++s.chunks_free;
    if (kind_of(state) == ChunkKind::Queue) ++s.chunks_queue;
    if (kind_of(state) != ChunkKind::Pages) continue;
    ++s.chunks_pages;
    s.pages_free[k] += free_of(state);
    s.bytes_live += (all - free_of(state)) * page_bytes(k);
    if (free_of(state) == all)
      ++s.chunks_idle;
    else
      in_use += all * page_bytes(k);
  }
  s.bytes_reserved = taken * kChunkBytes;
  s.bytes_front = manager.front_bytes();
  const std::uint64_t limits = heap.control().limits.load();
  s.bytes_data = ((limits >> 32) + (limits & 0xffffffff)) * kChunkBytes;
  if (s.bytes_data > heap.layout.units * kChunkBytes)
    s.bytes_data = heap.layout.units * kChunkBytes;
  s.bytes_fixed = heap.layout.bytes - heap.layout.units * kChunkBytes;
  s.double_frees = heap.control().faults.load() >> 32;
  s.foreign_frees = heap.control().faults.load() & 0xffffffff;
  if (in_use > 0)
    s.fragmentation = 1 - static_cast<double>(s.bytes_live) / static_cast<double>(in_use);
  return s;
}

/// The invariant that does not hold.
enum class Broken : std::uint32_t {
  None,
  Bounds,       // front, chunks and limits do not fit together
  Fresh,        // a unit that was never handed out has been used
  Parts,        // a unit inside a larger chunk does not lead to its first
  Count,        // a class's semaphore does not count its free pages, or has someone waiting
  Bits,         // a bit map and a free count disagree
  Token,        // a chunk with free pages has no entry, or one without has
  Idle,         // a chunk of free pages is not listed for reuse
  Loose,        // chunks that only a scan finds are miscounted
  Queued,       // a queue's counters disagree, or a slot in use is empty
  Entries,      // entries do not stand for exactly the free pages, or chunks
  Room,         // free slots are miscounted
  QueueChunks,  // chunks that hold slots are miscounted
  Reuse,        // the queues of idle and of free chunks name others, or not all
  Live,         // checked builds: pages held are miscounted, listed as free, or listed twice
};

namespace detail {

template <class Manager>
class Inspector {
  using Small = typename Manager::Small;
  using Large = typename Manager::Large;
  static constexpr bool kUniform = std::is_same_v<Small, Large>;

 public:
  FATHOM_HD explicit Inspector(const Manager& manager) : heap_(manager.heap()) {}

  FATHOM_HD Broken run() {
    Broken b = bounds();
    if (b == Broken::None) b = chunks();
    for (std::uint32_t k = 0; k < kClasses && b == Broken::None; ++k) {
      if constexpr (kUniform)
        b = queue_of<Small>(k);
      else
        b = level_of(k) == 0 ? queue_of<Small>(k) : queue_of<Large>(k);
    }
    for (std::uint32_t level = 0; level < kLevels && b == Broken::None; ++level)
      b = listed(heap_.idle(level), idle_[level], true);
    if (b == Broken::None) b = listed(heap_.free_chunks(), free_chunks_, false);
    if (b == Broken::None && queue_chunks_ != queue_chunks_found_) b = Broken::QueueChunks;
    return b;
  }

 private:
  struct PerClass {
    std::uint64_t free = 0, marked = 0, tokens = 0, loose = 0;
  };

  FATHOM_HD Broken bounds() const {
    const std::uint64_t bounds = heap_.control().bounds.load(),
                        limits = heap_.control().limits.load();
    const std::uint64_t front = bounds >> 32, chunks = bounds & 0xffffffff;
    if (front > limits >> 32 || chunks > (limits & 0xffffffff) ||
        front + chunks > heap_.layout.units)
      return Broken::Bounds;
    for (std::uint64_t i = chunks; i < heap_.layout.units; ++i)
      if (heap_.state(static_cast<std::uint32_t>(i)).load() != 0) return Broken::Fresh;
    return Broken::None;
  }

  FATHOM_HD Broken chunks() {
    for (std::uint32_t i = 0, step = 1; i < heap_.chunks_taken(); i += step) {
      const std::uint64_t s = heap_.state(i).load();
      const std::uint32_t k = class_in(s);
      step = 1;
      if (kind_of(s) == ChunkKind::Queue) ++queue_chunks_found_;
      if (kind_of(s) == ChunkKind::Free) ++free_chunks_;
      if (kind_of(s) != ChunkKind::Pages && held_of(s) != 0) return Broken::Bits;
      if (kind_of(s) == ChunkKind::Pages) {
        step = units_of(level_of(k));
        Broken b = Broken::None;
        if constexpr (kUniform)
          b = pages<Small>(i, s);
        else
          b = level_of(k) == 0 ? pages<Small>(i, s) : pages<Large>(i, s);
        if (b != Broken::None) return b;
      }
      for (std::uint32_t j = 1; j < step; ++j)
        if (kind_of(heap_.state(i + j).load()) != ChunkKind::Part ||
            held_of(heap_.state(i + j).load()) != j)
          return Broken::Parts;
    }
    return Broken::None;
  }

  template <class V>
  FATHOM_HD Broken pages(std::uint32_t chunk, std::uint64_t s) {
    const std::uint32_t k = class_in(s), free = free_of(s);
    if (held_of(s) > pages_of(k)) return Broken::Bits;
    PerClass& c = classes_[k];
    std::uint32_t marked = 0;
    for (std::uint32_t w = 0; w < kBitWords; ++w) marked += count_bits(heap_.bits(chunk, w).load());
    if (V::Units::kPages ? marked > free : marked != free) return Broken::Bits;
    if (!V::Units::kPages && ((s & kToken) != 0) != (free > 0)) return Broken::Token;
    if (free == pages_of(k) && !(s & kIdle)) return Broken::Idle;
    c.free += free;
    c.marked += marked;
    c.tokens += s & kToken ? 1 : 0;
    c.loose += s & kLoose ? 1 : 0;
    idle_[level_of(k)] += s & kIdle ? 1 : 0;
    if (V::Units::kPages && marked > 0 && !(s & kLoose)) return Broken::Loose;
    if constexpr (Manager::Hooks::kChecks) {
      std::uint32_t live = 0;
      for (std::uint32_t w = 0; w < kBitWords; ++w) {
        const std::uint64_t held = heap_.live(chunk, w).load();
        live += count_bits(held);
        if ((held & heap_.bits(chunk, w).load()) != 0) return Broken::Live;
      }
      if (live != pages_of(k) - free) return Broken::Live;
    }
    return Broken::None;
  }

  template <class V>
  FATHOM_HD Broken queue_of(std::uint32_t k) {
    ClassControl& c = heap_.size_class(k);
    const SemaphoreState have = BulkSemaphore<>(c.pages).state();
    const PerClass& expected = classes_[k];
    if (have.count != static_cast<std::int64_t>(expected.free) || have.expected || have.reserved)
      return Broken::Count;
    if (c.loose.load() != expected.loose) return Broken::Loose;
    const QueueRef q = heap_.queue(k);
    const std::uint64_t front = q.control->front.load(), back = q.control->back.load();
    if (q.control->queued.load() != back - front) return Broken::Queued;
    std::uint64_t valid = 0;
    for (std::uint64_t position = front; position < back; ++position) {
      const std::uint64_t entry = entry_at<V>(q, position);
      if (entry == kEmpty) return Broken::Queued;
      if (names(entry, k, heap_.state(chunk_of(entry)).load())) ++valid;
    }
    if constexpr (Manager::Hooks::kChecks && V::Units::kPages)
      if (!listed_once<V>(q, k)) return Broken::Live;
    if (valid !=
        (V::Units::kPages ? expected.free - expected.marked : expected.tokens - expected.loose))
      return Broken::Entries;
    if (V::Units::kPages && c.stale.load() != back - front - valid) return Broken::Entries;
    const SemaphoreState room = BulkSemaphore<>(q.control->room).state();
    const std::uint64_t attached = q.control->attached.load();
    const std::uint64_t slots = V::Storage::kBatch == 0 ? q.capacity - (back - front)
                                                        : attached * V::Storage::kBatch - back;
    if (room.count != static_cast<std::int64_t>(slots) || room.expected || room.reserved)
      return Broken::Room;
    if (V::Storage::kDirectory) queue_chunks_ += q.capacity - q.control->spots.load();
    if (V::Storage::kBatch > 0 && !V::Storage::kDirectory && attached > 0)
      queue_chunks_ += (attached - (q.control->head.load() >> 32)) & 0xffffffff;
    return Broken::None;
  }

  template <class V>
  FATHOM_HD std::uint64_t entry_at(const QueueRef& q, std::uint64_t position) const {
    using Hooks = typename Manager::Hooks;
    return AtomicRef<std::uint64_t>(V::Storage::template slot<Hooks>(heap_, q, position)).load();
  }

  /// Whether no page of class k is listed twice, or while it is held. Notes what it has met as
  /// held, and takes the notes back.
  template <class V>
  FATHOM_HD bool listed_once(const QueueRef& q, std::uint32_t k) const {
    const auto first = q.control->front.load(), back = q.control->back.load();
    const auto change = [&](std::uint64_t position, bool held) {
      const std::uint64_t entry = entry_at<V>(q, position);
      const std::uint32_t chunk = chunk_of(entry), page = page_of(entry);
      if (!names(entry, k, heap_.state(chunk).load())) return true;
      const auto word = heap_.live(chunk, page / 64);
      const std::uint64_t bit = std::uint64_t{1} << page % 64;
      if ((heap_.bits(chunk, page / 64).load() & bit) != 0) return false;
      return ((held ? word.fetch_or(bit) : word.fetch_and(~bit)) & bit) == 0;
    };
    std::uint64_t end = first;
    bool once = true;
    while (end < back && (once = change(end, true))) ++end;
    for (std::uint64_t position = first; position < end; ++position) change(position, false);
    return once;
  }

  FATHOM_HD Broken listed(const QueueRef& q, std::uint64_t count, bool idle) const {
    const std::uint64_t front = q.control->front.load(), back = q.control->back.load();
    if (q.control->queued.load() != back - front || back - front != count) return Broken::Reuse;
    for (std::uint64_t position = front; position < back; ++position) {
      const std::uint64_t chunk = q.slots[position & (q.capacity - 1)];
      if (chunk >= heap_.chunks_taken()) return Broken::Reuse;
      const std::uint64_t s = heap_.state(static_cast<std::uint32_t>(chunk)).load();
      if (idle ? !(s & kIdle) : kind_of(s) != ChunkKind::Free) return Broken::Reuse;
    }
    return Broken::None;
  }

  Heap heap_;
  PerClass classes_[kClasses] = {};
  std::uint64_t idle_[kLevels] = {}, free_chunks_ = 0;
  std::uint64_t queue_chunks_ = 0, queue_chunks_found_ = 0;
};

}  // namespace detail

template <class Manager>
FATHOM_HD Broken valid(const Manager& manager) {
  return detail::Inspector<Manager>(manager).run();
}

}  // namespace fathom::memory
