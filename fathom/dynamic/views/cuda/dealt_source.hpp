// Lists of a graph that changes on several GPUs, as kernels of algorithms read them: each GPU those
// of its vertices, where they are.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "fathom/dynamic/lists/lists_on_gpus.hpp"

namespace fathom::dynamic::gpu {

class DealtSource final : public EdgeSource {
 public:
  /// `ctx`: whose devices have the lists. `owner` keeps these and the records alive.
  DealtSource(const Context& ctx, const GpuLists& graph, const ListViews& lists, VertexId vertices,
              EdgeId count, Unchanged unchanged, std::shared_ptr<const void> owner)
      : EdgeSource(vertices, count, lists[0].layout.weighted()),
        ctx_(ctx),
        graph_(graph),
        lists_(lists),
        unchanged_(unchanged),
        owner_(std::move(owner)) {}

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// Shows a copy in CSR, made when first asked for.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  bool comes_whole() const override { return false; }
  /// Sums of degrees, made when first asked for. Cost: 8 bytes per vertex on each GPU, which come
  /// by way of the host.
  const EdgeId* offsets(const Device& device) override;
  /// Reads a copy in host memory.
  std::unique_ptr<ListReader> read_lists() override;

 private:
  std::size_t place_of(const Device& device) const;
  void sum_degrees();
  Csr all_lists() const;

  const Context& ctx_;
  const GpuLists& graph_;
  ListViews lists_;  // by device
  Unchanged unchanged_;
  std::shared_ptr<const void> owner_;
  std::mutex summing_;  // several devices may ask at once
  std::vector<Array<EdgeId>> offset_;
  std::optional<Graph> copy_;
};

}  // namespace fathom::dynamic::gpu
