// --top K: the vertices, or pairs of them, with the largest values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/answer.hpp"
#include "fathom/core/platform.hpp"

namespace fathom::cli {

/// Rows of a small table, best first.
struct Ranking {
  std::string key = "vertex";  // what the first column names
  std::string value;           // what the second column is
  std::vector<std::pair<std::size_t, Json>> best;
  std::optional<AnswerPairs> pairs = std::nullopt;  // there: best are rows of these
};

/// The `k` largest values that `eligible` lets through; equal values in the order of results, given
/// by the row of each vertex (empty: ids are rows). k entries of memory beside the values.
template <class T, class Eligible>
std::vector<std::pair<std::size_t, Json>> largest(std::span<const T> values, std::uint64_t k,
                                                  const Eligible& eligible,
                                                  std::span<const VertexId> row = {}) {
  std::vector<std::pair<T, std::size_t>> heap;  // the worst of the kept ones is in front
  const auto better = [&](const std::pair<T, std::size_t>& a, const std::pair<T, std::size_t>& b) {
    if (a.first != b.first) return a.first > b.first;
    return row.empty() ? a.second < b.second : row[a.second] < row[b.second];
  };
  for (std::size_t v = 0; v < values.size() && k > 0; ++v) {
    const std::pair<T, std::size_t> candidate{values[v], v};
    if (!eligible(values[v]) || (heap.size() == k && !better(candidate, heap.front()))) continue;
    if (heap.size() == k) {
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end(), better);
  }
  std::sort_heap(heap.begin(), heap.end(), better);
  std::vector<std::pair<std::size_t, Json>> rows;
  rows.reserve(heap.size());
  for (const auto& [value, v] : heap) rows.emplace_back(v, value);
  return rows;
}

/// How many vertices a summary shows without --top.
inline constexpr std::uint64_t kShownVertices = 5;

/// The rows under their headings, values aligned to the right, with the caller's labels.
std::string table_of(const Ranking& ranking, const LoadedGraph& graph);

/// [{"<key>": label, "<value>": value}, ...]; of pairs [{"u": label, "v": label, "<value>": ...}],
/// or as their columns are named.
Json json_of(const Ranking& ranking, const LoadedGraph& graph);

/// A number for people: 1,234,567 or 0.001234.
std::string human(const Json& number);

}  // namespace fathom::cli
