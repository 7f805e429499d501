// Edges of which each rank has some lists in memory and no rank has all: those of a part.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/edge_source.hpp"
#include "fathom/store/parts/part_layout.hpp"

namespace fathom {

/// What each rank of the context's group has, in the order of the ranks.
std::vector<store::PartRange> ranges_of_ranks(const Context& ctx, const store::PartRange& mine);

/// All ranks make it, and ask it, in the same order: sweep_pairs() and what read_lists() gives are
/// exchanges among them.
class FATHOM_API PartSource final : public EdgeSource {
 public:
  /// `ranges`: what each rank has. `owner` keeps the arrays alive; the context outlives the source.
  PartSource(const Context& ctx, const store::PartLists& lists,
             std::vector<store::PartRange> ranges, std::shared_ptr<const void> owner);

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// The parts travel round the ring of ranks: each rank sees its own lists with those of all.
  /// Memory: targets of the two largest parts. @throws Error(DoesNotFit)
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  /// The same as targets in host memory, one part after the other, this rank's first.
  void each_part(const Context& ctx,
                 FunctionRef<void(const VertexId* targets, const store::PartRange& range)> visit);
  const store::PartLists& lists() const { return lists_; }
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  bool comes_whole() const override { return false; }
  std::optional<VertexRange> own_lists() const override {
    return VertexRange{lists_.range.first, lists_.range.last};
  }
  const EdgeId* offsets(const Device&) override { return lists_.offset; }
  /// Lists come in windows that their rank gives to all: from a few KiB to a MiB, where lists are
  /// read in order.
  std::unique_ptr<ListReader> read_lists() override;

 private:
  const Context* ctx_;
  store::PartLists lists_;
  std::vector<store::PartRange> ranges_;  // of each rank
  std::shared_ptr<const void> owner_;
};

}  // namespace fathom
