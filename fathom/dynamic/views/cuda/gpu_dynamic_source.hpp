// Lists of a graph that changes, as kernels of algorithms read them: where they are.
#pragma once

#include <memory>

#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/pages/cuda/mapped_memory.hpp"

namespace fathom::dynamic::gpu {

class Source final : public EdgeSource {
 public:
  /// `owner` keeps the lists and the records alive.
  Source(const Lists& graph, const DynamicEdges& lists, VertexId vertices, EdgeId count,
         Unchanged unchanged, std::shared_ptr<const void> owner)
      : EdgeSource(vertices, count, lists.layout.weighted()),
        graph_(graph),
        lists_(lists),
        unchanged_(unchanged),
        owner_(std::move(owner)) {}

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// Shows a copy in CSR, made when first asked for; in host memory where the device has no room.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  /// Sums of degrees, made when first asked for. Cost: 8 bytes per vertex.
  const EdgeId* offsets(const Device& device) override;
  /// Reads a copy in host memory.
  std::unique_ptr<ListReader> read_lists() override;

 private:
  const Lists& graph_;
  DynamicEdges lists_;
  Unchanged unchanged_;
  std::shared_ptr<const void> owner_;
  Array<EdgeId> offset_;
  std::unique_ptr<MappedMemory> target_;
};

}  // namespace fathom::dynamic::gpu
