// Compressed sparse rows in host memory: the form every static graph passes through.
#pragma once

#include "fathom/core/array.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// A non-owning CSR. Invariants: offset has vertices + 1 ascending entries, offset[0] == 0,
/// offset[vertices] == edges; the list of v is target[offset[v] .. offset[v + 1]), ascending by
/// (target, weight).
struct CsrView {
  VertexId vertices = 0;
  EdgeId edges = 0;
  const EdgeId* offset = nullptr;    // [vertices + 1]
  const VertexId* target = nullptr;  // [edges]
  const Weight* weight = nullptr;    // [edges]; null: every weight is 1

  EdgeId degree(VertexId v) const { return offset[v + 1] - offset[v]; }
};

/// An owning CSR with the same invariants.
struct Csr {
  Array<EdgeId> offset;
  Array<VertexId> target;
  Array<Weight> weight;  // empty: unweighted

  VertexId vertices() const {
    return offset.empty() ? 0 : static_cast<VertexId>(offset.size() - 1);
  }
  EdgeId edges() const { return target.size(); }
  CsrView view() const {
    return {vertices(), edges(), offset.data(), target.data(),
            weight.empty() ? nullptr : weight.data()};
  }
};

}  // namespace fathom
