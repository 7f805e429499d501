// Pages of lists that are in host memory, built or mapped: used where they are, nothing is copied.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom {

/// What both layouts share: every page is there already.
class FATHOM_API HostSupply : public PageSupply {
 public:
  bool in_memory() const override { return true; }
  void start(std::span<const std::size_t> pages, bool weights) override;
  std::optional<SuppliedPage> next() override;
  std::optional<SuppliedPage> try_next() override { return next(); }
  void release(std::size_t) override {}
  void stop() noexcept override;

 protected:
  /// `owner` keeps the memory alive.
  HostSupply(const PageShape& shape, std::shared_ptr<const void> owner)
      : PageSupply(shape), owner_(std::move(owner)) {}

 private:
  std::shared_ptr<const void> owner_;
  std::vector<std::size_t> wanted_;  // from next_ on
  std::size_t next_ = 0;
  bool weights_ = false;
};

/// Lists in CSR.
class FATHOM_API HostArraysSupply : public HostSupply {
 public:
  HostArraysSupply(const CsrView& csr, std::shared_ptr<const void> owner, std::size_t page_bytes);

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    piece(0, {csr_.offset, std::size_t{csr_.vertices} + 1});
  }
  std::optional<CsrView> arrays() const override { return csr_; }
  std::vector<std::span<const std::byte>> host_memory() const override;
  std::span<const std::byte> page_memory(bool weights) const override;
  SuppliedPage page(std::size_t page, bool weights) const override;

 protected:
  const CsrView& csr() const { return csr_; }

 private:
  CsrView csr_;
};

/// Slotted pages; each is checked before it is given, if there is something to check.
class FATHOM_API HostPagesSupply final : public HostSupply {
 public:
  HostPagesSupply(store::SlottedLists lists, std::shared_ptr<const void> owner);

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    piece(0, {lists_.offset, std::size_t{lists_.vertices} + 1});
  }
  std::vector<std::span<const std::byte>> host_memory() const override;
  std::span<const std::byte> page_memory(bool weights) const override;
  SuppliedPage page(std::size_t page, bool weights) const override;

 private:
  store::SlottedLists lists_;
};

}  // namespace fathom
