#include "fathom/residency/run_lists.hpp"

#include <algorithm>

#include "fathom/residency/paged/split_needs.hpp"
#include "fathom/residency/spare_memory.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/gpu.hpp"
#endif

namespace fathom {
namespace {

// What caches leave beside vertex state, also for what is rounded up, is no more than this share of
// a small memory.
constexpr std::size_t kBesideShare = 16;

std::size_t scratch_of([[maybe_unused]] const Device& device) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return device.gpu()->scratch_bytes();
#endif
  return 0;
}

}  // namespace

RunLists::RunLists(const Context& ctx, const StateSize& state, const std::vector<Lists>& lists)
    : ctx_(ctx) {
  const EdgeSource* const first = lists.empty() ? nullptr : &lists.front().source;
  const double vertices = first ? static_cast<double>(first->vertices()) : 0;
  const std::size_t operators = ctx.on_gpu() && first ? detail::operator_bytes(first->edges()) : 0;
  for (const Device& device : ctx.devices()) SpareMemory::of(*device.memory());
  // Now that each device has its own, a run begins on all of them or on none.
  for (const Device& device : ctx.devices()) {
    MemoryPool& pool = *device.memory();
    const std::size_t beside = std::min(kBesideCaches, pool.limit() / kBesideShare);
    // What operators of earlier runs took is there for those of this one.
    const std::size_t temporary = operators + beside;
    SpareMemory::of(pool).begin_run(static_cast<std::size_t>(state.whole_here() * vertices) +
                                    state.fixed + temporary -
                                    std::min(temporary, scratch_of(device)));
  }
  begun_ = true;
  try {
    // Hints go last: they take what is spare, and what other lists need is not once these have it.
    for (const bool hints : {false, true})
      for (const Lists& its : lists) {
        if ((its.options.hints != Hints::None) != hints) continue;
        for (const Device& device : ctx.devices())
          SpareMemory::of(*device.memory()).expect(its.reads);
        its.source.prepare(ctx, its.options);
      }
    for (const Device& device : ctx.devices()) SpareMemory::of(*device.memory()).fill();
  } catch (...) {
    end();
    throw;
  }
}

RunLists::~RunLists() {
  if (begun_) end();
}

void RunLists::end() noexcept {
  for (const Device& device : ctx_.devices()) SpareMemory::of(*device.memory()).end_run();
}

}  // namespace fathom
