// Pages that another supply hands out encoded, decoded into a few slots of host memory: what
// kernels of the host read, and whoever reads lists there; and what GPUs copy that do not decode
// themselves.
#pragma once

#include <memory>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/paged/page_supply.hpp"

namespace fathom {

class FATHOM_API DecodingSupply final : public PageSupply {
 public:
  // Of a sweep: one is decoded while threads still walk another. What memory is left keeps encoded
  // pages, of which there are up to three in the room of one.
  static constexpr std::size_t kMostSlots = 8;

  /// The context outlives it. `encoded` hands out encoded pages.
  DecodingSupply(const Context& ctx, std::unique_ptr<PageSupply> encoded);
  ~DecodingSupply() override;

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    encoded_->for_each_offsets(piece);
  }
  void start(std::span<const std::size_t> pages, bool weights) override;
  std::optional<SuppliedPage> next() override;
  std::optional<SuppliedPage> try_next() override;
  void release(std::size_t page) override;
  std::uint64_t changes() const override { return changes_; }
  void stop() noexcept override;
  /// Where encoded pages are: what there is to keep.
  std::span<std::byte> block() const override { return encoded_->block(); }
  void limit_block(std::size_t bytes) override;
  std::size_t least_block(bool weights) const override {
    return encoded_->least_block(weights) + 2 * slot_bytes(weights);
  }
  DiskTraffic traffic() const override { return encoded_->traffic(); }

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
  std::optional<SuppliedPage> decoded(const std::optional<SuppliedPage>& page);

  const Context* ctx_;
  std::unique_ptr<PageSupply> encoded_;
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
