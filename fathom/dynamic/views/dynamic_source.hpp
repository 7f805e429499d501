// Lists of a graph that changes, as algorithms want them: all at once, for as long as nothing
// changes.
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "fathom/dynamic/lists/edge_fields.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/filtered/edge_filter.hpp"

namespace fathom::dynamic {

/// Lists in CSR, ascending by target, weight and fields; `fields` gets those of each edge where
/// lists have them. Cost: a read of each edge.
Csr to_csr(const DynamicEdges& edges, VertexId vertices, int threads,
           const std::shared_ptr<MemoryPool>& pool, Array<EdgeFields>* fields = nullptr);

/// The same of edges that a filter keeps, where lists have fields. Cost: two reads of each edge.
Csr kept_csr(const DynamicEdges& edges, VertexId vertices, const EdgeFilter& filter, int threads,
             const std::shared_ptr<MemoryPool>& pool);

/// The fields of the edges of `in`, the transpose of `out`, whose edges have `fields`.
/// @throws Error(Usage) when it is something else.
Array<EdgeFields> reverse_fields(const CsrView& out, const CsrView& in,
                                 std::span<const EdgeFields> fields, int threads,
                                 const std::shared_ptr<MemoryPool>& pool);

/// Whether lists are still those that a view was made of.
struct Unchanged {
  std::shared_ptr<const std::atomic<std::uint64_t>> version;  // null: they never change
  std::uint64_t seen = 0;

  /// @throws Error(Usage) when a batch was applied since.
  void check() const;
};

class FATHOM_API DynamicSource final : public EdgeSource {
 public:
  /// `owner` keeps the region and the records alive. `pool`: of offsets.
  DynamicSource(const DynamicEdges& edges, VertexId vertices, EdgeId count, Unchanged unchanged,
                int threads, std::shared_ptr<MemoryPool> pool, std::shared_ptr<const void> owner)
      : EdgeSource(vertices, count, edges.layout.weighted()),
        edges_(edges),
        unchanged_(unchanged),
        threads_(threads),
        pool_(std::move(pool)),
        owner_(std::move(owner)) {}

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// Shows a copy in CSR, made when first asked for.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  /// Sums of degrees, made when first asked for. Cost: 8 bytes per vertex.
  const EdgeId* offsets(const Device&) override;
  std::unique_ptr<ListReader> read_lists() override;

 private:
  DynamicEdges edges_;
  Unchanged unchanged_;
  int threads_;
  std::shared_ptr<MemoryPool> pool_;
  std::shared_ptr<const void> owner_;
  Array<EdgeId> offset_;
  Csr csr_;
};

}  // namespace fathom::dynamic
