// Pages of lists that are host arrays, built or mapped: used where they are, nothing is copied.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/page_supply.hpp"

namespace fathom {

class FATHOM_API HostArraysSupply final : public PageSupply {
 public:
  /// `owner` keeps the arrays alive.
  HostArraysSupply(const CsrView& csr, std::shared_ptr<const void> owner, std::size_t page_bytes)
      : PageSupply(csr.vertices, csr.edges, csr.weight != nullptr, page_bytes),
        csr_(csr),
        owner_(std::move(owner)) {}

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    piece(0, {csr_.offset, std::size_t{csr_.vertices} + 1});
  }
  void start(std::span<const std::size_t> pages, bool weights) override;
  std::optional<SuppliedPage> next() override;
  std::optional<SuppliedPage> try_next() override { return next(); }
  void release(std::size_t) override {}
  void stop() noexcept override { wanted_.clear(); }
  std::optional<CsrView> arrays() const override { return csr_; }

 private:
  CsrView csr_;
  std::shared_ptr<const void> owner_;
  std::vector<std::size_t> wanted_;  // from next_ on
  std::size_t next_ = 0;
  bool weights_ = false;
};

}  // namespace fathom
