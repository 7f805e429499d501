#include "fathom/residency/host_arrays_supply.hpp"

#include <algorithm>

namespace fathom {

void HostArraysSupply::start(std::span<const std::size_t> pages, bool weights) {
  wanted_.assign(pages.begin(), pages.end());
  next_ = 0;
  weights_ = weights && weighted();
}

std::optional<SuppliedPage> HostArraysSupply::next() {
  if (next_ == wanted_.size()) return std::nullopt;
  const std::size_t page = wanted_[next_++];
  const std::size_t first = page * (page_bytes() / sizeof(VertexId));
  const std::size_t count =
      std::min(page_bytes() / sizeof(VertexId), static_cast<std::size_t>(edges()) - first);
  return SuppliedPage{page, reinterpret_cast<const std::byte*>(csr_.target + first),
                      weights_ ? reinterpret_cast<const std::byte*>(csr_.weight + first) : nullptr,
                      count * sizeof(VertexId)};
}

}  // namespace fathom
