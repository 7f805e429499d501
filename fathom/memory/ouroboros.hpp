// Ouroboros: malloc and free for hundreds of thousands of threads (Winter, chapter 5).
//
// A manager is composed of what its queues hold (pages, chunks) and where the queues lie (an array,
// an array hierarchy, linked chunks), for small sizes and, if wanted otherwise, for large ones.
// What is passed around, to kernels by value, is this handle; the memory has an owner (HostHeap, or
// DeviceHeap in ouroboros.cuh).
#pragma once

#include <type_traits>

#include "fathom/memory/active_lanes.hpp"
#include "fathom/memory/chunk_units.hpp"
#include "fathom/memory/layout.hpp"
#include "fathom/memory/linked_storage.hpp"
#include "fathom/memory/page_units.hpp"

namespace fathom::memory {

/// What queues hold, and where they lie.
template <class UnitsType, class StorageType>
struct Variant {
  using Units = UnitsType;
  using Storage = StorageType;
};
using SP = Variant<PageUnits, ArrayStorage>;
using SC = Variant<ChunkUnits, ArrayStorage>;
using VAP = Variant<PageUnits, HierarchyStorage>;
using VAC = Variant<ChunkUnits, HierarchyStorage>;
using VLP = Variant<PageUnits, LinkedStorage>;
using VLC = Variant<ChunkUnits, LinkedStorage>;

namespace detail {
/// Of the queues that may name a chunk of this level, which never changes. Inline for devices too:
/// called, it took 92 registers more of a kernel, inlined none (sm_90, S-P).
template <class V, class Hooks>
FATHOM_HD void drop_all_stale(const Heap& heap, std::uint32_t level) {
  for (std::uint32_t k = 0; k < kClasses; ++k)
    if (level_of(k) == level)
      V::Units::template drop_all_stale<typename V::Storage, Hooks>(heap, k);
}
}  // namespace detail

template <class SmallVariant, class LargeVariant = SmallVariant, class HooksType = Traits>
class Ouroboros {
 public:
  using Small = SmallVariant;  // up to 8 KiB
  using Large = LargeVariant;  // up to 1 MiB
  using Hooks = HooksType;

  Ouroboros() = default;
  /// Pages are aligned as said below where `base` is a multiple of 8 KiB.
  FATHOM_HD Ouroboros(std::byte* base, const Layout& layout) : heap_{base, layout} {}

  /// Memory for `bytes`, aligned to the power of two that holds them (at most to 8 KiB); null when
  /// there is none, for 0 bytes and for more than 1 MiB.
  FATHOM_HD void* malloc(std::uint64_t bytes) const { return malloc(Callers{}, bytes); }

  /// The same for each lane of a group at once, with one atomic operation where single threads take
  /// one each. Collective; lanes that want nothing pass 0.
  template <LaneGroup G>
  FATHOM_HD void* malloc(const G& group, std::uint64_t bytes) const {
    const bool wants = bytes > 0 && bytes <= kMostBytes;
    const std::uint32_t k = wants ? class_of(bytes) : 0;
    PageRef page;
    for_each_key(group, wants, k, [&](const auto& party) {
      const std::uint32_t turn = party.from_leader(k);
      PageRef got;
      if constexpr (kUniform)
        got = allocate<Small>(group, turn, party.joins());
      else
        got = turn < kSmallClasses ? allocate<Small>(group, turn, party.joins())
                                   : allocate<Large>(group, turn, party.joins());
      if (party.joins()) page = got;
    });
    if (!page.found()) return nullptr;
    if constexpr (Hooks::kChecks)
      heap_.live(page.chunk, page.page / 64).fetch_or(std::uint64_t{1} << page.page % 64);
    return heap_.page_data(k, page.chunk, page.page);
  }

  /// Takes back what malloc() gave; null is ignored. A checked build also ignores, and counts, what
  /// was never given or was taken back before.
  FATHOM_HD void free(void* p) const { free(Callers{}, p); }

