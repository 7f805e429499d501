// Pages that another supply hands out packed, unpacked: there are two or three packed ones in the
// room of one.
#pragma once

#include <memory>

#include "fathom/residency/packed/making_supply.hpp"

namespace fathom {

class FATHOM_API UnpackingSupply final : public MakingSupply {
 public:
  /// The context outlives it. `packed` hands out packed pages.
  UnpackingSupply(const Context& ctx, std::unique_ptr<PageSupply> packed);

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    from().for_each_offsets(piece);
  }

 private:
  void start_making(std::span<const std::size_t> pages, bool weights) override;
  std::optional<std::size_t> next_to_make(bool wait) override;
  void make(std::size_t page, std::byte* into) override;

  bool weights_ = false;
  std::optional<SuppliedPage> packed_;  // to be unpacked
};

}  // namespace fathom
