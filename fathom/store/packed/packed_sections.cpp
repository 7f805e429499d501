#include "fathom/store/packed/packed_sections.hpp"

#include <fmt/format.h>

#include "fathom/store/narrow/narrow_sections.hpp"

namespace fathom::store {

PackedLayout decode_packed(const StoreFile& file, std::span<const std::uint32_t> format) {
  const Layout& its = file.layout();
  const SectionEntry* const codes = its.find(SectionId::OutCodes);
  const PackedLayout layout{format[0], format[3]};
  if (format[1] != packed::kBlock || format[2] != packed::kGroup ||
      layout.id_bits != packed::id_bits_of(its.header.vertices) || layout.code_bytes > 2 ||
      layout.code_bytes != (codes ? codes->element_bytes : 0))
    throw_bad_store(file.path(), fmt::format("section 'packed': unknown layout {}, {}, {}, {}",
                                             format[0], format[1], format[2], format[3]));
  return layout;
}

void check_code_values(const StoreFile& file, const PackedLayout& layout,
                       std::span<const Weight> values) {
  if (values.size() > std::size_t{1} << (8 * layout.code_bytes))
    throw_bad_store(file.path(),
                    fmt::format("section 'weights.values': {} elements for codes of {} bytes",
                                values.size(), layout.code_bytes));
  check_weight_values(file, values);
}

std::optional<PackedLayout> packed_layout(MappedSections& sections) {
  const auto format = sections.touch<std::uint32_t>(SectionId::Packed, 1);
  if (format.empty()) return {};
  return decode_packed(sections.file(), format);
}

PackedLists mapped_packed(MappedSections& sections, const PackedLayout& layout,
                          const PackedSectionIds& ids, int threads) {
  const StoreFile& file = sections.file();
  const Header& header = sections.layout().header;
  PackedLists lists{layout, header.vertices, header.edges, nullptr,
                    {},     nullptr,         {},           name_of_section(file, ids.words)};
  lists.offset = sections.touch<EdgeId>(ids.offsets, threads).data();
  lists.index = sections.touch<std::uint64_t>(ids.index, threads);
  const auto words = sections.touch<std::uint32_t>(ids.words, threads);
  lists.words = words.data();
  if (const std::string fault =
          fault_of_index(lists.index, lists.edges, layout.id_bits, words.size());
      !fault.empty())
    throw_bad_store(file.path(), fmt::format("section '{}': {}", name_of(ids.index), fault));
  if (layout.code_bytes == 0) {
    if (header.weighted) lists.weights.at = sections.touch<std::byte>(ids.weights, threads).data();
    return lists;
  }
  const auto values = sections.touch<Weight>(SectionId::WeightValues, threads);
  check_code_values(file, layout, values);
  lists.weights = {sections.touch<std::byte>(ids.codes, threads).data(), layout.code_bytes, values};
  return lists;
}

}  // namespace fathom::store
