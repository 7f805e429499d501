// Edges in slotted pages (GTS, sections 2 and 6.1), all of them in sight at once. Pages that take
// turns are SlottedStreamSource's.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/host_fences.hpp"
#include "fathom/residency/paged/host_supplies.hpp"
#include "fathom/residency/slotted/slotted_tables.hpp"

namespace fathom {

class SpareMemory;

class FATHOM_API SlottedSource final : public EdgeSource {
 public:
  enum class Place {
    Mapped,    // where they are; the host alone
    Resident,  // all in the memory of the only device
  };

  /// The context outlives the source. `owner` keeps the pages alive.
  /// @throws Error(DoesNotFit) when the offsets, or all pages of a Resident source, do not fit;
  ///         Error(BadInput) when pages are damaged.
  SlottedSource(const Context& ctx, store::SlottedLists lists, std::shared_ptr<const void> owner,
                Place place);
  ~SlottedSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// @throws Error(Internal): pairs of lists are those of degree-oriented lists, which are CSR.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  bool comes_whole() const override;
  std::optional<VertexRange> own_lists() const override;
  void prepare(const Context& ctx, const SweepOptions& options) override;
  /// They give way where the run under way has not asked for them, and are copied again then.
  const EdgeId* offsets(const Device& device) override;
  std::unique_ptr<ListReader> read_lists() override;

  std::size_t pages() const { return lists_.rvt.size(); }

 private:
  SpareMemory& spare() const;
  void load_offsets();
  void show_where_they_are();
  void make_resident();

  const Context* ctx_;
  store::SlottedLists lists_;
  HostPagesSupply host_;  // for read_lists()
  store::RvtTables rvt_;
  Array<EdgeId> offset_;  // empty: not now
  int offset_handle_ = -1;
  SlottedTables tables_;
  Array<std::byte> page_;  // all of them, when resident
  HostFences fences_;
};

}  // namespace fathom
