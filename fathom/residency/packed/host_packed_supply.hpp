// Pages of packed lists that are in host memory: handed out packed, for devices to unpack.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/packed/packed_page.hpp"
#include "fathom/residency/paged/host_supplies.hpp"

namespace fathom {

class FATHOM_API HostPackedSupply final : public HostSupply {
 public:
  /// @throws Error(Usage) for pages of less than a group of targets.
  HostPackedSupply(store::PackedLists lists, std::shared_ptr<const void> owner,
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
  store::PackedLists lists_;
  std::vector<PackedRun> run_;    // [pages]
  std::vector<PackedPage> page_;  // [pages]
};

/// Where packed lists are paged, pages are of whole groups. @throws Error(Usage)
void check_packed_page(std::size_t page_bytes);

}  // namespace fathom
