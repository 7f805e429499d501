// Pages that kernels take one by one from an allocator and give back to it, in parallel.
//
// A manager may have nothing, or nothing for one of thousands who ask at the same time. What a
// batch could not get stays without a page, and is asked for again once there is more; what it got
// stays its own until it is committed or given up.
#pragma once

#include <array>
#include <utility>

#include "fathom/core/units.hpp"
#include "fathom/dynamic/batches/blocks/allocated_body.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"
#include "fathom/dynamic/lists/cuda/mailbox.hpp"
#include "fathom/dynamic/pages/cuda/gpu_pages.hpp"

namespace fathom::dynamic::gpu {

namespace kernels {

template <PartAllocator A>
__global__ void __launch_bounds__(kBlock) take_pages(A pages, Side side, const Totals* totals) {
  blocks::take_pages(ThisBlock{}, pages, side, totals);
}

template <PartAllocator A>
__global__ void __launch_bounds__(kBlock) give_up_pages(A pages, Side side) {
  blocks::give_up_pages(ThisBlock{}, pages, side);
}

template <PartAllocator A>
__global__ void __launch_bounds__(kBlock) leave_to(A pages, Side side, const Totals* totals) {
  blocks::leave_to(ThisBlock{}, pages, side, totals);
}

template <PartAllocator A>
__global__ void __launch_bounds__(kBlock)
    free_to(A pages, BulkPoolRef pool, const PageRequest* page, std::size_t n) {
  blocks::free_to(ThisBlock{}, pages, pool, page, n);
}

template <PartAllocator A>
__global__ void __launch_bounds__(kBlock)
    forget_lists(A pages, DynamicListsRef lists, std::size_t n) {
  blocks::forget_lists(ThisBlock{}, pages, lists, n);
}

}  // namespace kernels

using Turns = std::array<ArenaTurn, kPageSizes>;

/// Writes what the lists of a side ask for, where there is room for it.
void request_pages(cuda::Gpu& gpu, const Side& side);
/// Before pages are asked for: see ArenaTurn. `newest`: the arena to begin with, or kNoPage.
void begin_turns(cuda::Gpu& gpu, ArenaTurn* turn, std::uint32_t arenas, std::uint32_t newest);
/// The batch does not go on if a page is missing, or if all would come to more than `most` bytes.
/// `found` and `turns` [kPageSizes], in pinned memory, hear of it.
void hold_back(cuda::Gpu& gpu, const ArenaTurn* turn, std::uint64_t most, Totals* totals,
               Totals* found, ArenaTurn* turns);

/// Pages from an Owner of memory, which is made of (gpu, the memory of GpuPages, limit):
///
///   addresses_for(limit)     of the memory of GpuPages
///   kLeast                   as in GpuPages, of the pages that Ref does not have
///   Ref, ref(turn)           what kernels call, a PartAllocator
///   region()                 where page 0 is
///   arenas()                 that it has now
///   most()                   bytes of pages that it hands out
///   grow(turns, missing)     has more memory for what is missing, or throws Error(DoesNotFit)
///   reserved()               beside the memory of GpuPages
///   live(), reserve(bytes)   as in GpuPages
///   kShared                  pages of lists that die have to be given back
template <class Owner>
class AllocatedPages final : public GpuPages {
 public:
  AllocatedPages(PageAllocator allocator, cuda::Gpu& gpu, std::size_t limit, const HostShare& host)
      : GpuPages(gpu, limit, host, Owner::addresses_for(std::min(limit, kMostPageBytes)),
                 Owner::kLeast),
        allocator_(allocator),
        owner_(gpu, memory_, std::min(limit, kMostPageBytes)),
        turn_(kPageSizes, gpu.memory()) {
    cuda::check(cudaMemsetAsync(turn_.data(), 0, kPageSizes * sizeof(ArenaTurn), gpu.stream()),
                "clearing memory");
  }

  std::uint32_t* region() const override { return owner_.region(); }
  /// Who asks one by one takes what there is, wherever it is.
  void expect(const std::uint64_t*) override {}

