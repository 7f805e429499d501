// Updates as they cross the link: half of the bytes of an EdgeUpdate, three quarters with weights.
#pragma once

#include "fathom/dynamic/update.hpp"

namespace fathom::dynamic {

/// Arrays in memory that a kernel reads.
struct PackedUpdates {
  static constexpr std::uint64_t kSource = (std::uint64_t{1} << 31) - 1;
  static constexpr std::uint64_t kDeletes = std::uint64_t{1} << 31;
  // Of a graph whose updates may be packed: vertices that do not exist stay such.
  static constexpr std::uint64_t kMostVertices = kSource;

  const std::uint64_t* edge = nullptr;  // the source, kDeletes, and the target from bit 32 on
  const Weight* weight = nullptr;       // null: all are 1

  static constexpr std::size_t bytes(bool weighted) {
    return sizeof(std::uint64_t) + (weighted ? sizeof(Weight) : 0);
  }
  FATHOM_HD EdgeUpdate operator[](std::size_t i) const {
    const std::uint64_t e = edge[i];
    EdgeUpdate update;
    update.source = static_cast<VertexId>(e & kSource);
    update.target = static_cast<VertexId>(e >> 32);
    if (weight) update.weight = weight[i];
    update.deletion = (e & kDeletes) != 0;
    return update;
  }
};

/// Packs n updates at `to`, aligned for them: all edges, and behind them all weights if those are
/// asked for. Endpoints from kMostVertices on may become others from there on.
PackedUpdates pack_updates(const EdgeUpdate* from, std::size_t n, bool weighted, void* to,
                           int threads);

}  // namespace fathom::dynamic
