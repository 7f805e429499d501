// Pages of narrow lists that are in host memory: handed out as they are, for devices to widen.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/narrow/narrow_page.hpp"
#include "fathom/residency/paged/host_supplies.hpp"

namespace fathom {

class FATHOM_API HostNarrowSupply final : public HostSupply {
 public:
  HostNarrowSupply(store::NarrowLists lists, std::shared_ptr<const void> owner,
                   std::size_t page_bytes);

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    piece(0, {lists_.offset, std::size_t{lists_.vertices} + 1});
  }
  bool encoded() const override { return true; }
  std::vector<std::span<const std::byte>> host_memory() const override;
  std::span<const std::byte> page_memory(bool weights) const override;
  SuppliedPage page(std::size_t page, bool weights) const override;

 private:
  store::NarrowLists lists_;
  NarrowRun all_;                 // words
  std::vector<NarrowPage> page_;  // [pages]
};

}  // namespace fathom
