// Reads a copy, in host memory, of lists that are in the memory of GPUs: for verification.
#pragma once

#include <utility>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom::dynamic::gpu {

class CopyReader final : public ListReader {
 public:
  explicit CopyReader(Csr csr) : csr_(std::move(csr)) {}

  EdgeId degree(VertexId v) override { return csr_.view().degree(v); }
  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    const EdgeId first = csr_.offset[v];
    const auto size = static_cast<std::uint32_t>(degree(v));
    if (size == 0) return;
    span({csr_.target.data() + first, csr_.weight.empty() ? nullptr : csr_.weight.data() + first,
          size});
  }

 private:
  Csr csr_;
};

}  // namespace fathom::dynamic::gpu