  void assign(const Side* sides, const Rooms& rooms, Totals* totals, Totals* found) override {
    begin_turns(gpu_, turn_.data(), owner_.arenas(), std::exchange(newest_, kNoPage));
    for (int s = 0; s < rooms.sides; ++s) {
      const Side& side = sides[s];
      if (side.changes == 0) continue;
      if (!side.asked) request_pages(gpu_, side);
      kernels::take_pages<<<blocks_for(gpu_, side.changes), kBlock, 0, gpu_.stream()>>>(ref(), side,
                                                                                        totals);
    }
    cuda::check(cudaGetLastError(), "taking pages");
    GpuPages::assign(sides, rooms, totals, found);
    const std::uint64_t used = pool_.used();
    hold_back(gpu_, turn_.data(), owner_.most() - used, totals, found, turns_->data());
  }

  void grow(const Totals& found) override {
    std::uint64_t pages = 0, bytes = 0, wanted = 0;
    for (std::size_t k = 0; k < kPageSizes; ++k) {
      const std::uint64_t each = std::uint64_t{kDynamicUnit} << k;
      pages += (*turns_)[k].missing;
      bytes += (*turns_)[k].missing * each;
      wanted += found.wanted[k] * each;
    }
    const std::uint64_t room = owner_.most() - pool_.used();
    if (wanted > room) refuse(wanted);
    GpuPages::grow(found);
    if (pages == 0) return;
    // Who asks beside others may have found nothing where there is something.
    if (!again_ && owner_.arenas() != 0 && pages <= kFew) {
      again_ = true;
      return;
    }
    try {
      owner_.grow(*turns_, bytes);
      newest_ = owner_.arenas() == 0 ? kNoPage : owner_.arenas() - 1;
    } catch (const Error& e) {
      if (again_ || e.code() != ErrorCode::DoesNotFit) throw;
      again_ = true;
    }
  }

  void give_up(const Side* sides, int count) noexcept override {
    again_ = false;
    for (int s = 0; s < count; ++s)
      if (sides[s].changes != 0 && sides[s].asked)
        kernels::give_up_pages<<<blocks_for(gpu_, sides[s].changes), kBlock, 0, gpu_.stream()>>>(
            ref(), sides[s]);
  }

  void commit(const Side& side, const Retired& retired, bool settles,
              const Totals* totals) override {
    GpuPages::commit(side, retired, settles, totals);
    kernels::leave_to<<<blocks_for(gpu_, side.changes), kBlock, 0, gpu_.stream()>>>(ref(), side,
                                                                                    totals);
    cuda::check(cudaGetLastError(), "giving pages back");
  }

  void take_in(const Totals& found) noexcept override {
    again_ = false;
    GpuPages::take_in(found);
  }

  void free(const PageRequest* page, std::size_t n, const std::uint32_t* more) override {
    if (n == 0) return;
    kernels::free_to<<<blocks_for(gpu_, n), kBlock, 0, gpu_.stream()>>>(ref(), pool_.ref(), page,
                                                                        n);
    const std::uint32_t none[kPageSizes] = {};
    pool_.count(none, more);
  }

  void forget(const DynamicListsRef& lists, std::size_t n) noexcept override {
    if constexpr (Owner::kShared)
      if (n != 0)
        kernels::forget_lists<<<blocks_for(gpu_, n), kBlock, 0, gpu_.stream()>>>(ref(), lists, n);
  }

  LiveManager live() override { return owner_.live(allocator_); }
  /// Twice the bytes where pages of more than 1 MiB may be among them, which the pool has.
  void reserve(std::uint64_t border, std::size_t bytes) override {
    if (bytes > memory::kMostBytes) pool_.grow_behind(border, bytes);
    owner_.reserve(bytes);
  }

  std::size_t reserved() const override { return GpuPages::reserved() + owner_.reserved(); }

 private:
  // Pages for which it is tried once more before memory is added.
  static constexpr std::uint64_t kFew = 1024;

  auto ref() const { return owner_.ref(const_cast<ArenaTurn*>(turn_.data())); }
  [[noreturn]] void refuse(std::uint64_t wanted) const {
    throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " +
                                           format_bytes(owner_.most()) + " here, and " +
                                           format_bytes(pool_.used() + wanted) + " are needed");
  }

  PageAllocator allocator_;
  Owner owner_;
  Array<ArenaTurn> turn_;
  Mailbox<Turns> turns_;  // as they were after assign()
  std::uint32_t newest_ = kNoPage;
  bool again_ = false;
};

}  // namespace fathom::dynamic::gpu
