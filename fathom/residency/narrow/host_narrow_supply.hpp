// Pages of narrow lists that are in host memory.
#pragma once

#include "fathom/residency/encoded/host_encoded_supply.hpp"
#include "fathom/residency/narrow/narrow_page.hpp"

namespace fathom {

class FATHOM_API HostNarrowSupply final : public HostEncodedSupply<store::NarrowLists, NarrowPage> {
 public:
  HostNarrowSupply(store::NarrowLists lists, std::shared_ptr<const void> owner,
                   std::size_t page_bytes);

  std::vector<std::span<const std::byte>> host_memory() const override;
  std::span<const std::byte> page_memory(bool weights) const override;

 private:
  NarrowRun all_;  // words
};

}  // namespace fathom
