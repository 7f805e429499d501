#include "fathom/algorithms/components/parts.hpp"

#include <algorithm>
#include <functional>

#include "fathom/core/parallel.hpp"
#include "fathom/exec/bitmap.hpp"
#include "fathom/exec/split.hpp"

namespace fathom {
namespace {

/// The number of vertices v for which wanted(v).
template <class Wanted>
VertexId count_vertices(const Context& ctx, std::size_t n, const Wanted& wanted) {
  return parallel_reduce(
      ctx.threads(), n, std::size_t{1} << 16, VertexId{0},
      [&](std::size_t first, std::size_t last) {
        VertexId count = 0;
        for (std::size_t v = first; v < last; ++v) count += wanted(v) ? 1 : 0;
        return count;
      },
      std::plus<>());
}

/// How many vertices have the most frequent label. Counts in the places of the vertices that are
/// their own label, and puts those back: no memory beside the labels, which budgets may not leave.
VertexId largest_count(Array<VertexId>& label) {
  constexpr VertexId kCount = ~(~VertexId{0} >> 1);  // of a vertex that is its own label
  for (std::size_t v = 0; v < label.size(); ++v)
    if (label[v] == v) label[v] = kCount + 1;
  for (const VertexId l : label)
    if (l < kCount) ++label[l];
  VertexId largest = 0;
  for (std::size_t v = 0; v < label.size(); ++v) {
    if (label[v] < kCount) continue;
    largest = std::max(largest, label[v] - kCount);
    label[v] = static_cast<VertexId>(v);
  }
  return largest;
}

/// `giant`: the label that is likely to be the most frequent one. When it covers half of the
/// vertices there is nothing else to count.
VertexId largest_class(const Context& ctx, Array<VertexId>& label, VertexId giant) {
  const VertexId size =
      count_vertices(ctx, label.size(), [&](std::size_t v) { return label[v] == giant; });
  if (size >= label.size() - size) return size;
  if (label.size() <= ~VertexId{0} >> 1) return largest_count(label);
  Array<VertexId> count(label.size(), 0, ctx.host_memory());
  for (const VertexId l : label) ++count[l];
  return *std::max_element(count.begin(), count.end());
}

}  // namespace

void keep_to(const Context& ctx, VertexRange range, Frontier& frontier) {
  Array<std::uint64_t> bits(bitmap::words(frontier.universe()), 0, ctx.host_memory());
  for (std::size_t w = range.first / 64; w * 64 < range.last; ++w) {
    bits[w] = ~std::uint64_t{0};
    if (w * 64 < range.first) bits[w] &= ~std::uint64_t{0} << (range.first % 64);
    if (w * 64 + 64 > range.last) bits[w] &= (std::uint64_t{1} << (range.last % 64)) - 1;
  }
  assign_bits(ctx, frontier, bits.span());
}

void count_components(const Context& ctx, VertexId giant, ComponentsResult& result) {
  const std::size_t n = result.label.size();
  result.components = count_vertices(ctx, n, [&](std::size_t v) { return result.label[v] == v; });
  result.largest = n == 0 ? 0 : largest_class(ctx, result.label, giant);
}

}  // namespace fathom
