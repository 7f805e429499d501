// What bucket() asks of a vertex.
#pragma once

#include "fathom/exec/frontier.hpp"

namespace fathom {

/// Whether a vertex's key is in the current window.
template <class Key>
struct WithinBound {
  static constexpr bool kDeviceCode = true;
  const Key* key;
  Key bound;
  FATHOM_HD bool operator()(VertexId v) const { return key[v] <= bound; }
};

/// The key of a pending vertex, infinite for the others.
template <class Key>
struct PendingKey {
  static constexpr bool kDeviceCode = true;
  const Key* key;
  FrontierRef pending;  // a bitmap
  FATHOM_HD Key operator()(VertexId v) const {
    return pending.contains(v) ? key[v] : static_cast<Key>(__builtin_inff());
  }
};

}  // namespace fathom
