// A static cache: copies of whole adjacency lists in device memory, chosen once by a policy.
//
// Byte models and measurements favour the shortest lists (docs/adr/0005): they serve the most
// vertices per byte, and pulling searches end within the first few edges of the others.
#pragma once

#include <span>

#include "fathom/exec/context.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/gpu_options.hpp"

namespace fathom {

class ListCache {
 public:
  /// Chooses lists of `csr` whose entries of `entry_bytes` fit `bytes` of the device's memory
  /// together with the index (4 bytes per vertex), and copies them. `entries(first, count, to)`
  /// writes entries [first, first + count) of the whole to host memory. `reads`: [vertices] how
  /// often each list is expected to be read, for CachePolicy::Reuse.
  ListCache(const Context& ctx, const CsrView& csr, CachePolicy policy, std::size_t bytes,
            std::size_t entry_bytes,
            FunctionRef<void(EdgeId first, EdgeId count, std::byte* to)> entries,
            std::span<const std::uint32_t> reads = {});

  const std::uint32_t* index() const { return index_.data(); }
  std::uint32_t unit_shift() const { return unit_shift_; }
  const std::byte* data() const { return lists_.data(); }
  /// Edges that have a copy.
  EdgeId edges() const { return edges_; }

 private:
  Array<std::uint32_t> index_;  // [vertices] on the device
  Array<std::byte> lists_;
  std::uint32_t unit_shift_ = 0;
  EdgeId edges_ = 0;
};

}  // namespace fathom
