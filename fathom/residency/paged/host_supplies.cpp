#include "fathom/residency/paged/host_supplies.hpp"

namespace fathom {

void HostSupply::start(std::span<const std::size_t> pages, bool weights) {
  wanted_.assign(pages.begin(), pages.end());
  next_ = 0;
  weights_ = weights && weight_pages();
}

std::optional<SuppliedPage> HostSupply::next() {
  if (next_ == wanted_.size()) return std::nullopt;
  return page(wanted_[next_++], weights_);
}

void HostSupply::stop() noexcept {
  wanted_.clear();
  next_ = 0;
}

HostArraysSupply::HostArraysSupply(const CsrView& csr, std::shared_ptr<const void> owner,
                                   std::size_t page_bytes)
    : HostSupply(PageShape::csr(csr.vertices, csr.edges, csr.weight != nullptr, page_bytes),
                 std::move(owner)),
      csr_(csr) {}

SuppliedPage HostArraysSupply::page(std::size_t page, bool weights) const {
  const std::size_t first = page * (page_bytes() / sizeof(VertexId));
  return {page, page_memory(false).data() + first * sizeof(VertexId),
          weights ? page_memory(true).data() + first * sizeof(Weight) : nullptr, bytes_of(page)};
}

std::span<const std::byte> HostArraysSupply::page_memory(bool weights) const {
  const std::size_t edges = csr_.edges;
  if (!weights) return std::as_bytes(std::span(csr_.target, edges));
  return std::as_bytes(std::span(csr_.weight, csr_.weight ? edges : 0));
}

std::vector<std::span<const std::byte>> HostArraysSupply::host_memory() const {
  return {std::as_bytes(std::span(csr_.offset, csr_.vertices + std::size_t{1})),
          HostArraysSupply::page_memory(false), HostArraysSupply::page_memory(true)};
}

HostPagesSupply::HostPagesSupply(store::SlottedLists lists, std::shared_ptr<const void> owner)
    : HostSupply({lists.vertices, lists.edges, lists.weighted(), lists.layout.page_bytes,
                  lists.rvt.size() * std::uint64_t{lists.layout.page_bytes}, false},
                 std::move(owner)),
      lists_(std::move(lists)) {}

SuppliedPage HostPagesSupply::page(std::size_t page, bool) const {
  if (lists_.check) lists_.check(page, 1);
  return {page, lists_.page(page), nullptr, page_bytes()};
}

std::span<const std::byte> HostPagesSupply::page_memory(bool weights) const {
  if (weights) return {};  // they are on the same pages
  return {lists_.pages, lists_.rvt.size() * page_bytes()};
}

std::vector<std::span<const std::byte>> HostPagesSupply::host_memory() const {
  return {std::as_bytes(std::span(lists_.offset, lists_.vertices + std::size_t{1})),
          page_memory(false)};
}

}  // namespace fathom
