#include "fathom/store/slotted/slotted.hpp"

#include <fmt/format.h>

#include <bit>

#include "fathom/core/units.hpp"
#include "fathom/store/format.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"

namespace fathom::store {

void check_slotted_options(const SlottedOptions& o) {
  constexpr std::size_t kLeast = std::size_t{64} << 10, kMost = std::size_t{64} << 20;
  const auto widths = std::pair(o.pid_bytes, o.slot_bytes);
  if (widths != std::pair(2, 2) && widths != std::pair(3, 3) && widths != std::pair(2, 4) &&
      widths != std::pair(4, 2))
    throw Error(ErrorCode::Usage,
                fmt::format("record ids of {} and {} bytes are not known; page id and slot number "
                            "have 3 and 3 bytes (the default), 2 and 2, 2 and 4, or 4 and 2",
                            o.pid_bytes, o.slot_bytes));
  if (!std::has_single_bit(o.page_bytes) || o.page_bytes < kLeast || o.page_bytes > kMost)
    throw Error(ErrorCode::Usage,
                fmt::format("a slotted page has a power of two of bytes from 64 KiB to 64 MiB, "
                            "such as 1 MiB, not {}",
                            format_bytes(o.page_bytes)));
  // A vertex with one edge is what the paper counts with: more of them than there are slot numbers
  // have no place on a page, and larger pages would stay partly empty.
  const SlottedLayout layout = layout_of(o, false);
  const std::uint64_t most = layout.most_slots() * (layout.record_bytes(1) + slotted::kSlotBytes);
  if (o.page_bytes > most)
    throw Error(
        ErrorCode::Usage,
        fmt::format("slot numbers of {} bytes serve pages of at most {} (GTS, Table 2), not "
                    "{}; pages of 1 MiB work, and so do page ids and slot numbers of 3 and "
                    "3 bytes",
                    o.slot_bytes, format_bytes(most), format_bytes(o.page_bytes)));
}

SlottedStatistics statistics_of(const SlottedLayout& layout, std::span<const RvtEntry> rvt,
                                VertexId vertices) {
  SlottedStatistics s;
  for (std::size_t p = 0; p < rvt.size(); ++p) {
    const RvtEntry& e = rvt[p];
    if (e.lp_count == 0) {
      ++s.small_pages;
      s.vertices_on_small += slots_of(rvt, p, vertices);
      s.entries_on_small += e.entries;
    } else {
      ++s.large_pages;
      s.large_vertices += e.lp_index == 0 ? 1 : 0;
      s.entries_on_large += e.entries;
    }
  }
  s.bytes = rvt.size() * std::uint64_t{layout.page_bytes};
  return s;
}

RvtTables::RvtTables(std::span<const RvtEntry> rvt, VertexId vertices) {
  start_vid.reserve(rvt.size() + 1);
  large.reserve(rvt.size());
  for (const RvtEntry& e : rvt) {
    start_vid.push_back(static_cast<VertexId>(e.start_vid));
    large.push_back(e.lp_count == 0 ? LargePage{} : LargePage{e.lp_index, e.entries});
  }
  start_vid.push_back(vertices);
  if (rvt.empty()) return;
  const std::uint64_t last = vertices - 1;
  while ((last >> hint_shift) + 2 > 2 * rvt.size() + 1) ++hint_shift;
  const std::size_t buckets = static_cast<std::size_t>(last >> hint_shift) + 1;
  hint.reserve(buckets + 1);
  std::uint32_t page = 0;
  for (std::uint64_t b = 0; b < buckets; ++b) {
    while (page + 1 < rvt.size() && rvt[page + 1].start_vid <= b << hint_shift) ++page;
    hint.push_back(page);
  }
  hint.push_back(static_cast<std::uint32_t>(rvt.size() - 1));
}

SlottedImage paginate(const CsrView& lists, const SlottedOptions& options) {
  SlottedImage image;
  SlottedLists& made = image.lists;
  made.layout = layout_of(options, lists.weight != nullptr);
  made.vertices = lists.vertices;
  made.edges = lists.edges;
  image.offset.assign(1, 0);
  if (lists.vertices > 0)
    image.offset.assign(lists.offset, lists.offset + lists.vertices + std::size_t{1});
  Paginator paginator(made.layout);
  for (VertexId v = 0; v < lists.vertices; ++v) paginator.add(lists.degree(v));
  paginator.finish();
  if (!paginator.fits())
    throw Error(ErrorCode::DoesNotFit,
                fmt::format("{} pages are more than page ids of {} bytes can number",
                            paginator.pages(), options.pid_bytes));
  image.rvt = paginator.take();
  image.pages.resize(image.rvt.size() * options.page_bytes);
  const RvtTables tables(image.rvt, lists.vertices);
  const PageEncoder encoder(made.layout, image.rvt, tables);
  EdgeId first = 0;
  for (std::size_t p = 0; p < image.rvt.size(); ++p) {
    RvtEntry& e = image.rvt[p];
    const auto page = std::span(image.pages).subspan(p * options.page_bytes, options.page_bytes);
    const std::span<const VertexId> target(lists.target + first, e.entries);
    const std::span<const Weight> weight(lists.weight ? lists.weight + first : nullptr,
                                         lists.weight ? e.entries : 0);
    encoder.encode(
        p,
        std::span(image.offset)
            .subspan(static_cast<std::size_t>(e.start_vid),
                     static_cast<std::size_t>(slots_of(image.rvt, p, lists.vertices)) + 1),
        target, weight, page);
    e.checksum = checksum(page);
    first += e.entries;
  }
  made.offset = image.offset.data();
  made.rvt = image.rvt;
  made.pages = image.pages.data();
  return image;
}

Csr unpack(const SlottedLists& lists) {
  Csr csr{Array<EdgeId>::copy_of({lists.offset, std::size_t{lists.vertices} + 1}),
          Array<VertexId>(static_cast<std::size_t>(lists.edges)),
          Array<Weight>(lists.weighted() ? static_cast<std::size_t>(lists.edges) : 0)};
  std::size_t first = 0;
  for (std::size_t p = 0; p < lists.rvt.size(); ++p) {
    if (lists.check) lists.check(p, 1);
    const std::size_t n = lists.rvt[p].entries;
    decode_page(lists.layout, lists.rvt, p, lists.page(p), csr.target.span().subspan(first, n),
                lists.weighted() ? csr.weight.span().subspan(first, n) : std::span<Weight>());
    first += n;
  }
  return csr;
}

}  // namespace fathom::store
