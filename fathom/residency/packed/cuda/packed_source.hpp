// Packed lists that one GPU reads in place: warps unpack what they walk (packed_edges.hpp). Their
// words, and weights, are in its memory, in host memory over the link, or group by group in
// either. One pass shows them all.
//
// Offsets, and the tables that find blocks, are always in device memory. What else of the lists is
// there can be made again: it shares what the device has to spare (spare_memory.hpp) and gives way.
// A sweep holds what it shows, whole() and hints() until the run ends.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/cuda/kept_hints.hpp"
#include "fathom/residency/cuda/link_counts.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom {

class SpareMemory;

class PackedSource final : public EdgeSource {
 public:
  enum class Place {
    Device,
    DeviceIfRoom,  // beside the vertex state of the run (run_lists.hpp); else Host
    Host
  };

  /// The context is a CUDA one and outlives the source. `owner` keeps alive what `lists` shows. The
  /// lists are checked: all of them are unpacked once, on the host.
  /// @throws Error(BadInput) naming what cannot be unpacked; Error(DoesNotFit); Error(Usage) for
  /// any id width but 4, which stands for their own.
  PackedSource(const Context& ctx, const store::PackedLists& lists,
               std::shared_ptr<const void> owner, Place place, const GpuEdgeOptions& options);
  ~PackedSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// @throws Error(Usage): lists that are searched are in CSR.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device&) override { return offset_.data(); }
  const VertexId* hints(const Device&) override { return hints_.data(); }
  EdgeId near_edges() const override { return cache_ ? cache_->edges : 0; }
  double link_ceiling() const override { return link_ceiling_; }
  Traffic traffic() const override { return counts_.traffic(); }
  void report_host_memory(HostMemoryReport& report) const override;
  std::unique_ptr<ListReader> read_lists() override;

 private:
  /// Words or weights, wherever they are; nowhere while `at` is null.
  struct Part {
    std::span<const std::byte> there;  // on the host
    Array<std::byte> on_device;
    std::unique_ptr<HostBlock> on_host;
    const std::byte* at = nullptr;
    bool near = false;
  };
  /// Copies of groups, while the words are in host memory.
  struct Cache {
    Array<std::uint64_t> place;
    Array<std::uint32_t> words;
    bool weights = false;
    EdgeId edges = 0;
    std::size_t made_for = 0;
    std::size_t bytes() const { return place.size() * 8 + words.size() * 4; }
  };

  void find_blocks();
  /// Places what functors read.
  void place_for(bool weights);
  void place(Part& part, bool near);
  void place_near(Part& part);
  bool goes_near() const;
  void drop();
  std::size_t cache_use() const;
  void fill_cache(std::size_t bytes);
  PackedEdges view(const SweepOptions& options) const;
  SpareMemory& spare() const;

  const Context* ctx_;
  store::PackedLists lists_;
  std::shared_ptr<const void> owner_;
  Place place_;
  GpuEdgeOptions options_;
  double link_ceiling_ = 0;
  Array<EdgeId> offset_;
  Array<std::uint64_t> group_;  // [groups + 1]: where each begins in the words
  Array<std::uint32_t> block_;  // [blocks]: PackedEdges::block
  Array<Weight> value_;         // of codes
  Part words_, weights_;
  bool reads_weights_ = false;  // some functor does
  std::unique_ptr<Cache> cache_;
  KeptHints hints_;
  LinkCounts counts_;
  int handle_ = 0;  // of spare()
};

}  // namespace fathom
