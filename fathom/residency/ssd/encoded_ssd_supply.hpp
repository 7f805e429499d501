// Pages of a store's encoded lists from disk, through a PageBuffer, handed out as they are: what
// packed and narrow lists share. A page may begin and end anywhere in the units of the buffer.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fathom/residency/encoded/encoded_page.hpp"
#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/residency/ssd/page_buffer.hpp"

namespace fathom {

class FATHOM_API EncodedSsdSupply : public PageSupply {
 public:
  ~EncodedSsdSupply() override { EncodedSsdSupply::stop(); }

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override;
  void start(std::span<const std::size_t> pages, bool weights) override;
  std::optional<SuppliedPage> next() override;
  std::optional<SuppliedPage> try_next() override;
  void release(std::size_t page) override;
  std::uint64_t changes() const override { return buffer_->changes(); }
  void stop() noexcept override;
  std::span<std::byte> block() const override { return buffer_->block(); }
  void limit_block(std::size_t bytes) override { buffer_->limit(bytes); }
  std::size_t least_block(bool weights) const override {
    return buffer_->unit_bytes() * 2 * most_units_[weights && weighted()];
  }
  bool encoded() const override { return true; }
  DiskTraffic traffic() const override { return turn_.total(); }

 protected:
  /// Supplies share a buffer as SsdSupply's do. `offsets`: the section of them.
  EncodedSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, store::SectionId offsets,
                   std::size_t page_bytes);

  /// The units that hold a page, those of weights too if they are wanted; in a constant order.
  virtual std::vector<PageBuffer::Unit> units_of(std::size_t page, bool weights) const = 0;
  /// The page, where units_of() are in memory, in that order: they stay as long as it does.
  virtual std::unique_ptr<EncodedPage> page_in(std::size_t page, bool weights,
                                               std::span<const std::byte* const> units) const = 0;

  /// Once units_of() can be asked: takes note of the sections that pages are in.
  void announce(std::span<const store::SectionId> sections);
  /// The section that tells the layout.
  std::array<std::uint32_t, 4> format_in(store::SectionId section) const;
  const Context& context() const { return *ctx_; }
  PageBuffer& buffer() const { return *buffer_; }
  EdgeId first_edge(std::size_t page) const {
    return page * std::uint64_t{page_bytes() / sizeof(VertexId)};
  }

 private:
  /// A wanted page.
  struct Held {
    std::size_t page = 0;
    std::vector<std::uint32_t> slots;  // of its units
    std::unique_ptr<EncodedPage> encoded;
  };

  std::size_t most_units() const { return most_units_[weights_]; }
  bool has_all_of(std::size_t page) const;
  void take(Held& held);
  void read_ahead();
  void take_ready();
  std::optional<SuppliedPage> pop();

  const Context* ctx_;
  std::shared_ptr<PageBuffer> buffer_;
  store::SectionId offsets_;
  std::size_t most_units_[2] = {1, 1};  // of a page; with weights
  bool weights_ = false;
  std::vector<Held> wanted_;           // of this sweep, in the order given
  std::vector<std::size_t> place_of_;  // [pages]: in wanted_, of those that are
  std::deque<std::size_t> queue_, ready_;
  std::vector<std::size_t> under_way_;
  std::size_t held_ = 0;  // given and not released
  BufferTurn turn_;
  bool loads_ = false;  // has had the buffer load since start(): reads may be queued or under way
};

}  // namespace fathom
