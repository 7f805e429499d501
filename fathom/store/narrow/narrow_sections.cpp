#include "fathom/store/narrow/narrow_sections.hpp"

#include <fmt/format.h>

#include <cmath>

#include "fathom/store/narrow/weight_codes.hpp"

namespace fathom::store {

NarrowLayout decode_narrow(const StoreFile& file, std::span<const std::uint32_t> format) {
  const Layout& its = file.layout();
  const std::uint32_t id = format[0], code = format[1], values = format[2];
  const bool ids = (id % 4 == 0 && id >= 16 && id <= 32) || (kIdBits == 64 && id > 32 && id <= 40);
  const std::uint32_t expected = !its.header.weighted ? 0 : values <= 256 ? 8 : 16;
  if (!ids || code != expected || values > kMostNarrowWeights || (code == 0 && values != 0) ||
      format[3] != 0)
    throw_bad_store(file.path(), fmt::format("section 'narrow': unknown widths {}, {}, {}, {}", id,
                                             code, values, format[3]));
  const NarrowLayout layout{static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(code), values};
  const auto expect = [&](SectionId section, std::uint64_t elements) {
    const SectionEntry* const s = its.find(section);
    if (s && s->bytes / s->element_bytes != elements)
      throw_bad_store(file.path(),
                      fmt::format("section '{}' has {} elements, expected {}", name_of(section),
                                  s->bytes / s->element_bytes, elements));
  };
  expect(SectionId::OutEntries, layout.words(its.header.edges));
  expect(SectionId::InEntries, layout.words(its.header.edges));
  expect(SectionId::WeightValues, values);
  return layout;
}

void check_weight_values(const StoreFile& file, std::span<const Weight> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const char* const wrong = !std::isfinite(values[i]) ? "is not finite"
                              : i > 0 && !precedes(values[i - 1], values[i])
                                  ? "is not larger than its predecessor"
                                  : nullptr;
    if (wrong)
      throw_bad_store(file.path(), fmt::format("section '{}': element {} {}",
                                               name_of(SectionId::WeightValues), i, wrong));
  }
}

std::size_t end_words(const NarrowLayout& layout, EdgeId edges) {
  return edges % 64 * layout.entry_bits() % 64 == 0 ? 1 : 2;
}

void check_entries_end(const StoreFile& file, SectionId entries, const NarrowLayout& layout,
                       EdgeId edges, std::span<const std::uint64_t> last) {
  const auto used = static_cast<unsigned>(edges % 64 * layout.entry_bits() % 64);
  if (last.back() != 0 || (last.size() > 1 && last.front() >> used != 0))
    throw_bad_store(file.path(), fmt::format("section '{}': what follows the entries is not zero",
                                             name_of(entries)));
}

}  // namespace fathom::store
