#include "fathom/store/mapped_pages.hpp"

#include <fmt/format.h>

#include "fathom/store/slotted_pages.hpp"

namespace fathom::store {

std::optional<SlottedLayout> slotted_layout(MappedSections& sections) {
  const auto format = sections.touch<std::uint32_t>(SectionId::Slotted, 1);
  if (format.empty()) return {};
  const SlottedLayout layout{
      format[0], format[1], sections.layout().find(SectionId::OutPages)->element_bytes,
      sections.layout().header.weighted ? static_cast<std::uint32_t>(sizeof(Weight)) : 0};
  const auto widths = std::pair(format[0], format[1]);
  const bool known = widths == std::pair(2u, 2u) || widths == std::pair(3u, 3u) ||
                     widths == std::pair(2u, 4u) || widths == std::pair(4u, 2u);
  if (!known || format[2] != slotted::kVidBytes || format[3] != 0)
    throw_bad_store(sections.file().path(),
                    fmt::format("section 'slotted': unknown widths {}, {}, {}, {}", format[0],
                                format[1], format[2], format[3]));
  for (const SectionId rvt : {SectionId::OutRvt, SectionId::InRvt})
    if (const SectionEntry* s = sections.layout().find(rvt))
      if (s->bytes / sizeof(RvtEntry) > layout.most_pages())
        throw_bad_store(sections.file().path(),
                        fmt::format("section '{}': more pages than ids of {} bytes can number",
                                    name_of(rvt), layout.pid_bytes));
  return layout;
}

MappedPages::MappedPages(MappedSections& sections, const SlottedLayout& layout, SectionId offsets,
                         SectionId rvt, SectionId pages)
    : sections_(sections), layout_(layout), offsets_(offsets), rvt_id_(rvt), pages_id_(pages) {}

SlottedLists MappedPages::lists(int threads) {
  read_rvt(threads);
  SlottedLists lists = lists_;
  lists.offset = sections_.touch<EdgeId>(offsets_, threads).data();
  return lists;
}

SlottedStatistics MappedPages::statistics() {
  read_rvt(1);
  return statistics_of(layout_, lists_.rvt, lists_.vertices);
}

void MappedPages::read_rvt(int threads) {
  std::call_once(opened_, [&] {
    const Header& header = sections_.layout().header;
    lists_ = {layout_,
              header.vertices,
              header.edges,
              nullptr,
              sections_.touch<RvtEntry>(rvt_id_, threads),
              sections_.unchecked(pages_id_).data(),
              [this](std::size_t first, std::size_t count) { check(first, count); }};
    if (const std::string fault = fault_of_rvt(layout_, lists_.rvt, header.vertices, header.edges);
        !fault.empty())
      throw_bad_store(sections_.file().path(),
                      fmt::format("section '{}': {}", name_of(rvt_id_), fault));
    checked_ = std::make_unique<std::atomic<bool>[]>(lists_.rvt.size());
  });
}

void MappedPages::check(std::size_t first, std::size_t count) {
  for (std::size_t p = first; p < first + count; ++p) {
    // Acquire pairs with the release: whoever sees true sees a page that was checked.
    if (checked_[p].load(std::memory_order_acquire)) continue;
    check_again(p);  // two threads may both do it, with the same outcome
    checked_[p].store(true, std::memory_order_release);
  }
}

void MappedPages::check_again(std::size_t p) const {
  const std::span<const std::byte> page(lists_.page(p), layout_.page_bytes);
  sections_.read_ahead(page);
  const std::uint64_t at =
      sections_.layout().find(pages_id_)->offset + p * std::uint64_t{layout_.page_bytes};
  auto fail = [&](const std::string& what) {
    throw_bad_store(sections_.file().path(),
                    fmt::format("section '{}': page {} (bytes {} to {}) {}", name_of(pages_id_), p,
                                at, at + layout_.page_bytes - 1, what));
  };
  if (checksum(page) != lists_.rvt[p].checksum) fail("does not match its checksum");
  if (const std::string fault = fault_of_page(lists_, p, page.data()); !fault.empty())
    fail("is no page: " + fault);
}

}  // namespace fathom::store
