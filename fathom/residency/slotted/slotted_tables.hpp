// What kernels of one device need beside the pages to walk slotted pages: the RVT with its index,
// and where each page is now.
#pragma once

#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/residency/slotted/slotted_edges.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom {

class SlottedTables {
 public:
  /// Copies the tables to a device; where pages are is not written. 28 bytes and less per page.
  SlottedTables(const Context& ctx, const Device& device, const store::RvtTables& tables)
      : start_vid_(copy(ctx, device, tables.start_vid)),
        large_(copy(ctx, device, tables.large)),
        hint_(copy(ctx, device, tables.hint)),
        hint_shift_(tables.hint_shift),
        page_at_(tables.large.size(), device.memory()) {}

  /// [pages], in the device's memory.
  Array<const std::byte*>& page_at() { return page_at_; }

  SlottedEdges view(const store::SlottedLayout& layout, EdgeId limit) const {
    return slotted_edges(page_at_.data(),
                         {start_vid_.data(), large_.data(), hint_.data(), hint_shift_}, layout,
                         limit);
  }

 private:
  template <class T>
  static Array<T> copy(const Context& ctx, const Device& device, const std::vector<T>& from) {
    Array<T> array(from.size(), device.memory());
    ctx.copy(array.data(), from.data(), from.size() * sizeof(T));
    return array;
  }

  Array<VertexId> start_vid_;
  Array<store::LargePage> large_;
  Array<std::uint32_t> hint_;
  std::uint32_t hint_shift_;
  Array<const std::byte*> page_at_;
};

}  // namespace fathom
