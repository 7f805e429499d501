#include "fathom/residency/ssd/narrow_ssd_supply.hpp"

#include <algorithm>

#include "fathom/store/narrow/narrow_sections.hpp"

namespace fathom {

using store::SectionId;

namespace {

/// A page, and where its words are.
struct NarrowInUnits final : NarrowPage {
  std::vector<NarrowRun> in_units;
};

}  // namespace

NarrowSsdSupply::NarrowSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, bool out,
                                 std::size_t page_bytes)
    : EncodedSsdSupply(ctx, std::move(buffer), out ? SectionId::OutOffsets : SectionId::InOffsets,
                       page_bytes),
      entries_(out ? SectionId::OutEntries : SectionId::InEntries) {
  SectionReads& reads = this->buffer().reads();
  name_ = store::name_of_section(reads.file(), entries_);
  layout_ = store::decode_narrow(reads.file(), format_in(SectionId::Narrow));
  reads.section(entries_);
  if (layout_.weighted()) {
    values_ = read_array<Weight>(ctx, reads, SectionId::WeightValues);
    store::check_weight_values(reads.file(), values_.span());
  }
  announce({&entries_, 1});
}

std::uint64_t NarrowSsdSupply::first_word(std::size_t page) const {
  return first_edge(page) * layout_.entry_bits() / 64;
}

std::uint64_t NarrowSsdSupply::end_word(std::size_t page) const {
  return ((first_edge(page) + entries_of(page)) * layout_.entry_bits() + 63) / 64;
}

std::vector<PageBuffer::Unit> NarrowSsdSupply::units_of(std::size_t page, bool) const {
  std::vector<PageBuffer::Unit> units;
  for (std::uint64_t u = first_word(page) / unit_words(); u * unit_words() < end_word(page); ++u)
    units.push_back({entries_, u});
  return units;
}

std::unique_ptr<EncodedPage> NarrowSsdSupply::page_in(
    std::size_t page, bool, std::span<const std::byte* const> units) const {
  auto found = std::make_unique<NarrowInUnits>();
  found->layout = layout_;
  found->vertices = vertices();
  found->first = first_edge(page);
  found->entries = entries_of(page);
  const std::uint64_t unit = first_word(page) / unit_words(), end = end_word(page);
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::uint64_t first = (unit + u) * unit_words();
    found->in_units.push_back({reinterpret_cast<const std::uint64_t*>(units[u]), first,
                               std::min(unit_words(), end - first)});
  }
  found->runs = found->in_units;
  found->values = values_.span();
  found->name = &name_;
  return found;
}

}  // namespace fathom
