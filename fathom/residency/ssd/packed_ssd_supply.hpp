// Pages of a store's packed lists from disk, through a PageBuffer, handed out packed.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "fathom/residency/packed/packed_page.hpp"
#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/residency/ssd/page_buffer.hpp"
#include "fathom/store/packed/packed_sections.hpp"

namespace fathom {

class FATHOM_API PackedSsdSupply final : public PageSupply {
 public:
  /// The index, 8 bytes per 1024 edges, is read at once and stays in host memory. Supplies share a
  /// buffer as SsdSupply's do. @throws Error(BadInput), Error(Io), Error(DoesNotFit), Error(Usage).
  PackedSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, bool out,
                  std::size_t page_bytes);
  ~PackedSsdSupply() override { stop(); }

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
    return buffer_->unit_bytes() * 2 * most_units(weights);
  }
  bool packed() const override { return true; }
  DiskTraffic traffic() const override { return turn_.total(); }

 private:
  /// A wanted page.
  struct Held {
    std::size_t page = 0;
    std::vector<std::uint32_t> slots;  // of its units, those of words first
    std::vector<PackedRun> runs;
    PackedPage packed;
  };

  void read_index();
  void read_values();
  std::size_t most_units(bool weights) const {
    return most_units_ + (weights && weighted() ? 1 : 0);
  }
  std::uint64_t group_of(std::size_t page) const {
    return page * std::uint64_t{page_bytes() / sizeof(VertexId) / store::packed::kGroup};
  }
  std::uint64_t unit_words() const { return buffer_->unit_bytes() / sizeof(std::uint32_t); }
  std::vector<PageBuffer::Unit> units_of(std::size_t page) const;
  bool has_all_of(std::size_t page) const;
  void take(Held& held);
  void read_ahead();
  void take_ready();
  std::optional<SuppliedPage> pop();
  void describe(Held& held) const;

  const Context* ctx_;
  std::shared_ptr<PageBuffer> buffer_;
  store::PackedSectionIds ids_;
  store::PackedLayout layout_;
  std::string name_;  // of the words, for messages
  Array<std::uint64_t> index_;
  Array<Weight> values_;
  std::size_t most_units_ = 1;  // that the words of a page are in
  bool weights_ = false;
  std::vector<Held> wanted_;           // of this sweep, in the order given
  std::vector<std::size_t> place_of_;  // [pages]: in wanted_, of those that are
  std::deque<std::size_t> queue_, ready_;
  std::vector<std::size_t> under_way_;
  std::size_t held_ = 0;  // given and not released
  BufferTurn turn_;
  bool loads_ = false;
};

}  // namespace fathom
