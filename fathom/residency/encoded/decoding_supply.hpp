// Pages that another supply hands out encoded, decoded: what kernels of the host read, and whoever
// reads lists there; and what GPUs copy that do not decode themselves. There are up to three
// encoded ones in the room of one.
#pragma once

#include <memory>

#include "fathom/residency/encoded/making_supply.hpp"

namespace fathom {

class FATHOM_API DecodingSupply final : public MakingSupply {
 public:
  /// The context outlives it. `encoded` hands out encoded pages.
  DecodingSupply(const Context& ctx, std::unique_ptr<PageSupply> encoded);

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    from().for_each_offsets(piece);
  }

 private:
  void start_making(std::span<const std::size_t> pages, bool weights) override;
  std::optional<std::size_t> next_to_make(bool wait) override;
  void make(std::size_t page, std::byte* into) override;

  bool weights_ = false;
  std::optional<SuppliedPage> encoded_;  // to be decoded
};

}  // namespace fathom
