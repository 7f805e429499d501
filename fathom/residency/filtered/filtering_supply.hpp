// Pages of the kept edges of lists, made of the pages of all edges.
//
// Pages are cut by positions among kept edges, so that those of a small window are few. The pages
// that one is made of lie side by side; reads of the next one's go on while kernels walk one.
#pragma once

#include <memory>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/residency/encoded/making_supply.hpp"
#include "fathom/residency/filtered/kept_edges.hpp"

namespace fathom {

class FATHOM_API FilteringSupply final : public MakingSupply {
 public:
  /// The context outlives it. `all` hands out pages of lists in CSR with all edges.
  /// Cost: 8 bytes of host memory per page of these.
  FilteringSupply(const Context& ctx, std::unique_ptr<PageSupply> all,
                  std::shared_ptr<const KeptEdges> kept);

  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override;

 private:
  void start_making(std::span<const std::size_t> pages, bool weights) override;
  std::optional<std::size_t> next_to_make(bool wait) override;
  void make(std::size_t page, std::byte* into) override;

  EdgeId edges_of_page() const { return EdgeId{1} << shift_; }
  void fetch_next();
  void take(const SuppliedPage& page, EdgeId first, EdgeId last, std::byte* into) const;

  std::shared_ptr<const KeptEdges> kept_;
  std::uint32_t shift_;
  Array<EdgeId> before_;             // [pages of `all` + 1]: kept edges on pages before
  std::vector<std::size_t> wanted_;  // pages to be made, from next_ on
  std::size_t next_ = 0;
  bool weights_ = false;
};

}  // namespace fathom
