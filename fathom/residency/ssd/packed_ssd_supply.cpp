#include "fathom/residency/ssd/packed_ssd_supply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/residency/packed/host_packed_supply.hpp"

namespace fathom {

using store::SectionId;

namespace {

/// A page, and where its groups are.
struct PackedInUnits final : PackedPage {
  std::vector<PackedRun> in_units;

  explicit PackedInUnits(const PackedPage& page) : PackedPage(page) {}
};

}  // namespace

PackedSsdSupply::PackedSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, bool out,
                                 std::size_t page_bytes)
    : EncodedSsdSupply(ctx, std::move(buffer), store::PackedSectionIds::of(out).offsets,
                       page_bytes),
      ids_(store::PackedSectionIds::of(out)) {
  check_packed_page(page_bytes);
  SectionReads& reads = this->buffer().reads();
  name_ = store::name_of_section(reads.file(), ids_.words);
  layout_ = store::decode_packed(reads.file(), format_in(SectionId::Packed));
  read_index();
  if (weighted()) read_values();
  std::vector<SectionId> sections{ids_.words};
  if (weighted()) sections.push_back(weight_section());
  announce(sections);
}

void PackedSsdSupply::read_index() {
  SectionReads& reads = buffer().reads();
  index_ = read_array<std::uint64_t>(context(), reads, ids_.index);
  const std::string fault =
      store::fault_of_index(index_.span(), edges(), layout_.id_bits,
                            reads.section(ids_.words).bytes / sizeof(std::uint32_t));
  if (!fault.empty())
    store::throw_bad_store(reads.file().path(),
                           fmt::format("section '{}': {}", store::name_of(ids_.index), fault));
}

void PackedSsdSupply::read_values() {
  if (layout_.code_bytes == 0) return;
  SectionReads& reads = buffer().reads();
  values_ = read_array<Weight>(context(), reads, SectionId::WeightValues);
  store::check_code_values(reads.file(), layout_, values_.span());
}

/// Those of its words, ascending, and that of its weights.
std::vector<PageBuffer::Unit> PackedSsdSupply::units_of(std::size_t page, bool weights) const {
  const std::uint64_t first = group_of(page);
  const std::uint64_t last = std::min<std::uint64_t>(group_of(page + 1), index_.size() - 1);
  std::vector<PageBuffer::Unit> units;
  for (std::uint64_t u = index_[first] / unit_words(); u <= (index_[last] - 1) / unit_words(); ++u)
    units.push_back({ids_.words, u});
  if (weights && weighted()) {
    const std::size_t each = layout_.code_bytes > 0 ? layout_.code_bytes : sizeof(Weight);
    units.push_back({weight_section(), first_edge(page) * each / buffer().unit_bytes()});
  }
  return units;
}

/// No group crosses the border of a unit.
std::unique_ptr<EncodedPage> PackedSsdSupply::page_in(
    std::size_t page, bool weights, std::span<const std::byte* const> units) const {
  const std::uint64_t first = group_of(page);
  const std::size_t entries = bytes_of(page) / sizeof(VertexId);
  auto found = std::make_unique<PackedInUnits>(
      PackedPage::at(layout_.id_bits, vertices(), index_.span(), first, entries, name_));
  std::vector<PackedRun>& runs = found->in_units;
  const std::uint64_t unit = index_[first] / unit_words();
  for (std::uint64_t g = 0; g < found->groups(); ++g) {
    const std::uint64_t word = found->index[g], its = word / unit_words();
    if (runs.empty() || runs.back().first_word / unit_words() != its) {
      const std::byte* const data = units[static_cast<std::size_t>(its - unit)];
      runs.push_back({reinterpret_cast<const std::uint32_t*>(data) + word % unit_words(), word, 0});
    }
    ++runs.back().groups;
  }
  found->runs = runs;
  found->weights = {nullptr, layout_.code_bytes, values_.span()};
  if (weights)
    found->weights.at =
        units.back() + first_edge(page) * found->weights.entry_bytes() % buffer().unit_bytes();
  return found;
}

}  // namespace fathom
