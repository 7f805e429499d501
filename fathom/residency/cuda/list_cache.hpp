// A cache: copies of whole adjacency lists in device memory, chosen by a policy (list_choice.hpp).
#pragma once

#include <span>

#include "fathom/exec/context.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/residency/narrow/narrow_words.hpp"

namespace fathom {

class ListCache {
 public:
  /// Chooses lists of `csr`, of which only the offsets are read, whose entries of `entry_bits` fit
  /// `bytes` of a device's memory together with the index (4 bytes per vertex), and copies them
  /// out of the lists that the device reads over the link. `far`: FlatEdges, InterleavedEdges or
  /// NarrowEdges. `reads`: [vertices] how often each list is expected to be read, for
  /// CachePolicy::Reuse. @throws Error(DoesNotFit)
  ListCache(const Context& ctx, const Device& device, const CsrView& csr, CachePolicy policy,
            std::size_t bytes, std::uint32_t entry_bits, const AnyEdges& far,
            std::span<const std::uint32_t> reads = {});

  /// What a cache of all lists takes at most.
  static std::size_t bytes_of(VertexId vertices, EdgeId edges, std::uint32_t entry_bits) {
    const EdgeId filling = vertices * ((EdgeId{1} << unit_shift_of(entry_bits)) - 1);
    return vertices * sizeof(std::uint32_t) + (edges + filling) / 8 * entry_bits + entry_bits;
  }

  const std::uint32_t* index() const { return index_.data(); }
  std::uint32_t unit_shift() const { return unit_shift_; }
  const std::byte* data() const { return lists_.data(); }
  /// Edges that have a copy.
  EdgeId edges() const { return edges_; }
  /// Of device memory; and of how much it was given.
  std::size_t bytes() const { return index_.size() * sizeof(std::uint32_t) + lists_.size(); }
  std::size_t made_for() const { return made_for_; }

 private:
  Array<std::uint32_t> index_;  // [vertices] on the device
  Array<std::byte> lists_;
  std::uint32_t unit_shift_ = 0;
  EdgeId edges_ = 0;
  std::size_t made_for_;
};

}  // namespace fathom
