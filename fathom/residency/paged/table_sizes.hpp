// What each device holds to look pages of one direction up by, beside a bit per page: sources say
// it of themselves, plans of sources that there will be.
#pragma once

#include <cstddef>

#include "fathom/core/platform.hpp"

namespace fathom::detail {

/// Of lists in CSR: where each page is, and the page of its weights.
constexpr std::size_t csr_table_bytes(std::size_t pages, bool weighted) {
  return pages * sizeof(void*) * (weighted ? 2 : 1);
}

/// Of slotted pages: the RVT with its index, and where each page is (SlottedTables).
constexpr std::size_t slotted_table_bytes(std::size_t pages) {
  return pages * (sizeof(VertexId) + 24) + sizeof(VertexId) + 4;
}

constexpr std::size_t page_bits_bytes(std::size_t pages) {
  return (pages + 63) / 64 * 8;
}

}  // namespace fathom::detail
