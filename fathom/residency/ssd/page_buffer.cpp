#include "fathom/residency/ssd/page_buffer.hpp"

#include <unistd.h>

#include <algorithm>

namespace fathom {
namespace {

// What MemoryPool aligns to pages on its own.
constexpr std::size_t kAlignedFrom = std::size_t{2} << 20;

std::size_t half_of_the_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0
             ? static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(bytes)
             : std::size_t{1} << 30;
}

/// Has the system provide memory by all threads: who pins it later would by one.
void touch(int threads, std::span<std::byte> memory) {
  constexpr std::size_t kGrain = std::size_t{32} << 20, kSmallPage = 4096;
  volatile std::byte* const begin = memory.data();
  parallel_for(threads, memory.size(), kGrain, [&](std::size_t first, std::size_t last, int) {
    for (; first < last; first += kSmallPage) begin[first] = std::byte{0};
  });
}

}  // namespace

std::size_t host_room(const MemoryPool& pool) {
  return std::min(pool.available(), half_of_the_machine());
}

PageBuffer::PageBuffer(const Context& ctx, const std::string& path, const PagingOptions& options)
    : ctx_(&ctx),
      unit_bytes_(std::max(options.page_bytes, SectionReads::kBlockBytes)),
      policy_(options.cache),
      // Neighbours that are dealt to several disks do not follow each other on any.
      merge_units_(options.ssd.size() > 1
                       ? 1
                       : std::max<std::size_t>(options.io.merge_bytes / unit_bytes_, 1)),
      limit_(MemoryPool::kUnlimited),
      reads_(path, options.io, options.trace, options.ssd) {
  cache_handle_ = ctx.host_memory()->register_cache([this](std::size_t bytes) { give_way(bytes); });
}

PageBuffer::~PageBuffer() {
  ctx_->host_memory()->forget_cache(cache_handle_);
  cancel();
  unpin_block();
}

void PageBuffer::begin_sweep(std::size_t least) {
  ++changes_;
  if (slot_.size() < least) {
    release_memory();
    obtain(least);
  }
  if (policy_ != PageCache::None) return;
  while (oldest_ != kNone) drop(oldest_);
}

void PageBuffer::obtain(std::size_t least) {
  const std::shared_ptr<MemoryPool>& pool = ctx_->host_memory();
  const std::size_t available = host_room(*pool);
  // An eighth stays for state yet to come; so does what turned out to be needed before.
  const std::size_t slack = std::max(available / 8, slack_);
  std::size_t slots = (available > slack ? available - slack : 0) / unit_bytes_;
  slots = std::min({slots, useful_, limit_ / unit_bytes_});
  if (policy_ == PageCache::None) slots = std::min(slots, 2 * reads_.depth() * merge_units_);
  slots = std::max(slots, least);
  const std::size_t bytes = slots * unit_bytes_;
  // Slots are there when everything is: what has no memory leaves none.
  std::vector<Slot> slot(slots);
  std::vector<std::uint32_t> free;
  for (std::size_t s = slots; s-- > 0;) free.push_back(static_cast<std::uint32_t>(s));
  memory_ = Array<std::byte>(bytes < kAlignedFrom ? bytes + SectionReads::kAlignment : bytes, pool);
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::size_t skip =
      (SectionReads::kAlignment - start % SectionReads::kAlignment) % SectionReads::kAlignment;
  block_ = memory_.span().subspan(skip, bytes);
  last_bytes_ = bytes;
  used_then_ = pool->used();
  slot_ = std::move(slot);
  free_ = std::move(free);
  if (ctx_->on_gpu()) touch(ctx_->threads(), block_);
  reads_.adopt(block_);
  pinned_block_ = ctx_->pin_host(block_.data(), block_.size());
}

void PageBuffer::limit(std::size_t bytes) {
  limit_ = bytes;
  if (block_.size() > bytes && pinned_ == 0) release_memory();
}

void PageBuffer::give_way(std::size_t bytes) {
  if (slot_.empty() || pinned_ > 0) return;
  const std::size_t used = ctx_->host_memory()->used();
  slack_ = std::max(slack_, (used > used_then_ ? used - used_then_ : 0) + bytes);
  release_memory();
}

