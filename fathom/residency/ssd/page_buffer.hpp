// Pages of a store in host memory (the MMBuf of GTS): one block of budgeted memory, cut into slots
// that hold a run of a section's checksum blocks each, a page or what several small ones share.
// All sections of a store share it, so that both directions of a graph live in one budget.
//
// The block is obtained when a sweep begins, keeps its contents from sweep to sweep, and gives way
// when an allocation would otherwise not fit; afterwards a smaller one is asked for.
//
// Invariants: a slot is free, or maps to its unit both ways; a slot is in the order of eviction
// exactly when it is neither free nor pinned; a slot being read is pinned.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/paged/paging_options.hpp"
#include "fathom/residency/ssd/section_reads.hpp"

namespace fathom {

/// What host memory has room for now: what the pool has left, and at most half of the machine's.
FATHOM_API std::size_t host_room(const MemoryPool& pool);

class FATHOM_API PageBuffer {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Units `index` of a section: checksum blocks [index, index + 1) * unit_bytes() / 1 MiB.
  struct Unit {
    store::SectionId section;
    std::uint64_t index;
    friend bool operator==(const Unit&, const Unit&) = default;
  };

  /// The context outlives the buffer.
  PageBuffer(const Context& ctx, const std::string& path, const PagingOptions& options);
  ~PageBuffer();
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;

  SectionReads& reads() { return reads_; }
  const SectionReads& reads() const { return reads_; }
  /// A page, or a checksum block when pages are smaller.
  std::size_t unit_bytes() const { return unit_bytes_; }

  /// Units that a supply may ask for: more slots than all of them are of no use.
  void announce(std::size_t units) { useful_ += units; }
  /// Begins a sweep. Obtains slots if there are none: as many as are of use and the budget allows,
  /// `least` in any case. Nothing is pinned. @throws Error(DoesNotFit).
  void begin_sweep(std::size_t least);
  /// The block is to be no larger; it goes now if it is.
  void limit(std::size_t bytes);
  std::size_t slots() const { return slot_.size(); }
  /// Counts what may have moved units, or others in their place.
  std::uint64_t changes() const { return changes_; }
  std::span<std::byte> block() const { return block_; }
  /// The size the block had last, even if it gave way since.
  std::size_t last_bytes() const { return last_bytes_; }

  /// The slot that holds a unit or is about to; kNone. Does not pin it.
  std::uint32_t find(const Unit& unit) const;
  bool is_ready(std::uint32_t slot) const { return slot_[slot].ready; }
  const std::byte* data(std::uint32_t slot) const { return block_.data() + slot * unit_bytes_; }

  /// Slots are pinned as often as they are in use.
  void pin(std::uint32_t slot) noexcept;
  void unpin(std::uint32_t slot) noexcept;

  /// How many slots load() could take now.
  std::size_t loadable() const { return free_.size() + evictable_; }
  /// Takes a slot for a unit that find() does not know, pins it and queues its read.
  std::uint32_t load(const Unit& unit);
  /// Whether more reads can be queued.
  bool can_queue() const { return reading_ < reads_.depth() * merge_units_; }
  std::size_t reading() const { return reading_; }

  /// Starts queued reads, neighbours merged, and takes note of those that ended; with `wait`, of
  /// one at least (if any is under way). @throws as SectionReads::collect(): cancel() then.
  void poll(bool wait);
  /// Waits for all reads, and drops what was being read; its pins remain.
  void cancel() noexcept;

 private:
  struct Slot {
    Unit unit{};
    std::uint32_t pins = 0;
    bool used = false, ready = false;
    std::uint32_t before = kNone, after = kNone;  // neighbours in the order, while evictable
  };
  struct HashUnit {
    std::size_t operator()(const Unit& u) const {
      return static_cast<std::size_t>(u.index * 32 + static_cast<std::uint64_t>(u.section));
    }
  };
  struct QueuedRead {
    std::uint32_t slot;
    std::uint32_t slots;  // neighbours, in memory and in the file
  };

  void obtain(std::size_t least);
  void give_way(std::size_t bytes);
  void release_memory();
  void unpin_block() noexcept;
  void link_newest(std::uint32_t slot) noexcept;
  void unlink(std::uint32_t slot) noexcept;
  void drop(std::uint32_t slot);
  std::uint32_t take_slot();
  void enqueue(const Unit& unit, std::uint32_t slot);
  std::uint64_t blocks_per_unit() const { return unit_bytes_ / SectionReads::kBlockBytes; }

  const Context* ctx_;
  std::size_t unit_bytes_;
  PageCache policy_;
  std::size_t merge_units_;
  std::uint64_t changes_ = 0;
  std::size_t useful_ = 0;  // slots that could be used
  std::size_t limit_;       // bytes
  std::size_t last_bytes_ = 0;
  std::size_t slack_ = 0;      // bytes that others turned out to need beside the block
  std::size_t used_then_ = 0;  // of the pool when the block was obtained, with it
  Array<std::byte> memory_;
  std::span<std::byte> block_;
  bool pinned_block_ = false;  // for GPUs
  std::vector<Slot> slot_;
  std::vector<std::uint32_t> free_;  // descending: the lowest is taken first; room for all slots
  // Evictable slots, linked from the least to the most recently used: giving up pins must not fail.
  std::uint32_t oldest_ = kNone, newest_ = kNone;
  std::size_t evictable_ = 0;
  std::unordered_map<Unit, std::uint32_t, HashUnit> at_;
  std::vector<QueuedRead> queue_;
  std::vector<std::uint64_t> done_;
  std::size_t reading_ = 0;  // slots queued or under way
  std::size_t pinned_ = 0;   // slots
  int cache_handle_ = 0;
  SectionReads reads_;  // last: waits before the memory goes
};

/// What one of the supplies that take turns with a buffer has had read.
class BufferTurn {
 public:
  explicit BufferTurn(const PageBuffer& buffer) : buffer_(buffer) {}
  void begin() noexcept {
    before_ = of_buffer();
    in_use_ = true;
  }
  /// Nothing where none has begun.
  void end() noexcept {
    traffic_ = total();
    in_use_ = false;
  }
  /// But for what was read in this turn.
  DiskTraffic& traffic() { return traffic_; }
  DiskTraffic total() const { return in_use_ ? traffic_ + (of_buffer() - before_) : traffic_; }

 private:
  DiskTraffic of_buffer() const {
    const SectionReads& reads = buffer_.reads();
    return {reads.bytes(), reads.requests(), 0, 0, reads.seconds_waited()};
  }
  const PageBuffer& buffer_;
  DiskTraffic traffic_, before_;
  bool in_use_ = false;
};

}  // namespace fathom
