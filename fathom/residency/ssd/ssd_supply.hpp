// Pages of a store's lists from disk, through a PageBuffer.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/residency/ssd/page_buffer.hpp"
#include "fathom/store/parts/part_layout.hpp"

namespace fathom {

/// The sections that hold a set of lists.
struct ListSectionIds {
  store::SectionId offsets, targets;  // or slotted pages, with ids and weights
  std::optional<store::SectionId> weights;
};

class FATHOM_API SsdSupply final : public PageSupply {
 public:
  /// Supplies that share a buffer are not in use at the same time: start() of one comes after
  /// stop() of the other. @throws Error(BadInput) when the store has no such sections.
  /// `part`: the lists of the sections are those of a range of the offsets' vertices.
  SsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, const ListSectionIds& sections,
            std::size_t page_bytes, const std::optional<store::PartRange>& part = {});
  ~SsdSupply() override { stop(); }

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override;
  void start(std::span<const std::size_t> pages, bool weights) override;
  std::optional<SuppliedPage> next() override;
  std::optional<SuppliedPage> try_next() override;
  void release(std::size_t page) override;
  bool shared_by_ranks() const override { return !part_; }
  std::uint64_t changes() const override { return buffer_->changes(); }
  void stop() noexcept override;
  std::span<std::byte> block() const override { return buffer_->block(); }
  void limit_block(std::size_t bytes) override { buffer_->limit(bytes); }
  std::size_t least_block(bool weights) const override {
    return buffer_->unit_bytes() * 2 * (weights && weight_pages() ? 2 : 1);
  }
  DiskTraffic traffic() const override { return turn_.total(); }

  const PageBuffer& buffer() const { return *buffer_; }

 private:
  static constexpr std::size_t kPlanes = 2;  // targets and weights
  // Weights are half as wide as 64-bit targets: those of two units of targets share a unit then.
  static constexpr std::size_t kTargetsPerWeight = sizeof(VertexId) / sizeof(Weight);

  /// Wanted pages that share a unit of the buffer.
  struct Group {
    std::size_t first, last;  // in wanted_
    std::size_t kept = 0;     // pages not yet released
    std::uint32_t slot[kPlanes] = {PageBuffer::kNone, PageBuffer::kNone};
  };

  static PageShape shape_of(const SectionReads& reads, const ListSectionIds& sections,
                            std::size_t page_bytes);
  std::size_t planes() const { return weights_ ? 2 : 1; }
  PageBuffer::Unit unit_of(const Group& group, std::size_t plane) const;
  bool has_all_of(const Group& group) const;
  void take(std::uint32_t group);
  void read_ahead();
  void take_ready();
  std::optional<SuppliedPage> pop();
  bool may_hold_more() const;

  const Context* ctx_;
  std::shared_ptr<PageBuffer> buffer_;
  ListSectionIds sections_;
  std::optional<store::PartRange> part_;
  std::size_t pages_per_unit_;
  bool weights_ = false;
  std::vector<std::size_t> wanted_;
  std::vector<Group> group_;
  std::deque<std::uint32_t> queue_;       // groups to be read
  std::vector<std::uint32_t> under_way_;  // groups being read
  std::deque<std::uint32_t> ready_;       // groups with pages to give
  std::size_t next_in_ready_ = 0;         // page of the first of them
  std::vector<std::uint32_t> group_of_;   // [pages], of pages that are held
  std::size_t groups_held_ = 0;           // given to the caller, at least in part
  BufferTurn turn_;
  bool loads_ = false;  // has had the buffer load since start(): reads may be queued or under way
};

}  // namespace fathom