  /// The same for each lane of a group. Collective; lanes without a pointer pass null.
  template <LaneGroup G>
  FATHOM_HD void free(const G& group, void* p) const {
    std::uint32_t k = 0;
    const PageRef page = p == nullptr ? PageRef{} : page_at(p, k);
    if constexpr (Splits<G>) {  // all sizes at once; malloc() so was no faster, with more registers
      const G peers = group.split(page.found() ? k : kNone32);
      if (!page.found()) return;
      if constexpr (!kUniform)
        if (k >= kSmallClasses) return release<Large>(peers, k, true, page);
      release<Small>(peers, k, true, page);
    } else {
      for_each_key(group, page.found(), k, [&](const auto& party) {
        const std::uint32_t turn = party.from_leader(k);
        if constexpr (!kUniform)
          if (turn >= kSmallClasses) return release<Large>(group, turn, party.joins(), page);
        release<Small>(group, turn, party.joins(), page);
      });
    }
  }

  /// What is at p relative to the end of the data, in units of 16 bytes: stays the same when the
  /// heap moves into a larger or smaller region. Never 0.
  FATHOM_HD std::uint64_t index_of(const void* p) const {
    return static_cast<std::uint64_t>(heap_.data_end() - static_cast<const std::byte*>(p)) >>
           kPageShift;
  }
  FATHOM_HD void* pointer_to(std::uint64_t index) const {
    return heap_.data_end() - (index << kPageShift);
  }

  /// The front of the region, which chunks never enter: set_front(bytes) bytes from front() on.
  FATHOM_HD std::byte* front() const { return heap_.base; }
  FATHOM_HD bool set_front(std::uint64_t bytes) const {
    const std::uint64_t units = (bytes + kChunkBytes - 1) / kChunkBytes;
    return units <= heap_.layout.units &&
           ChunkPool<Hooks>::set_front(heap_, static_cast<std::uint32_t>(units));
  }
  FATHOM_HD std::uint64_t front_bytes() const {
    return (heap_.control().bounds.load() >> 32) * kChunkBytes;
  }

  FATHOM_HD const Heap& heap() const { return heap_; }

 private:
  static constexpr std::uint32_t kSmallClasses = 10;
  static constexpr bool kUniform = std::is_same_v<Small, Large>;
  // How often a thread looks again before it returns null: 8 times, or more often while dropping
  // stale entries gains chunks.
  static constexpr std::uint32_t kRounds = 64;

  template <class V, LaneGroup G>
  FATHOM_HD PageRef allocate(const G& group, std::uint32_t k, bool mine) const {
    const BulkSemaphore<Hooks> pages(heap_.size_class(k).pages);
    PageRef page;
    for (std::uint32_t round = 0; round < kRounds;) {
      const Party<G> party(group, mine && !page.found());
      if (!party.any()) break;
      Grant grant;
      if (party.leads()) grant = pages.acquire(party.count(), pages_of(k));
      grant = party.from_leader(grant);
      if (grant.mints == 0) {
        const bool granted = party.joins() && party.index() < grant.granted;
        const PageRef got =
            V::Units::template fetch<typename V::Storage, Hooks>(heap_, k, group, granted);
        if (granted) page = got;
      } else if (!mint<V>(group, party, k, page)) {
        std::uint32_t gained = 0;
        if (party.leads()) gained = drop_stale() ? 1 : 0;
        round += party.from_leader(gained) ? 1 : kRounds / 8;
        Hooks::pause();
      }
    }
    return page;
  }

  /// New chunks for all members of the party; false when not all got a page. Collective.
  template <class V, LaneGroup G>
  FATHOM_HD bool mint(const G& group, const Party<G>& party, std::uint32_t k, PageRef& page) const {
    const std::uint32_t each = pages_of(k), n = party.count(), chunks = (n + each - 1) / each;
    const bool takes = party.joins() && party.index() < chunks;
    const std::uint32_t chunk = ChunkPool<Hooks>::take(heap_, group, level_of(k), takes);
    const Party<G> got(group, chunk != kNone32);
    const std::uint32_t made = got.count();
    const std::uint32_t served = n < made * each ? n : made * each, rest = made * each - served;
    if (got.joins()) begin<V>(chunk, k, got.index() + 1 == made ? each - rest : each);
    publish_writes();
    const std::uint32_t index = party.index();
    const bool mine = party.joins() && index < served;
    // The lane that has this lane's chunk; every lane asks, as the exchange is collective.
    const std::uint32_t owner = mine ? got.lane(index / each) : 0;
    const std::uint32_t from = group.shfl(chunk, owner);
    if (mine) page = {from, index % each};
    if (rest > 0) {
      const std::uint32_t last = group.shfl(chunk, got.lane(made - 1));
      V::Units::template list_new<typename V::Storage, Hooks>(heap_, k, group, last, each - rest);
    }
    if (party.leads()) BulkSemaphore<Hooks>(heap_.size_class(k).pages).settle(rest, chunks, n);
    return served == n;
  }

