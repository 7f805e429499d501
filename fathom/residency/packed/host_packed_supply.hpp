// Pages of packed lists that are in host memory.
#pragma once

#include "fathom/residency/encoded/host_encoded_supply.hpp"
#include "fathom/residency/packed/packed_page.hpp"

namespace fathom {

class FATHOM_API HostPackedSupply final : public HostEncodedSupply<store::PackedLists, PackedPage> {
 public:
  /// @throws Error(Usage) for pages of less than a group of targets.
  HostPackedSupply(store::PackedLists lists, std::shared_ptr<const void> owner,
                   std::size_t page_bytes);

  std::vector<std::span<const std::byte>> host_memory() const override;
  std::span<const std::byte> page_memory(bool weights) const override;

 private:
  std::vector<PackedRun> run_;  // [pages]
};

/// Where packed lists are paged, pages are of whole groups. @throws Error(Usage)
void check_packed_page(std::size_t page_bytes);

}  // namespace fathom
