// Packed lists one at a time, for host code.
#pragma once

#include <array>
#include <memory>

#include "fathom/residency/edge_source.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom {

/// Reads lists that stay where they are meanwhile. Cost: a group unpacked for each list that is in
/// another than the one before.
class PackedListReader final : public ListReader {
 public:
  explicit PackedListReader(const store::PackedLists& lists) : lists_(lists) {}
  EdgeId degree(VertexId v) override { return lists_.offset[v + 1] - lists_.offset[v]; }
  /// @throws Error(BadInput) naming a group that cannot be unpacked.
  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override;

 private:
  store::PackedLists lists_;
  std::uint64_t group_ = ~std::uint64_t{0};  // that is unpacked
  std::array<VertexId, store::packed::kGroup> target_;
  std::array<Weight, store::packed::kGroup> weight_;
};

}  // namespace fathom