  /// Whether chunks were gained that held entries of no use.
  FATHOM_HD bool drop_stale() const {
    bool gained = false;
    for (std::uint32_t k = 0; k < kClasses; ++k) {
      if (kUniform || k < kSmallClasses)
        gained |= Small::Units::template drop_stale<typename Small::Storage, Hooks>(heap_, k);
      else if constexpr (!kUniform)
        gained |= Large::Units::template drop_stale<typename Large::Storage, Hooks>(heap_, k);
    }
    return gained;
  }

  /// Makes a chunk one of class k of whose pages `held` are somebody's already.
  template <class V>
  FATHOM_HD void begin(std::uint32_t chunk, std::uint32_t k, std::uint32_t held) const {
    const std::uint64_t s = heap_.state(chunk).load();
    if (begins_a_half<Hooks>(generation_to_use(s)))
      detail::drop_all_stale<V, Hooks>(heap_, level_of(k));
    if (kind_of(s) == ChunkKind::Untouched)
      for (std::uint32_t i = 1; i < units_of(level_of(k)); ++i)
        heap_.state(chunk + i).store(make_state(0, ChunkKind::Part, k, i), Order::Release);
    heap_.change_use(chunk, make_state(generation_to_use(s), ChunkKind::Pages, k, held));
  }

  template <class V, LaneGroup G>
  FATHOM_HD void release(const G& group, std::uint32_t k, bool mine, PageRef page) const {
    V::Units::template put_back<typename V::Storage, Hooks>(heap_, k, group, mine, page);
    const Party<G> party(group, mine);
    if (party.leads()) BulkSemaphore<Hooks>(heap_.size_class(k).pages).signal(party.count());
  }

  /// The page that begins at p, and its class.
  FATHOM_HD PageRef page_at(void* p, std::uint32_t& k) const {
    auto* byte = static_cast<std::byte*>(p);
    if (Hooks::kChecks && (byte < heap_.base || byte >= heap_.data_end())) return fault(0);
    const auto behind = static_cast<std::uint64_t>(heap_.data_end() - byte);
    auto chunk = static_cast<std::uint32_t>((behind - 1) / kChunkBytes);
    if (Hooks::kChecks && chunk >= heap_.chunks_taken()) return fault(0);
    std::uint64_t s = heap_.state(chunk).load();
    if (kind_of(s) == ChunkKind::Part) {
      chunk -= held_of(s);
      s = heap_.state(chunk).load();
    }
    if (Hooks::kChecks && kind_of(s) != ChunkKind::Pages) return fault(0);
    k = class_in(s);
    const auto offset =
        static_cast<std::uint64_t>(byte - heap_.chunk_data(chunk, units_of(level_of(k))));
    const PageRef page{chunk, static_cast<std::uint32_t>(offset >> (kPageShift + k))};
    if constexpr (Hooks::kChecks) {
      if (offset % page_bytes(k) != 0) return fault(0);
      const std::uint64_t bit = std::uint64_t{1} << page.page % 64;
      if (!(heap_.live(chunk, page.page / 64).fetch_and(~bit) & bit)) return fault(32);
    }
    return page;
  }

  FATHOM_HD PageRef fault(int shift) const {
    heap_.control().faults.atomic().fetch_add(std::uint64_t{1} << shift);
    return {};
  }

  Heap heap_;
};

}  // namespace fathom::memory
