// Pages that are made of those of another supply, in a few slots of host memory: what kernels read,
// and whoever reads lists there.
#pragma once

#include <memory>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/paged/page_supply.hpp"

namespace fathom {

class FATHOM_API MakingSupply : public PageSupply {
 public:
  // Of a sweep: one is made while threads still walk another. What memory is left keeps the pages
  // that others are made of.
  static constexpr std::size_t kMostSlots = 8;

  ~MakingSupply() override;

  void start(std::span<const std::size_t> pages, bool weights) final;
  std::optional<SuppliedPage> next() final;
  std::optional<SuppliedPage> try_next() final;
  void release(std::size_t page) final;
  std::uint64_t changes() const final { return changes_; }
  void stop() noexcept final;
  /// Where the pages are that others are made of: what there is to keep.
  std::span<std::byte> block() const override { return from_->block(); }
  void limit_block(std::size_t bytes) final;
  std::size_t least_block(bool weights) const final {
    return from_->least_block(weights) + 2 * slot_bytes(weights);
  }
  DiskTraffic traffic() const override { return from_->traffic(); }

 protected:
  /// Lists in CSR. The context outlives it.
  /// `from` is taken after what `shape` may ask it.
  MakingSupply(const Context& ctx, const PageShape& shape, std::unique_ptr<PageSupply>&& from);

  PageSupply& from() const { return *from_; }
  const Context& context() const { return *ctx_; }

  /// Begins to make pages, those of an earlier call are given up.
  virtual void start_making(std::span<const std::size_t> pages, bool weights) = 0;
  /// The next page that can be made now, or with `wait` the next one; nothing when there is none.
  virtual std::optional<std::size_t> next_to_make(bool wait) = 0;
  /// Makes it: page_bytes() for targets, behind them weights if start_making() was asked for them.
  virtual void make(std::size_t page, std::byte* into) = 0;

 private:
  static constexpr std::size_t kNoPage = ~std::size_t{0};
  struct Slot {
    std::size_t page = kNoPage;  // that it holds
    bool weights = false;        // with its weights
    bool in_use = false;         // from next() to release()
  };

  std::size_t slot_bytes(bool weights) const {
    return page_bytes() + (weights ? page_bytes() / sizeof(VertexId) * sizeof(Weight) : 0);
  }
  std::byte* data(std::size_t slot) { return memory_.data() + slot * slot_bytes_; }
  void begin(std::span<const std::size_t> pages, std::size_t useful);
  void obtain(std::size_t useful);
  void give_up() noexcept;
  std::size_t free_slot() const;
  SuppliedPage shown(std::size_t slot);
  std::optional<SuppliedPage> made(bool wait);

  const Context* ctx_;
  std::unique_ptr<PageSupply> from_;
  bool weights_ = false;
  Array<std::byte> memory_;
  std::size_t slot_bytes_ = 0;
  std::vector<Slot> slot_;
  std::size_t next_slot_ = 0;            // to be looked at first for the next page
  std::vector<std::size_t> here_;        // slots of wanted pages, not yet given; the first one last
  std::size_t to_come_ = 0;              // pages of the sweep that are not yet given
  std::size_t limit_ = ~std::size_t{0};  // bytes of slots
  std::uint64_t changes_ = 0;
  int cache_handle_ = 0;
};

}  // namespace fathom
