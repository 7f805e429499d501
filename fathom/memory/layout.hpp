// How a region is divided, and how it is made ready. Everything but the data has its place, and its
// size, from the beginning: after that nothing is allocated but chunks.
#pragma once

#include "fathom/memory/array_storage.hpp"

namespace fathom::memory {

struct HeapOptions {
  /// Bytes of address space for data, of which the owner may map a part now and more later.
  std::uint64_t bytes = 0;
  /// Slots per unit of 8 KiB in the array of each class's queue (array storage). Entries beyond it
  /// stay in their chunks and are found by a scan.
  std::uint32_t slots_per_unit = 16;
};

namespace detail {
constexpr std::uint64_t power_above(std::uint64_t n) {
  std::uint64_t power = 64;  // more than the lanes of any group
  while (power < n) power *= 2;
  return power;
}

/// Slots of the ring of one class; with a directory, entries for chunks of slots; linked, hints.
template <class V>
constexpr std::uint64_t ring_slots(std::uint32_t k, const HeapOptions& options,
                                   std::uint64_t units) {
  const std::uint64_t chunks = units / units_of(level_of(k));
  const std::uint64_t entries = V::Units::kPages ? chunks * pages_of(k) : chunks;
  const std::uint64_t most = units * options.slots_per_unit;
  if constexpr (V::Storage::kDirectory)
    return power_above(entries / 1024 + 8);
  else if constexpr (V::Storage::kBatch > 0)
    return V::Storage::kHints;
  else
    return power_above(entries < most ? entries : most);
}
}  // namespace detail

/// The layout of a manager's region for `options.bytes` of data (rounded down to chunks of 8 KiB).
template <class Manager>
constexpr Layout make_layout(const HeapOptions& options) {
  Layout l;
  l.units = options.bytes / kChunkBytes;
  std::uint64_t end = l.units * kChunkBytes;
  const auto place = [&end](std::uint64_t bytes) {
    const std::uint64_t offset = end;
    end += (bytes + 127) / 128 * 128;
    return offset;
  };
  l.control = place(sizeof(Control));
  l.states = place(l.units * 8);
  l.tags = place(l.units * 8);
  l.bits = place(l.units * 8 * kBitWords);
  if (Manager::Hooks::kChecks) l.live = place(l.units * 8 * kBitWords);
  for (std::uint32_t i = 0; i < kRings; ++i) {
    std::uint64_t slots = 0;
    if (i >= kClasses)
      slots = detail::power_above(l.units / units_of((i - kClasses) % kLevels));
    else if (level_of(i) == 0)
      slots = detail::ring_slots<typename Manager::Small>(i, options, l.units);
    else
      slots = detail::ring_slots<typename Manager::Large>(i, options, l.units);
    l.ring_capacity[i] = slots;
    if (slots > 0) l.ring[i] = place(slots * 8);
  }
  l.bytes = end;
  return l;
}

/// Makes part `part` of `parts` of the metadata ready: once all parts are, and reset_control() has
/// run, the heap is empty.
FATHOM_HD void reset_tables(const Heap& heap, std::uint64_t part, std::uint64_t parts) {
  const Layout& l = heap.layout;
  const std::uint64_t first_ring = l.ring[kClasses];
  std::uint64_t rings = first_ring;
  for (std::uint32_t i = 0; i < kClasses; ++i)
    if (l.ring_capacity[i] > 0 && l.ring[i] < rings) rings = l.ring[i];
  for (std::uint64_t at = l.control / 8 + part; at < rings / 8; at += parts)
    reinterpret_cast<std::uint64_t*>(heap.base)[at] = 0;
  for (std::uint64_t at = rings / 8 + part; at < l.bytes / 8; at += parts)
    reinterpret_cast<std::uint64_t*>(heap.base)[at] = kEmpty;
}

/// The counters of an empty heap, of which `mapped` bytes at the end of the data and `front` at its
/// beginning have memory. One thread, after the tables.
template <class Manager>
FATHOM_HD void reset_control(const Heap& heap, std::uint64_t front, std::uint64_t mapped) {
  Control& control = heap.control();
  control.limits.value = front / kChunkBytes << 32 | mapped / kChunkBytes;
  for (std::uint32_t k = 0; k < kClasses; ++k) {
    if (level_of(k) == 0)
      Manager::Small::Storage::reset(heap, heap.queue(k));
    else
      Manager::Large::Storage::reset(heap, heap.queue(k));
  }
  for (std::uint32_t level = 0; level < kLevels; ++level)
    ArrayStorage::reset(heap, heap.idle(level));
  ArrayStorage::reset(heap, heap.free_chunks());
}

}  // namespace fathom::memory
