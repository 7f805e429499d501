// The rounds on one GPU, whose memory several devices of a round share.
#include "fathom/fathom.hpp"
#include "tests/cuda/dynamic/live_kernels.hpp"
#include "tests/cuda/memory_kernels.hpp"
#include "tests/stress/stress.hpp"

namespace fathom::testing {
namespace {

class Gpu final : public Machine {
 public:
  AllocatorOutcome allocate(const AllocatorRound& r) override {
    const MemoryRun run = exercise_on_device(static_cast<MemoryVariantName>(r.variant),
                                             {static_cast<MemoryBlocks>(r.shape), r.threads,
                                              r.most_bytes, r.rounds, r.heap_bytes, r.usable});
    return {run.served, run.overlaps, run.live_after, run.broken};
  }
  Context for_changes(std::size_t memory) override { return for_runs(memory, 0); }
  std::vector<LiveResult> change(const LiveChanges& changing,
                                 const std::vector<EdgeUpdate>& updates,
                                 std::uint32_t group) override {
    return changing.manager().allocator == PageAllocator::Pool
               ? change_on_device(changing.lists(), updates, static_cast<LiveLanes>(group))
               : change_on_device(changing, updates);
  }
  Context for_runs(std::size_t memory, std::uint32_t devices) override {
    CudaOptions card;
    card.threads = 2;
    card.device_memory = memory;
    if (devices != 0) card.devices.assign(devices, 0);
    return Context::cuda(card);
  }
  std::vector<ResidencyOptions::Kind> residencies(std::uint32_t devices) override {
    using enum ResidencyOptions::Kind;
    if (devices > 1) return {Stream};
    return {Auto, Resident, ZeroCopy, Stream};
  }
};

}  // namespace

std::unique_ptr<Machine> make_machine() {
  return std::make_unique<Gpu>();
}

}  // namespace fathom::testing
