// Pages of CSR arrays for GPUs: the arrays themselves, pinned piece by piece behind the first sweep
// (docs/adr/0014), or a copy of them in memory that was obtained for GPUs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/paged/host_supplies.hpp"

namespace fathom {

class PinnedListsSupply final : public HostArraysSupply {
 public:
  /// The context is a CUDA one and outlives the supply. `owner` keeps the arrays alive. `way`: none
  /// is Register, which takes the arrays where they are if they can be pinned. Where host memory
  /// does not suffice for a copy, the driver copies out of the arrays in its own way, and nothing
  /// is read in place. @throws Error(Usage) for a page size that is no power of two.
  PinnedListsSupply(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                    std::size_t page_bytes, std::optional<ZeroCopyWay> way);

  std::span<const std::byte> page_memory(bool weights) const override;
  void make_ready(bool weights, bool whole, FunctionRef<void()> settle) override;
  std::optional<std::size_t> reach(bool weights) const override;
  ZeroCopyWay way() const override { return way_; }
  void report_host_memory(HostMemoryReport& report) const override;

 private:
  struct Lists {
    std::unique_ptr<HostBlock> block;
    std::string refusal;  // why there is none although it was asked for
  };

  void make_ready(Lists& lists, std::span<const std::byte> arrays, bool whole,
                  FunctionRef<void()> settle);
  std::unique_ptr<HostBlock> copy_of(std::span<const std::byte> arrays);

  const Context* ctx_;
  ZeroCopyWay way_;
  Lists targets_, weights_;
};

}  // namespace fathom
