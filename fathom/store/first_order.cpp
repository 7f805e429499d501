#include "fathom/store/first_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

bool is_reordered(const Store& store) {
  return std::ranges::any_of(store.sections(),
                             [](const SectionInfo& its) { return its.name == "permutation"; });
}

FirstOrder first_order(const std::string& path, const std::shared_ptr<MemoryPool>& memory) {
  const StoreFile file(path, Parts::Allowed);
  if (!file.layout().find(SectionId::Permutation)) return {};
  const VertexId n = file.layout().header.vertices;
  FirstOrder order{Array<VertexId>(n, memory), Array<VertexId>(n, kNoVertex, memory)};
  SectionBlocks(file, SectionId::Permutation).read(0, std::as_writable_bytes(order.row.span()));
  for (VertexId v = 0; v < n; ++v) {
    const VertexId row = order.row[v];
    if (row >= n || order.vertex[row] != kNoVertex)
      throw_bad_store(path, fmt::format("section 'permutation': element {}: position {} {}", v, row,
                                        row < n ? "occurs twice" : "is no vertex's"));
    order.vertex[row] = v;
  }
  return order;
}

}  // namespace fathom::store
