#include "fathom/residency/ssd/slotted_rvt.hpp"

#include <cstring>

#include "fathom/store/slotted/slotted_sections.hpp"

namespace fathom {

using store::SectionId;

std::shared_ptr<const SlottedRvt> read_rvt(const Context& ctx, SectionReads& reads, SectionId rvt,
                                           SectionId pages) {
  const store::StoreFile& file = reads.file();
  const store::Header& header = file.layout().header;
  std::array<std::uint32_t, 4> format{};
  read_section(ctx, reads, SectionId::Slotted, [&](std::uint64_t, std::span<const std::byte> part) {
    std::memcpy(format.data(), part.data(), sizeof(format));
  });
  const store::SlottedLayout layout = store::decode_slotted(file, format);
  auto table = std::make_shared<SlottedRvt>();
  table->entries = read_array<store::RvtEntry>(ctx, reads, rvt);
  table->lists.layout = layout;
  table->lists.vertices = header.vertices;
  table->lists.edges = header.edges;
  table->lists.rvt = table->entries.span();
  store::check_rvt(file, rvt, table->lists);
  reads.check_values_with(
      pages, layout.page_bytes,
      [&file, pages, table](std::uint64_t first, std::span<const std::byte> page) {
        store::check_page(file, pages, table->lists, static_cast<std::size_t>(first / page.size()),
                          page.data());
      });
  return table;
}

}  // namespace fathom