void PageBuffer::release_memory() {
  if (slot_.empty()) return;
  ++changes_;
  reads_.adopt({});
  unpin_block();
  slot_.clear();
  free_.clear();
  oldest_ = newest_ = kNone;
  evictable_ = 0;
  at_.clear();
  block_ = {};
  memory_ = {};
}

void PageBuffer::unpin_block() noexcept {
  if (pinned_block_) ctx_->unpin_host(block_.data());
  pinned_block_ = false;
}

std::uint32_t PageBuffer::find(const Unit& unit) const {
  const auto at = at_.find(unit);
  return at == at_.end() ? kNone : at->second;
}

void PageBuffer::link_newest(std::uint32_t slot) noexcept {
  slot_[slot].before = newest_;
  slot_[slot].after = kNone;
  (newest_ == kNone ? oldest_ : slot_[newest_].after) = slot;
  newest_ = slot;
  ++evictable_;
}

void PageBuffer::unlink(std::uint32_t slot) noexcept {
  const Slot& s = slot_[slot];
  (s.before == kNone ? oldest_ : slot_[s.before].after) = s.after;
  (s.after == kNone ? newest_ : slot_[s.after].before) = s.before;
  --evictable_;
}

void PageBuffer::pin(std::uint32_t slot) noexcept {
  if (slot_[slot].pins++ > 0) return;
  unlink(slot);
  ++pinned_;
}

void PageBuffer::unpin(std::uint32_t slot) noexcept {
  Slot& s = slot_[slot];
  if (--s.pins > 0) return;
  --pinned_;
  if (s.used)
    link_newest(slot);
  else
    free_.push_back(slot);
}

/// Forgets what an evictable slot holds.
void PageBuffer::drop(std::uint32_t slot) {
  Slot& s = slot_[slot];
  unlink(slot);
  at_.erase(s.unit);
  s.used = s.ready = false;
  free_.push_back(slot);
}

std::uint32_t PageBuffer::take_slot() {
  if (free_.empty()) drop(policy_ == PageCache::Static ? newest_ : oldest_);
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

std::uint32_t PageBuffer::load(const Unit& unit) {
  ++changes_;
  const std::uint32_t slot = take_slot();
  try {
    at_.emplace(unit, slot);
    enqueue(unit, slot);
  } catch (...) {
    at_.erase(unit);
    free_.push_back(slot);
    throw;
  }
  Slot& s = slot_[slot];
  s.unit = unit;
  s.used = true;
  s.ready = false;
  s.pins = 1;
  ++pinned_;
  ++reading_;
  return slot;
}

void PageBuffer::enqueue(const Unit& unit, std::uint32_t slot) {
  if (!queue_.empty()) {
    QueuedRead& last = queue_.back();
    const Unit& its = slot_[last.slot].unit;
    if (last.slots < merge_units_ && its.section == unit.section &&
        last.slot + last.slots == slot && its.index + last.slots == unit.index) {
      ++last.slots;
      return;
    }
  }
  queue_.push_back({slot, 1});
}

void PageBuffer::poll(bool wait) {
  std::size_t started = 0;
  for (; started < queue_.size() && reads_.room(); ++started) {
    const QueuedRead& q = queue_[started];
    const Unit& unit = slot_[q.slot].unit;
    const std::uint64_t first = unit.index * blocks_per_unit();
    const std::uint64_t all = store::blocks_of(reads_.section(unit.section).bytes);
    reads_.start(unit.section, first, std::min(q.slots * blocks_per_unit(), all - first),
                 block_.data() + q.slot * unit_bytes_, std::uint64_t{q.slots} << 32 | q.slot);
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(started));
  if (reading_ == 0) return;
  done_.clear();
  reads_.collect(done_, wait, ctx_->threads());
  for (const std::uint64_t tag : done_) {
    const auto slot = static_cast<std::uint32_t>(tag);
    const auto slots = static_cast<std::uint32_t>(tag >> 32);
    for (std::uint32_t s = slot; s < slot + slots; ++s) slot_[s].ready = true;
    reading_ -= slots;
  }
}

void PageBuffer::cancel() noexcept {
  reads_.cancel();
  queue_.clear();
  reading_ = 0;
  for (Slot& s : slot_) {
    if (!s.used || s.ready) continue;
    at_.erase(s.unit);
    s.used = false;
  }
}

}  // namespace fathom
