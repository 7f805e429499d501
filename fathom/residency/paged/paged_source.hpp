// Streamed edges whose pages are pieces of CSR arrays, all of one size; a list may begin and end
// anywhere in them.
#pragma once

#include <memory>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/residency/paged/table_sizes.hpp"

namespace fathom {

class FATHOM_API PagedSource final : public StreamSource {
 public:
  /// The context outlives the source. Offsets and a few bytes per page go to each device.
  /// @throws Error(DoesNotFit) when they do not fit; what the supply throws.
  PagedSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
              const PagingOptions& options = {});
  /// Of host arrays, which `owner` keeps alive.
  PagedSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
              const PagingOptions& options = {});

  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  const VertexId* hints(const Device& device) override;
  std::optional<CsrView> host_lists() const override { return supply_->arrays(); }
  std::unique_ptr<ListReader> read_lists() override;

 private:
  class Lists;  // what read_lists() gives
  friend class Lists;

  /// The tables that kernels of a device see.
  struct Tables {
    Array<const VertexId*> target;
    Array<const Weight*> weight;  // empty: unweighted
  };

  void mark_pages(const Device* device, const FrontierRef& active, EdgeId first,
                  std::uint64_t* wanted) override;
  void count_lines(const Device& device, const FrontierRef& active, EdgeId first,
                   std::uint32_t most, std::uint32_t* lines) override;
  void prepare_hints() override;
  PageTable page_table(const Device& device, bool weights) override;
  std::size_t layout_table_bytes() const override {
    return detail::csr_table_bytes(pages_, weighted());
  }
  AnyEdges view(const Device& device, const SweepOptions& options) override;
  VertexId first_on(std::size_t page) const override { return page_vertex_[page]; }
  VertexId end_of(std::size_t page) const override;

  Tables& tables(const Device& d) { return tables_[static_cast<std::size_t>(d.index())]; }
  static std::size_t frame_edges(const DevicePages& d) { return d.data.size() / sizeof(VertexId); }
  void note_first_vertices(const EdgeId* offset);
  /// Pairs of one device's share of runs of lists, which `cut` borders, and every run.
  void pairs_of(DevicePages& d, const std::vector<VertexId>& cut,
                FunctionRef<void(const PairPass&)> pass);
  FlatEdges load_lists(DevicePages& d, VertexId first, VertexId last, std::size_t half);

  std::uint32_t page_shift_;
  std::vector<VertexId> page_vertex_;  // [pages]: whose list the page's first edge belongs to
  std::vector<Tables> tables_;
};

}  // namespace fathom
