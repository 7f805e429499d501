// A heap moves into a larger or smaller region: data and tables are copied as they are, since they
// name chunks by number; rings, whose capacity differs, are written anew.
#pragma once

#include "fathom/memory/ouroboros.hpp"

namespace fathom::memory {

/// Calls copy(to, from, bytes) for each piece of data and tables that has to be copied when `front`
/// bytes belong to the owner and `chunks` units were taken. Reads nothing of the heaps' memory.
template <class Manager, class Copy>
void for_each_moved_piece(const Manager& from, const Manager& to, std::uint64_t front,
                          std::uint64_t chunks, const Copy& copy) {
  const Heap &a = from.heap(), &b = to.heap();
  const std::uint64_t tail = chunks * kChunkBytes;
  copy(b.base, a.base, front);
  copy(b.data_end() - tail, a.data_end() - tail, tail);
  copy(b.base + b.layout.states, a.base + a.layout.states, chunks * 8);
  copy(b.base + b.layout.tags, a.base + a.layout.tags, chunks * 8);
  copy(b.base + b.layout.bits, a.base + a.layout.bits, chunks * 8 * kBitWords);
  if constexpr (Manager::Hooks::kChecks)
    copy(b.base + b.layout.live, a.base + a.layout.live, chunks * 8 * kBitWords);
}

namespace detail {

/// Entries of a ring that still stand for something; what the new ring cannot take is left to
/// scans.
template <class V>
FATHOM_HD void move_ring(const Heap& from, const Heap& to, std::uint32_t k) {
  const QueueRef old = from.queue(k);
  const std::uint64_t back = old.control->back.load();
  for (std::uint64_t position = old.control->front.load(); position < back; ++position) {
    const std::uint64_t entry = old.slots[position & (old.capacity - 1)];
    const std::uint32_t chunk = chunk_of(entry);
    const std::uint64_t s = to.state(chunk).load();
    if (!names(entry, k, s)) continue;
    if (IndexQueue<ArrayStorage, Traits>::enqueue(to, to.queue(k), OneLane{}, true, entry))
      continue;
    if (V::Units::kPages) LoosePages<Traits>::mark_free(to, chunk, page_of(entry));
    LoosePages<Traits>::add(to, k, chunk, generation_of(s));
  }
}

/// The directory's chunks, by their index; false when the new directory is too small.
FATHOM_HD bool move_directory(const QueueRef& old, const QueueRef& q) {
  const std::uint64_t live = old.capacity - old.control->spots.load();
  if (live > q.capacity) return false;
  for (std::uint64_t i = 0; i < old.capacity; ++i)
    if (old.slots[i] != kEmpty) q.slots[(old.slots[i] >> 32) & (q.capacity - 1)] = old.slots[i];
  *q.control = *old.control;
  q.control->spots.value = q.capacity - live;
  return true;
}

template <class V>
FATHOM_HD bool move_class(const Heap& from, const Heap& to, std::uint32_t k) {
  ClassControl &a = from.size_class(k), &b = to.size_class(k);
  b.pages = a.pages;
  b.loose = a.loose;
  b.cursor = a.cursor;
  if (V::Storage::kBatch > 0) b.stale = a.stale;  // rings drop such entries when they move
  if (V::Storage::kDirectory) return move_directory(from.queue(k), to.queue(k));
  if (V::Storage::kBatch == 0)
    move_ring<V>(from, to, k);
  else
    b.queue = a.queue;
  return true;
}

/// A queue of whole chunks.
FATHOM_HD void move_chunks(const Heap& to, const QueueRef& old, const QueueRef& q) {
  const std::uint64_t back = old.control->back.load();
  for (std::uint64_t position = old.control->front.load(); position < back; ++position)
    IndexQueue<ArrayStorage, Traits>::enqueue(to, q, OneLane{}, true,
                                              old.slots[position & (old.capacity - 1)]);
}

}  // namespace detail

/// Counters and queues of `from`, for a heap whose pieces have been copied. One thread. False, with
/// `from` unchanged, when the new region is too small for the directories of queues.
template <class Manager>
FATHOM_HD bool relocate_control(const Manager& from, const Manager& to) {
  const Heap &a = from.heap(), &b = to.heap();
  b.control().bounds = a.control().bounds;
  b.control().faults = a.control().faults;
  for (std::uint32_t k = 0; k < kClasses; ++k)
    if (!(level_of(k) == 0 ? detail::move_class<typename Manager::Small>(a, b, k)
                           : detail::move_class<typename Manager::Large>(a, b, k)))
      return false;
  for (std::uint32_t level = 0; level < kLevels; ++level)
    detail::move_chunks(b, a.idle(level), b.idle(level));
  detail::move_chunks(b, a.free_chunks(), b.free_chunks());
  return true;
}

}  // namespace fathom::memory
