#include "fathom/reorder/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/ops/page_model.hpp"

namespace fathom::reorder {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

void check(std::span<const EdgeId> offset, std::span<const std::uint32_t> depth, std::size_t unit) {
  if (unit == 0) throw Error(ErrorCode::Usage, "edges are read in units of at least one byte");
  if (offset.size() != depth.size() + 1)
    throw Error(ErrorCode::Usage, std::to_string(offset.size()) +
                                      " offsets of lists do not go with " +
                                      std::to_string(depth.size()) + " depths");
}

std::size_t levels_of(std::span<const std::uint32_t> depth) {
  std::size_t levels = 0;
  for (const std::uint32_t d : depth)
    if (d != kUnreached) levels = std::max(levels, std::size_t{d} + 1);
  return levels;
}

/// The units in which a list lies: [first, last]. Not for empty lists.
struct Units {
  std::uint64_t first, last;
};
Units units_of(std::span<const EdgeId> offset, std::size_t v, std::size_t unit,
               std::size_t entry_bytes) {
  return {offset[v] * entry_bytes / unit, (offset[v + 1] * entry_bytes - 1) / unit};
}

/// Vertices by level, ascending inside a level.
struct ByLevel {
  explicit ByLevel(std::span<const std::uint32_t> depth) : begin(levels_of(depth) + 1, 0) {
    for (const std::uint32_t d : depth)
      if (d != kUnreached) ++begin[d + std::size_t{1}];
    for (std::size_t l = 1; l < begin.size(); ++l) begin[l] += begin[l - 1];
    vertex.resize(begin.back());
    std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
    for (std::size_t v = 0; v < depth.size(); ++v)
      if (depth[v] != kUnreached) vertex[at[depth[v]]++] = static_cast<VertexId>(v);
  }
  std::vector<std::size_t> begin;  // [levels + 1]
  std::vector<VertexId> vertex;
};

}  // namespace

GapCost intra_level_cost(std::span<const std::uint32_t> depth) {
  std::vector<std::uint64_t> last(levels_of(depth), kNever);
  GapCost cost;
  for (std::size_t v = 0; v < depth.size(); ++v) {
    if (depth[v] == kUnreached) continue;
    std::uint64_t& before = last[depth[v]];
    if (before != kNever) {
      cost.log2_sum += std::log2(static_cast<double>(v - before));
      ++cost.gaps;
    }
    before = v;
  }
  return cost;
}

ReadVolume read_volume(std::span<const EdgeId> offset, std::span<const std::uint32_t> depth,
                       std::size_t unit, std::size_t entry_bytes) {
  check(offset, depth, unit);
  std::vector<std::uint64_t> past(levels_of(depth), 0);  // the first unit the level has not fetched
  ReadVolume volume;
  std::uint64_t units = 0;
  for (std::size_t v = 0; v < depth.size(); ++v) {
    if (depth[v] == kUnreached || offset[v] == offset[v + 1]) continue;
    volume.needed += (offset[v + 1] - offset[v]) * entry_bytes;
    const Units list = units_of(offset, v, unit, entry_bytes);
    std::uint64_t& next = past[depth[v]];
    units += list.last + 1 - std::max(list.first, std::min(next, list.last + 1));
    next = list.last + 1;
  }
  volume.fetched = units * unit;
  return volume;
}

PageFetches lru_fetches(std::span<const EdgeId> offset, std::span<const std::uint32_t> depth,
                        std::size_t page_bytes, std::size_t cache_bytes, std::size_t entry_bytes) {
  check(offset, depth, page_bytes);
  PageModel cache(offset.back() * entry_bytes, cache_bytes, page_bytes);
  PageFetches result;
  for (const VertexId v : ByLevel(depth).vertex) {
    result.needed += (offset[v + 1] - offset[v]) * entry_bytes;
    cache.touch(offset[v] * entry_bytes, offset[v + 1] * entry_bytes);
  }
  result.fetches = cache.faults();
  for (const std::uint32_t times : cache.moves()) {
    if (times >= result.times.size()) result.times.resize(std::size_t{times} + 1, 0);
    ++result.times[times];
  }
  return result;
}

}  // namespace fathom::reorder
