// Pages of a store's narrow lists from disk.
#pragma once

#include "fathom/residency/narrow/narrow_page.hpp"
#include "fathom/residency/ssd/encoded_ssd_supply.hpp"

namespace fathom {

class FATHOM_API NarrowSsdSupply final : public EncodedSsdSupply {
 public:
  /// The distinct weights, up to 256 KiB, are read at once and stay in host memory.
  /// @throws Error(BadInput), Error(Io), Error(DoesNotFit), Error(Usage).
  NarrowSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, bool out,
                  std::size_t page_bytes);

 private:
  std::vector<PageBuffer::Unit> units_of(std::size_t page, bool weights) const override;
  std::unique_ptr<EncodedPage> page_in(std::size_t page, bool weights,
                                       std::span<const std::byte* const> units) const override;
  /// The word that a page's first entry begins in; the one behind its last.
  std::uint64_t first_word(std::size_t page) const;
  std::uint64_t end_word(std::size_t page) const;
  std::uint64_t unit_words() const { return buffer().unit_bytes() / sizeof(std::uint64_t); }
  std::size_t entries_of(std::size_t page) const { return bytes_of(page) / sizeof(VertexId); }

  store::SectionId entries_;
  std::string name_;  // of the section, for messages
  store::NarrowLayout layout_;
  Array<Weight> values_;
};

}  // namespace fathom
