#include "fathom/store/slotted/slotted_sections.hpp"

#include <fmt/format.h>

#include "fathom/store/slotted/slotted_pages.hpp"

namespace fathom::store {

SlottedLayout decode_slotted(const StoreFile& file, std::span<const std::uint32_t> format) {
  const Layout& its = file.layout();
  const SlottedLayout layout{format[0], format[1], its.find(SectionId::OutPages)->element_bytes,
                             its.header.weighted ? static_cast<std::uint32_t>(sizeof(Weight)) : 0};
  const auto widths = std::pair(format[0], format[1]);
  const bool known = widths == std::pair(2u, 2u) || widths == std::pair(3u, 3u) ||
                     widths == std::pair(2u, 4u) || widths == std::pair(4u, 2u);
  if (!known || format[2] != slotted::kVidBytes || format[3] != 0)
    throw_bad_store(file.path(), fmt::format("section 'slotted': unknown widths {}, {}, {}, {}",
                                             format[0], format[1], format[2], format[3]));
  for (const SectionId rvt : {SectionId::OutRvt, SectionId::InRvt})
    if (const SectionEntry* s = its.find(rvt))
      if (s->bytes / sizeof(RvtEntry) > layout.most_pages())
        throw_bad_store(file.path(),
                        fmt::format("section '{}': more pages than ids of {} bytes can number",
                                    name_of(rvt), layout.pid_bytes));
  return layout;
}

void check_rvt(const StoreFile& file, SectionId rvt, const SlottedLists& lists) {
  const std::string fault = fault_of_rvt(lists.layout, lists.rvt, lists.vertices, lists.edges);
  if (!fault.empty())
    throw_bad_store(file.path(), fmt::format("section '{}': {}", name_of(rvt), fault));
}

void check_page(const StoreFile& file, SectionId pages, const SlottedLists& lists, std::size_t p,
                const std::byte* content) {
  const std::string fault = fault_of_page(lists, p, content);
  if (!fault.empty()) throw_bad_page(file, pages, p, "is no page: " + fault);
}

void throw_bad_page(const StoreFile& file, SectionId pages, std::size_t p,
                    const std::string& what) {
  const SectionEntry& entry = *file.layout().find(pages);
  const std::uint64_t at = entry.offset + p * std::uint64_t{entry.element_bytes};
  throw_bad_store(file.path(),
                  fmt::format("section '{}': page {} (bytes {} to {}) {}", name_of(pages), p, at,
                              at + entry.element_bytes - 1, what));
}

}  // namespace fathom::store
