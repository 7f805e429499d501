// Slotted pages (GTS, sections 2 and 6.1): the graph in units of one size, each of which can be
// read, moved and walked without the others. What is on disk is specified in docs/formats.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/store/slotted/slotted_layout.hpp"

namespace fathom::store {

/// How a graph is cut into slotted pages.
struct SlottedOptions {
  std::size_t page_bytes = std::size_t{1} << 20;  // a power of two, 64 KiB to 64 MiB
  int pid_bytes = 3, slot_bytes = 3;              // (2,2), (3,3), (2,4) or (4,2)
};

/// @throws Error(Usage) that names a configuration which works: a page size that is none or that
///         needs more slots than `slot_bytes` can number (GTS, Table 2), unknown id widths.
FATHOM_API void check_slotted_options(const SlottedOptions& options);

/// A line of the RVT, as it is stored: what RVT[page] says (GTS, appendix A).
struct RvtEntry {
  std::uint64_t start_vid;  // the first vertex on the page
  std::uint32_t lp_index;   // LP_RANGE: this is page lp_index of the lp_count pages of start_vid;
  std::uint32_t lp_count;   // 0, 0 for a small page
  std::uint32_t entries;    // record ids on the page
  std::uint32_t reserved;   // 0
  std::uint64_t checksum;   // XXH3-64 of the page
  friend bool operator==(const RvtEntry&, const RvtEntry&) = default;
};
static_assert(sizeof(RvtEntry) == 32);

/// Slotted pages of one direction in host memory. Does not own them.
struct SlottedLists {
  SlottedLayout layout;
  VertexId vertices = 0;
  EdgeId edges = 0;
  const EdgeId* offset = nullptr;  // [vertices + 1]; degrees, as of a CSR
  std::span<const RvtEntry> rvt;   // a line per page
  const std::byte* pages = nullptr;
  /// Makes sure that pages [first, first + count) are what they should be, once each; to be called
  /// before they are read. Thread-safe. Empty: nothing to check. @throws Error(BadInput).
  std::function<void(std::size_t first, std::size_t count)> check;

  const std::byte* page(std::size_t p) const { return pages + p * layout.page_bytes; }
  bool weighted() const { return layout.weight_bytes != 0; }
};

/// How many pages of which kind (GTS, Tables 3 and 4).
struct SlottedStatistics {
  std::uint64_t small_pages = 0, large_pages = 0;  // S and L
  std::uint64_t vertices_on_small = 0, large_vertices = 0;
  std::uint64_t entries_on_small = 0, entries_on_large = 0;
  std::uint64_t bytes = 0;  // of all pages
};
FATHOM_API SlottedStatistics statistics_of(const SlottedLayout& layout,
                                           std::span<const RvtEntry> rvt, VertexId vertices);

/// The arrays behind an RvtView, in host memory.
struct RvtTables {
  std::vector<VertexId> start_vid;
  std::vector<LargePage> large;
  std::vector<std::uint32_t> hint;
  std::uint32_t hint_shift = 0;

  /// Cost: the pages; 12 bytes each, and at most 8 for the index. `vertices` behind the last page.
  FATHOM_API RvtTables(std::span<const RvtEntry> rvt, VertexId vertices);
  RvtView view() const { return {start_vid.data(), large.data(), hint.data(), hint_shift}; }
};

/// Slotted pages that own their memory.
struct SlottedImage {
  std::vector<EdgeId> offset;
  std::vector<RvtEntry> rvt;
  std::vector<std::byte> pages;
  SlottedLists lists;  // of the above

  SlottedImage() = default;
  SlottedImage(SlottedImage&&) = default;
  SlottedImage& operator=(SlottedImage&&) = default;
};

/// Cuts lists in memory into slotted pages. Pages of any even size from 64 bytes are made: tests
/// and experiments use small ones. @throws Error(DoesNotFit) when there are more pages than ids.
FATHOM_API SlottedImage paginate(const CsrView& lists, const SlottedOptions& options);

/// The lists as they were before: checks pages as it reads them.
FATHOM_API Csr unpack(const SlottedLists& lists);

}  // namespace fathom::store
