// A graph's pages on a GPU from one of the managers of fathom/memory: up to 1 MiB each from the
// manager, in arenas from the end of the address range on, larger ones from a pool at its
// beginning.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "fathom/dynamic/pages/cuda/allocated_pages.cuh"
#include "fathom/dynamic/pages/live_arenas.hpp"
#include "fathom/dynamic/pages/stepped_claim.hpp"
#include "fathom/memory/ouroboros.cuh"

namespace fathom::dynamic::gpu {

/// What AllocatedPages asks of the owner of a manager's memory.
template <class Manager>
class ManagerOwner {
 public:
  static constexpr bool kShared = false;
  static constexpr int kLeast = memory::kClasses;

  struct Ref : ArenasRef<Manager> {
    FATHOM_HD static bool has(std::uint64_t bytes) { return bytes <= memory::kMostBytes; }
  };

  /// Arenas begin at multiples of what is mapped at a time: the limit is reached before addresses
  /// run out, unless it is close to all that pages can have.
  static std::size_t addresses_for(std::size_t limit) {
    return std::min(2 * limit + (std::size_t{64} << 20), kMostPageBytes);
  }

  ManagerOwner(cuda::Gpu& gpu, MappedMemory& memory, std::size_t limit)
      : gpu_(gpu),
        memory_(memory),
        claimed_(std::min(memory.addresses(), kMostPageBytes / memory.step() * memory.step()),
                 memory.step(), limit),
        arenas_(memory.data(), claimed_.from()),
        arena_(ArenaStack<Manager>::kMost, gpu.memory()),
        single_(1, gpu.memory()) {}

  std::uint32_t* region() const { return reinterpret_cast<std::uint32_t*>(memory_.data()); }
  Ref ref(ArenaTurn* turn) const { return {{view(), arenas(), turn}}; }
  std::uint32_t arenas() const { return static_cast<std::uint32_t>(arenas_.all().size()); }
  static std::uint64_t most() { return std::numeric_limits<std::uint64_t>::max(); }
  static std::size_t reserved() { return 0; }

  void grow(const Turns& turns, std::uint64_t bytes) {
    add(units_for([&](std::uint32_t k) { return turns[k].missing; }), bytes);
  }

  /// For kernels that take pages one by one, while none does: has so many bytes that no page was
  /// ever made of. @throws Error(DoesNotFit)
  void reserve(std::uint64_t bytes) {
    const std::uint64_t wanted = (bytes + memory::kChunkBytes - 1) / memory::kChunkBytes;
    for (std::uint64_t there; (there = untouched()) < wanted;) add(wanted - there, bytes);
    turns_.grown(arenas());
    gpu_.copy(single_.data(), &turns_, sizeof(turns_));
  }
  LiveManager live(PageAllocator allocator) {
    return {allocator, memory_.data(), arena_.data(), single_.data()};
  }

 private:
  ArenasView<Manager> view() const { return {memory_.data(), arena_.data()}; }

  /// The last arena, or a new one, serves so many units more.
  void add(std::uint64_t units, std::uint64_t bytes) {
    Site site{*this};
    const std::uint64_t step = memory_.step();
    if (!arenas_.grow(site, units, (memory_.usable() + step - 1) / step * step))
      throw Error(ErrorCode::DoesNotFit,
                  "a graph that changes has no addresses left for pages of " + format_bytes(bytes) +
                      ", which are needed");
    const auto all = arenas_.all();
    gpu_.copy(arena_.data(), all.data(), all.size_bytes());
    memory_.limit_to(std::min(memory_.usable() + claimed_.left(memory_.usable()),
                              std::size_t{arenas_.bottom()}));
  }

  /// Units that chunks may take and never took.
  std::uint64_t untouched() const {
    std::uint64_t units = 0;
    for (const Arena<Manager>& a : arenas_.all()) {
      const memory::Heap& heap = a.manager.heap();
      std::uint64_t bounds = 0;
      gpu_.copy(&bounds, heap.base + heap.layout.control + offsetof(memory::Control, bounds),
                sizeof(bounds));
      units += a.usable - std::min(a.usable, bounds & 0xffffffff);
    }
    return units;
  }

  struct Site {
    ManagerOwner& owner;

    std::uint64_t step() const { return owner.claimed_.step(); }
    std::uint64_t left() const { return owner.claimed_.left(owner.memory_.usable()); }
    std::uint64_t claim(std::uint64_t begin) {
      return owner.claimed_.claim(
          begin, owner.memory_.usable(),
          [&](std::uint64_t first, std::uint64_t last) { owner.memory_.map_behind(first, last); });
    }
    void reset(const Manager& manager, std::uint64_t usable) const {
      cudaStream_t stream = owner.gpu_.stream();
      memory::kernels::reset_heap_tables<Manager><<<1024, 256, 0, stream>>>(manager.heap());
      memory::kernels::reset_heap_control<Manager><<<1, 1, 0, stream>>>(manager.heap(), 0, usable);
      cuda::check(cudaGetLastError(), "making the tables of a memory manager");
    }
    void limit(const Manager& manager, std::uint64_t units) const {
      // The front, in the upper half, is empty.
      const memory::Heap& heap = manager.heap();
      owner.gpu_.copy(heap.base + heap.layout.control + offsetof(memory::Control, limits), &units,
                      sizeof(units));
    }
  };

  cuda::Gpu& gpu_;
  MappedMemory& memory_;
  SteppedClaim claimed_;
  ArenaStack<Manager> arenas_;
  SingleTurns turns_;
  // On the device.
  Array<Arena<Manager>> arena_;
  Array<SingleTurns> single_;
};

template <class Variant>
std::unique_ptr<GpuPages> make_manager_pages(PageAllocator allocator, cuda::Gpu& gpu,
                                             std::size_t limit, const HostShare& host) {
  return std::make_unique<AllocatedPages<ManagerOwner<memory::Ouroboros<Variant>>>>(allocator, gpu,
                                                                                    limit, host);
}

}  // namespace fathom::dynamic::gpu
