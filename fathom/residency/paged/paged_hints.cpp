// Hints of a PagedSource: on GPUs whose kernels read all lists in place, which finding them takes.
#include <algorithm>

#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/spare_memory.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/cuda/hints.hpp"
#endif

namespace fathom {

const VertexId* PagedSource::hints(const Device& device) {
  // On all devices, or on none.
  const bool all = std::all_of(devices_.begin(), devices_.end(),
                               [](const DevicePages& d) { return !d.hint.empty(); });
  return all ? on(device).hint.data() : nullptr;
}

void PagedSource::prepare_hints() {
#if FATHOM_WITH_CUDA
  const std::size_t bytes = vertices() * sizeof(VertexId);
  for (const DevicePages& d : devices_)
    if (d.hint.empty() && SpareMemory::of(*d.device->memory()).room() < bytes) return;
  const DevicePages& first = devices_[0];
  for (DevicePages& d : devices_) {
    if (d.hint.empty()) {
      Array<VertexId> hint(vertices(), d.device->memory());
      if (&d != &first) {
        ctx_->copy(hint.data(), first.hint.data(), bytes);
      } else {
        const auto held = offsets_held();
        make_ready(false, true);
        const std::span<const std::byte> lists = supply_->page_memory(false);
        if (supply_->reach(false).value_or(0) < lists.size()) return;
        const FlatEdges edges{d.offset.data(), reinterpret_cast<const VertexId*>(lists.data())};
        cuda::find_hints(*d.device->gpu(), edges, {0, vertices()}, hint.data());
      }
      d.hint = std::move(hint);
    }
    SpareMemory::of(*d.device->memory()).hold_for_run(d.hints_handle);
  }
#endif
}

}  // namespace fathom
