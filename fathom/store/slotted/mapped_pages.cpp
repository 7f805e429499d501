#include "fathom/store/slotted/mapped_pages.hpp"

#include "fathom/store/slotted/slotted_sections.hpp"

namespace fathom::store {

std::optional<SlottedLayout> slotted_layout(MappedSections& sections) {
  const auto format = sections.touch<std::uint32_t>(SectionId::Slotted, 1);
  if (format.empty()) return {};
  return decode_slotted(sections.file(), format);
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
    check_rvt(sections_.file(), rvt_id_, lists_);
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
  if (checksum(page) != lists_.rvt[p].checksum)
    throw_bad_page(sections_.file(), pages_id_, p, "does not match its checksum");
  check_page(sections_.file(), pages_id_, lists_, p, page.data());
}

}  // namespace fathom::store
