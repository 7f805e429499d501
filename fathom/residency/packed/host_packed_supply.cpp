#include "fathom/residency/packed/host_packed_supply.hpp"

#include "fathom/core/units.hpp"

namespace fathom {

using store::packed::kGroup;

void check_packed_page(std::size_t page_bytes) {
  constexpr std::size_t kLeast = kGroup * sizeof(VertexId);
  if (page_bytes < kLeast)
    throw Error(ErrorCode::Usage, "packed lists are streamed in pages of " + format_bytes(kLeast) +
                                      " or more, not of " + format_bytes(page_bytes));
}

HostPackedSupply::HostPackedSupply(store::PackedLists lists, std::shared_ptr<const void> owner,
                                   std::size_t page_bytes)
    : HostEncodedSupply(
          PageShape::csr(lists.vertices, lists.edges, static_cast<bool>(lists.weights), page_bytes),
          std::move(owner), std::move(lists)),
      run_(pages()) {
  check_packed_page(page_bytes);
  const std::size_t entries = page_bytes / sizeof(VertexId);
  for (std::size_t p = 0; p < pages(); ++p) {
    PackedPage& page = page_[p];
    page = PackedPage::at(lists_.layout.id_bits, lists_.vertices, lists_.index,
                          p * std::uint64_t{entries / kGroup}, bytes_of(p) / sizeof(VertexId),
                          lists_.name);
    page.weights = lists_.weights;
    if (lists_.weights) page.weights.at += p * entries * lists_.weights.entry_bytes();
    run_[p] = whole_run(lists_.words, page);
    page.runs = {&run_[p], 1};
  }
}

std::span<const std::byte> HostPackedSupply::page_memory(bool weights) const {
  const auto edges = static_cast<std::size_t>(lists_.edges);
  if (!weights)
    return std::as_bytes(std::span(
        lists_.words, static_cast<std::size_t>(lists_.index.back()) + store::packed::kPadWords));
  return {lists_.weights.at, lists_.weights ? edges * lists_.weights.entry_bytes() : 0};
}

std::vector<std::span<const std::byte>> HostPackedSupply::host_memory() const {
  return {std::as_bytes(offsets()), std::as_bytes(lists_.index),
          HostPackedSupply::page_memory(false), HostPackedSupply::page_memory(true)};
}

}  // namespace fathom
