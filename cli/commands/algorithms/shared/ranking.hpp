// --top K: the vertices with the largest values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/shared/report_json.hpp"
#include "fathom/core/platform.hpp"

namespace fathom::cli {

/// Rows of a small table, best first.
struct Ranking {
  std::string key = "vertex";  // what the first column names
  std::string value;           // what the second column is
  std::vector<std::pair<VertexId, Json>> best;
};

/// The `k` largest values that `eligible` lets through; equal values in the order of results, given
/// by the row of each vertex (empty: ids are rows). k entries of memory beside the values.
template <class T, class Eligible>
std::vector<std::pair<VertexId, Json>> largest(std::span<const T> values, std::uint64_t k,
                                               const Eligible& eligible,
                                               std::span<const VertexId> row = {}) {
  std::vector<std::pair<T, VertexId>> heap;  // the worst of the kept ones is in front
  const auto better = [&](const std::pair<T, VertexId>& a, const std::pair<T, VertexId>& b) {
    if (a.first != b.first) return a.first > b.first;
    return row.empty() ? a.second < b.second : row[a.second] < row[b.second];
  };
  for (std::size_t v = 0; v < values.size() && k > 0; ++v) {
    const std::pair<T, VertexId> candidate{values[v], static_cast<VertexId>(v)};
    if (!eligible(values[v]) || (heap.size() == k && !better(candidate, heap.front()))) continue;
    if (heap.size() == k) {
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end(), better);
  }
  std::sort_heap(heap.begin(), heap.end(), better);
  std::vector<std::pair<VertexId, Json>> rows;
  rows.reserve(heap.size());
  for (const auto& [value, v] : heap) rows.emplace_back(v, value);
  return rows;
}

/// How many vertices a summary shows without --top.
inline constexpr std::uint64_t kShownVertices = 5;

/// The rows under their headings, values aligned to the right, with the caller's labels.
std::string table_of(const Ranking& ranking, const LoadedGraph& graph);

/// [{"<key>": label, "<value>": value}, ...]
Json json_of(const Ranking& ranking, const LoadedGraph& graph);

/// A number for people: 1,234,567 or 0.001234.
std::string human(const Json& number);

}  // namespace fathom::cli
