// Edges in host memory that several GPUs load from, each over its own link. Every replica of the
// vertex state (of each device of each rank) has a share of the vertices with as many edges as
// others, and sees their lists: in its own memory, all or as many copies (list_cache.hpp) as runs
// leave room for; the rest in host memory, where they are once for all devices of a process.
//
// No device reads what another has in its memory: shares do not overlap, so that the cards'
// memories add up without it.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/cuda/entries.hpp"
#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/cuda/kept_hints.hpp"
#include "fathom/residency/cuda/link_counts.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/gpu_options.hpp"

namespace fathom {

class GpuShares final : public EdgeSource {
 public:
  /// The context is a CUDA one and outlives the source. `owner` keeps the host arrays alive;
  /// `pairs` may hold the same lists interleaved. @throws Error(Usage) for options that one GPU has
  /// alone; Error(DoesNotFit).
  GpuShares(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
            const InterleavedEdges::Pair* pairs, const GpuEdgeOptions& options);
  ~GpuShares() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  bool comes_whole() const override { return false; }
  /// Of ranks with one GPU each: those of several are not in one pass.
  std::optional<VertexRange> own_lists() const override;
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device& device) override { return on(device).offset.data(); }
  const VertexId* hints(const Device& device) override;
  EdgeId near_edges() const override;
  double link_ceiling() const override;
  std::optional<CsrView> host_lists() const override { return csr_; }
  Traffic traffic() const override;
  void report_host_memory(HostMemoryReport& report) const override;

 private:
  using Form = detail::Entries::Form;
  /// Targets, or {target, weight} pairs: of which each run reads either.
  struct Lists;
  struct Share {
    const Device* device;
    VertexRange shown;
    Array<EdgeId> offset;
    LinkCounts counts;
    std::unique_ptr<KeptHints> hints;
    std::vector<std::unique_ptr<Lists>> lists;
  };

  Share& on(const Device& device) { return share_[static_cast<std::size_t>(device.index())]; }
  Form form_of(const SweepOptions& options) const {
    return options.weights && weighted() ? Form::Pair : Form::Target;
  }
  detail::Entries entries(Form form) const { return {csr_, pairs_, nullptr, nullptr, form}; }
  HostBlock& block(Form form);
  std::size_t bytes_of(const Share& share, Form form) const;
  /// Whether nothing of its lists is in host memory alone.
  bool is_near(const Share& share, const Lists& lists) const;
  /// What of a device's memory its lists could take.
  std::size_t useful_of(const Share& share, Form form) const;
  /// A device's lists of that form, which take no memory yet where there were none.
  Lists& lists(Share& share, Form form);
  void fill(Share& share, Lists& lists, std::size_t bytes);
  void fill_cache(const Share& share, Lists& lists, std::size_t bytes);
  /// Lists of the form at `at`, where the edge at position `base` is first; `offset` is the first
  /// vertex's.
  AnyEdges view(const EdgeId* offset, Form form, const std::byte* at, EdgeId base,
                EdgeId limit) const;
  /// Those of a share as kernels read them, partly or all over the link.
  AnyEdges far_view(const Share& share, const Lists& lists, EdgeId limit);
  /// Hints on all devices of all ranks, or on none.
  void prepare_hints(bool all_near);
  bool find_hints(bool all_near);
  void write_hints(bool all_near);
  void tell_hints();
  void drop_hints();

  const Context* ctx_;
  CsrView csr_;
  std::shared_ptr<const void> owner_;
  const InterleavedEdges::Pair* pairs_;
  GpuEdgeOptions options_;
  std::unique_ptr<HostBlock> targets_, both_;
  std::vector<Share> share_;  // by device
};

}  // namespace fathom
