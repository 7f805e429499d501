#include "fathom/residency/paged/page_supply.hpp"

#include <bit>

#include "fathom/core/units.hpp"

namespace fathom {

std::uint32_t page_shift_of(std::size_t page_bytes) {
  if (!std::has_single_bit(page_bytes) || page_bytes < sizeof(VertexId) ||
      page_bytes > std::size_t{1} << 32)
    throw Error(ErrorCode::Usage, "a page has a power of two of bytes between 4 and 4 GiB, not " +
                                      format_bytes(page_bytes));
  return static_cast<std::uint32_t>(std::countr_zero(page_bytes / sizeof(VertexId)));
}

PageSupply::PageSupply(const PageShape& shape) : shape_(shape) {
  page_shift_of(shape.page_bytes);
}

SuppliedPage PageSupply::page(std::size_t, bool) const {
  throw Error(ErrorCode::Internal, "a page that is not in memory was not asked for");
}

}  // namespace fathom
