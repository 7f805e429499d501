// What algorithms whose results depend on the order of vertices ask of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// `row`: the place of each vertex; empty: its id.
/// @throws Error(Usage) in the name of `algorithm` unless these are distinct numbers below
/// vertices.
inline void check_rows(const std::string& algorithm, std::span<const VertexId> row,
                       VertexId vertices) {
  if (row.empty()) return;
  if (row.size() != vertices)
    throw Error(ErrorCode::Usage, algorithm + ": " + std::to_string(row.size()) + " rows, but " +
                                      std::to_string(vertices) + " vertices");
  std::vector<std::uint64_t> met((row.size() + 63) / 64);
  for (std::size_t v = 0; v < row.size(); ++v) {
    const VertexId its = row[v];
    if (its >= vertices || (met[its / 64] >> (its % 64) & 1) != 0)
      throw Error(ErrorCode::Usage,
                  algorithm + ": vertex " + std::to_string(v) + " has the row " +
                      std::to_string(its) +
                      (its >= vertices ? ", which there is not" : ", as a vertex before it"));
    met[its / 64] |= std::uint64_t{1} << (its % 64);
  }
}

}  // namespace fathom
