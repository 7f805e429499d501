// Degree-oriented lists that a GPU made in its own memory; no copy of them is elsewhere.
#pragma once

#include "fathom/residency/cuda/device_orient.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

class DeviceLists final : public EdgeSource {
 public:
  DeviceLists(VertexId vertices, cuda::OrientedArrays lists);

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  const EdgeId* offsets(const Device&) override { return lists_.offset.data(); }
  /// Device memory that goes with it.
  std::size_t bytes() const {
    return lists_.offset.size() * sizeof(EdgeId) + lists_.target.size() * sizeof(VertexId);
  }

 private:
  FlatEdges view(EdgeId first) const;

  cuda::OrientedArrays lists_;
};

}  // namespace fathom
