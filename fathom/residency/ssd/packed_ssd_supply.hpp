// Pages of a store's packed lists from disk.
#pragma once

#include "fathom/residency/packed/packed_page.hpp"
#include "fathom/residency/ssd/encoded_ssd_supply.hpp"
#include "fathom/store/packed/packed_sections.hpp"

namespace fathom {

class FATHOM_API PackedSsdSupply final : public EncodedSsdSupply {
 public:
  /// The index, 8 bytes per 1024 edges, is read at once and stays in host memory, as the values of
  /// codes do. @throws Error(BadInput), Error(Io), Error(DoesNotFit), Error(Usage).
  PackedSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, bool out,
                  std::size_t page_bytes);

 private:
  std::vector<PageBuffer::Unit> units_of(std::size_t page, bool weights) const override;
  std::unique_ptr<EncodedPage> page_in(std::size_t page, bool weights,
                                       std::span<const std::byte* const> units) const override;
  void read_index();
  void read_values();
  std::uint64_t group_of(std::size_t page) const {
    return first_edge(page) / store::packed::kGroup;
  }
  std::uint64_t unit_words() const { return buffer().unit_bytes() / sizeof(std::uint32_t); }
  store::SectionId weight_section() const {
    return layout_.code_bytes > 0 ? ids_.codes : ids_.weights;
  }

  store::PackedSectionIds ids_;
  store::PackedLayout layout_;
  std::string name_;  // of the words, for messages
  Array<std::uint64_t> index_;
  Array<Weight> values_;
};

}  // namespace fathom
