// The lists of a part that stay on a disk, or in host memory, and are streamed: pages of this
// rank's own file, which are dealt to its own devices alone.
#pragma once

#include <functional>
#include <memory>

#include "fathom/residency/paged/host_supplies.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/parts/part_source.hpp"

namespace fathom {

/// Pages of lists of a part that are in memory. Costs 8 bytes per vertex for offsets of its own.
class PartArraysSupply final : public HostArraysSupply {
 public:
  /// `owner` keeps the lists. @throws Error(DoesNotFit)
  static std::unique_ptr<PartArraysSupply> of(const Context& ctx, const store::PartLists& lists,
                                              std::shared_ptr<const void> owner,
                                              std::size_t page_bytes);

  bool shared_by_ranks() const override { return false; }

 private:
  using HostArraysSupply::HostArraysSupply;
};

/// Memory: offsets twice on each device with memory of its own, on the host once (beside those that
/// are mapped). Lists of others are read, and pairs of lists made, as PartSource does.
class FATHOM_API StreamedPartSource final : public EdgeSource {
 public:
  /// Opens them where they are in memory, or mapped: all ranks do, when they first ask for pairs or
  /// for lists of others.
  using Open = std::function<std::unique_ptr<PartSource>()>;

  /// `supply` has the lists of lists.range, at store::offset_within(). Of `lists` the offsets are
  /// read alone; their owner is what `open` keeps. The context outlives the source.
  /// @throws Error(DoesNotFit); what the supply throws.
  StreamedPartSource(const Context& ctx, const store::PartLists& lists, bool weighted,
                     std::unique_ptr<PageSupply> supply, const PagingOptions& options, Open open);

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// On devices with memories of their own, runs of lists that fit, two at a time.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  bool comes_whole() const override { return false; }
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device& device) override;
  std::unique_ptr<ListReader> read_lists() override;
  std::size_t cache_bytes() const override { return pages_.cache_bytes(); }
  Traffic traffic() const override { return pages_.traffic(); }
  std::size_t least_sweep_memory() const override { return pages_.least_sweep_memory(); }

 private:
  PartSource& in_memory();
  void pairs_on(const Device& device, const VertexId* others, const store::PartRange& its,
                FunctionRef<void(const PairPass&)> pass);

  const Context* ctx_;
  store::PartLists lists_;  // without targets and weights, which may not be there
  PagedSource pages_;
  std::vector<Array<EdgeId>> offset_;  // of all lists, for each device; none on the host
  Open open_;
  std::unique_ptr<PartSource> in_memory_;
};

}  // namespace fathom
