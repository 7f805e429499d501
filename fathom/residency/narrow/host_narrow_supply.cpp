#include "fathom/residency/narrow/host_narrow_supply.hpp"

namespace fathom {

HostNarrowSupply::HostNarrowSupply(store::NarrowLists lists, std::shared_ptr<const void> owner,
                                   std::size_t page_bytes)
    : HostEncodedSupply(PageShape::csr(lists.vertices, lists.edges, lists.weighted(), page_bytes),
                        std::move(owner), std::move(lists)),
      all_{lists_.words.data(), 0, lists_.words.size()} {
  for (std::size_t p = 0; p < pages(); ++p) {
    NarrowPage& page = page_[p];
    page.layout = lists_.layout;
    page.vertices = lists_.vertices;
    page.first = p * std::uint64_t{page_bytes / sizeof(VertexId)};
    page.entries = bytes_of(p) / sizeof(VertexId);
    page.runs = {&all_, 1};
    page.values = lists_.values;
    page.name = &lists_.name;
  }
}

std::span<const std::byte> HostNarrowSupply::page_memory(bool weights) const {
  if (weights) return {};  // their codes are among the entries
  return std::as_bytes(lists_.words);
}

std::vector<std::span<const std::byte>> HostNarrowSupply::host_memory() const {
  return {std::as_bytes(offsets()), HostNarrowSupply::page_memory(false),
          std::as_bytes(lists_.values)};
}

}  // namespace fathom
