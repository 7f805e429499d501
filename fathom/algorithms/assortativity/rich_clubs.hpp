// Rich clubs, from what each vertex has of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fathom/algorithms/assortativity/assortativity.hpp"

namespace fathom::detail {

/// `twice`: edges without loops that join a vertex to one of a higher degree, two for each, and of
/// the same degree, one.
inline std::vector<RichClub> rich_clubs(const Array<EdgeId>& degree,
                                        const Array<std::uint64_t>& twice) {
  struct Members {
    std::uint64_t vertices = 0, twice = 0;
  };
  std::unordered_map<EdgeId, Members> of_degree;
  for (std::size_t v = 0; v < degree.size(); ++v) {
    Members& members = of_degree[degree[v]];
    ++members.vertices;
    members.twice += twice[v];
  }
  of_degree[0];
  std::vector<EdgeId> degrees;
  degrees.reserve(of_degree.size());
  for (const auto& [its, members] : of_degree) degrees.push_back(its);
  std::sort(degrees.begin(), degrees.end(), std::greater<>());
  std::vector<RichClub> clubs;
  std::uint64_t vertices = 0, doubled = 0;  // of higher degrees
  for (const EdgeId its : degrees) {
    if (vertices > 1) {
      const auto among = static_cast<double>(vertices) * static_cast<double>(vertices - 1);
      clubs.push_back({its, vertices, doubled / 2, static_cast<double>(doubled) / among});
    }
    vertices += of_degree[its].vertices;
    doubled += of_degree[its].twice;
  }
  std::reverse(clubs.begin(), clubs.end());
  return clubs;
}

}  // namespace fathom::detail
