// Streamed edges in slotted pages (GTS, sections 2 to 4), from wherever a supply has them. Record
// ids and weights are in the same page.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/residency/paged/table_sizes.hpp"
#include "fathom/residency/slotted/slotted_tables.hpp"

namespace fathom {

class FATHOM_API SlottedStreamSource final : public StreamSource {
 public:
  /// The context outlives the source; `rvt` is needed no longer than this call. Offsets and 28
  /// bytes per page go to each device. The page size is the layout's, whatever the options say.
  /// @throws Error(DoesNotFit) when they do not fit; what the supply throws.
  SlottedStreamSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
                      const store::SlottedLayout& layout, std::span<const store::RvtEntry> rvt,
                      const PagingOptions& options = {});

  /// @throws Error(Internal): pairs of lists are those of degree-oriented lists, which are CSR.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::unique_ptr<ListReader> read_lists() override;

 private:
  void mark_pages(const Device* device, const FrontierRef& active, EdgeId first,
                  std::uint64_t* wanted) override;
  void count_lines(const Device& device, const FrontierRef& active, EdgeId first,
                   std::uint32_t most, std::uint32_t* lines) override;
  PageTable page_table(const Device& device, bool weights) override;
  std::size_t layout_table_bytes() const override { return detail::slotted_table_bytes(pages_); }
  AnyEdges view(const Device& device, const SweepOptions& options) override;
  VertexId first_on(std::size_t page) const override { return rvt_.start_vid[page]; }
  VertexId end_of(std::size_t page) const override;
  SlottedTables& tables(const Device& d) { return tables_[static_cast<std::size_t>(d.index())]; }

  store::SlottedLayout layout_;
  store::RvtTables rvt_;
  std::vector<SlottedTables> tables_;
};

}  // namespace fathom
