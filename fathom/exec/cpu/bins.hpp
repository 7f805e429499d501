// Thread-local bins of pending vertices, ordered by key in windows of equal width: the priority
// queue of delta-stepping on one host.
//
// Bins are chains of small blocks, so that a bin is shared among workers by dealing out its blocks,
// nothing is copied, and drained blocks are used again. Keys beyond the open bins wait in one far
// bin that is dealt out anew when the open ones are empty; any width therefore works.
//
// How many entries there are depends on the graph: up to two or three per vertex, stale ones
// among them. What there is no memory for is handed back to who puts it in.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cpu {

/// A vertex and its key when it was put in. A smaller key since then makes the entry stale.
template <class Key>
struct BinEntry {
  VertexId vertex;
  Key key;
};

// 62 entries: a chunk of work like GAP's (64 vertices), half a kilobyte with float keys.
template <class Key>
struct BinBlock {
  static constexpr std::uint32_t kEntries = 62;
  BinBlock* next;
  std::uint32_t size;
  BinEntry<Key> entry[kEntries];
};

// What a worker takes of the memory at once: 64 KiB with float keys.
inline constexpr std::size_t kBlocksOfSlab = 128;

/// The bins of one worker. Invariants: a block is in exactly one chain (a bin's, the free one, or
/// one that was taken out); every bin below `lowest` is empty.
template <class Key>
class alignas(64) WorkerBins {
 public:
  using Block = BinBlock<Key>;
  static constexpr std::size_t kOpen = 1024;  // 8 KiB of chain heads

  explicit WorkerBins(std::shared_ptr<MemoryPool> memory) : memory_(std::move(memory)) {}

  /// Bin i holds keys in [base + i * width, base + (i + 1) * width), the first one also those
  /// below. All bins must be empty but the far one.
  void open(Key base, Key width) {
    base_ = base;
    width_ = width;
    lowest_ = 0;
  }

  /// `current` is the bin being drained: nothing goes below it. False: there is no memory for it.
  [[nodiscard]] bool push(VertexId v, Key key, std::size_t current) {
    const Key place = (key - base_) / width_;
    std::size_t bin = kOpen;
    if (place < static_cast<Key>(kOpen)) bin = static_cast<std::size_t>(std::max(place, Key{0}));
    if (bin < current) bin = current;
    Block*& head = head_[bin];
    if ((!head || head->size == Block::kEntries) && !add_block(head)) return false;
    if (bin < lowest_) lowest_ = bin;
    head->entry[head->size++] = {v, key};
    return true;
  }

  /// The first bin that is not empty; kOpen when there is none but the far one.
  std::size_t lowest() {
    while (lowest_ < kOpen && !head_[lowest_]) ++lowest_;
    return lowest_;
  }

  Block* chain(std::size_t bin) const { return head_[bin]; }
  Block* take(std::size_t bin) { return std::exchange(head_[bin], nullptr); }
  Block* take_far() { return take(kOpen); }

  /// Takes back a block whose entries are done; it may be another worker's.
  void recycle(Block* block) {
    block->next = free_;
    free_ = block;
  }

 private:
  bool add_block(Block*& head) {
    if (!free_ && !add_slab()) return false;
    Block* const block = free_;
    free_ = block->next;
    block->next = head;
    block->size = 0;
    head = block;
    return true;
  }
  bool add_slab() {
    if (full_) return false;
    try {
      Block* const blocks = slabs_.emplace_back(kBlocksOfSlab, memory_).data();
      for (std::size_t i = 0; i < kBlocksOfSlab; ++i) recycle(blocks + i);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      full_ = true;
    }
    return !full_;
  }

  Key base_ = 0, width_ = 1;
  std::size_t lowest_ = kOpen;
  Block* head_[kOpen + 1] = {};
  Block* free_ = nullptr;
  bool full_ = false;  // the pool gives no more
  std::shared_ptr<MemoryPool> memory_;
  std::vector<Array<Block>> slabs_;
};

/// The bins of all workers. Member functions are for the one thread that runs between supersteps.
template <class Key>
class Bins {
 public:
  using Block = BinBlock<Key>;

  Bins(int workers, Key width, const std::shared_ptr<MemoryPool>& memory) : width_(width) {
    for (int w = 0; w < workers; ++w) worker_.push_back(std::make_unique<WorkerBins<Key>>(memory));
  }

  WorkerBins<Key>& of(int worker) { return *worker_[static_cast<std::size_t>(worker)]; }

  void open(Key base) {
    base_ = base;
    for (auto& w : worker_) w->open(base, width_);
  }
  /// Where a bin's keys begin: finite, as they are.
  Key begin_of(std::size_t bin) const {
    const Key begin = bin == 0 ? base_ : base_ + static_cast<Key>(bin) * width_;
    return std::min(begin, std::numeric_limits<Key>::max());
  }

  /// The lowest bin with entries, dealing out the far bin when need be; kNone when nothing is left.
  /// `key` holds the current keys. refused(v): there is no memory for v in the bin it is dealt to.
  static constexpr std::size_t kNone = ~std::size_t{0};
  template <class Refused>
  std::size_t lowest(const Key* key, const Refused& refused) {
    for (;;) {
      std::size_t bin = WorkerBins<Key>::kOpen;
      for (auto& w : worker_) bin = std::min(bin, w->lowest());
      if (bin < WorkerBins<Key>::kOpen) return bin;
      if (!deal_out_far(key, refused)) return kNone;
    }
  }

  /// All blocks of one bin, taken out.
  void collect(std::size_t bin, std::vector<Block*>& blocks) {
    blocks.clear();
    for (auto& w : worker_)
      for (Block* b = w->take(bin); b; b = b->next) blocks.push_back(b);
  }

 private:
  template <class Refused>
  bool deal_out_far(const Key* key, const Refused& refused) {
    std::vector<Block*> far(worker_.size());
    Key base = std::numeric_limits<Key>::infinity();
    for (std::size_t w = 0; w < worker_.size(); ++w) {
      far[w] = worker_[w]->take_far();
      for (const Block* b = far[w]; b; b = b->next)
        for (std::uint32_t i = 0; i < b->size; ++i)
          if (key[b->entry[i].vertex] == b->entry[i].key) base = std::min(base, b->entry[i].key);
    }
    open(base);
    bool any = false;
    for (std::size_t w = 0; w < worker_.size(); ++w)
      for (Block *b = far[w], *next; b; b = next) {
        next = b->next;
        for (std::uint32_t i = 0; i < b->size; ++i)
          if (key[b->entry[i].vertex] == b->entry[i].key) {
            any = true;
            if (!worker_[w]->push(b->entry[i].vertex, b->entry[i].key, 0))
              refused(b->entry[i].vertex);
          }
        worker_[w]->recycle(b);
      }
    return any;
  }

  Key base_ = 0, width_;
  std::vector<std::unique_ptr<WorkerBins<Key>>> worker_;
};

}  // namespace fathom::cpu
