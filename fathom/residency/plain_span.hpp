// A piece of a list as it lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/residency/edge_cursor.hpp"

namespace fathom {

/// Targets and weights in two arrays.
struct PlainSpan {
  const VertexId* target_at = nullptr;  // [size]
  const Weight* weight_at = nullptr;    // [size]; null: every weight is 1
  std::uint32_t size = 0;

  FATHOM_HD VertexId target(std::size_t i) const { return target_at[i]; }
  FATHOM_HD Weight weight(std::size_t i) const { return weight_at ? weight_at[i] : Weight{1}; }
  FATHOM_HD std::uint32_t lead() const {
    return detail::entries_past_line(target_at, sizeof(VertexId));
  }
  FATHOM_HD std::uintptr_t address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(target_at + i);
  }
  FATHOM_HD std::uintptr_t weight_address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(weight_at + i);
  }
};

}  // namespace fathom
