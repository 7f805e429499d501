// What comparing degrees across edges does on an edge and a vertex, for any executor.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// A loop touches its vertex twice, and is in an undirected list once.
struct CountLoop {
  static constexpr bool kDeviceCode = true;
  EdgeId* degree;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) AtomicRef(degree[v]).fetch_add(EdgeId{1});
    return false;
  }
};

struct AddListLength {
  static constexpr bool kDeviceCode = true;
  const EdgeId* offset;
  EdgeId* degree;
  FATHOM_HD void operator()(VertexId v) const { degree[v] += offset[v + 1] - offset[v]; }
};

/// The sum of a vertex's neighbours' degrees.
struct SumDegrees {
  static constexpr bool kDeviceCode = true;
  const EdgeId* degree;
  std::uint64_t* sum;
  std::uint64_t* loops;  // [1]

  using Value = std::uint64_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    if (u == v) AtomicRef(*loops).fetch_add(std::uint64_t{1});
    return degree[v];
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value part) const {
    AtomicRef(sum[u]).fetch_add(part);
    return false;
  }
};

/// Each edge, twice, at the end of the smaller degree; at both ends where these are equal. A loop
/// is none.
struct CountRicher {
  static constexpr bool kDeviceCode = true;
  const EdgeId* degree;
  std::uint64_t* twice;

  using Value = std::uint64_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    if (u == v) return 0;
    return degree[v] > degree[u] ? 2 : degree[v] == degree[u] ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value part) const {
    AtomicRef(twice[u]).fetch_add(part);
    return false;
  }
};

/// Over the entries of a list.
struct FindMean {
  static constexpr bool kDeviceCode = true;
  const EdgeId* entries;
  const std::uint64_t* sum;
  double* mean;
  FATHOM_HD void operator()(VertexId v) const {
    mean[v] = entries[v] == 0 ? 0 : static_cast<double>(sum[v]) / static_cast<double>(entries[v]);
  }
};

}  // namespace fathom
