// Vertices in the order of a key: what every method ends with.
#pragma once

#include <numeric>
#include <span>
#include <utility>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/graph/radix_sort.hpp"

namespace fathom::reorder {

inline constexpr std::size_t kVertexGrain = std::size_t{1} << 14;

/// The vertices of `before` in ascending order of key(v), a 64-bit word; equal ones as in `before`.
/// 36 bytes per vertex while it runs. Deterministic: the sort is stable.
template <class Key>
Array<VertexId> stable_order(const Context& ctx, std::span<const VertexId> before, const Key& key) {
  struct Entry {
    std::uint64_t key;
    VertexId v;
  };
  const std::size_t n = before.size();
  Array<Entry> entry(n, ctx.host_memory());
  parallel_for(ctx.threads(), n, kVertexGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) entry[i] = {key(before[i]), before[i]};
  });
  ctx.task().check();
  {
    Array<Entry> scratch(n, ctx.host_memory());
    graph::parallel_radix_sort(
        entry.data(), scratch.data(), n, ctx.threads(), [](const Entry& e) { return e.key; },
        [](const Entry*, const Entry*) {});
  }
  Array<VertexId> order(n, ctx.host_memory());
  parallel_for(ctx.threads(), n, kVertexGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) order[i] = entry[i].v;
  });
  return order;
}

/// 0, 1, 2, ...
inline Array<VertexId> natural_order(const Context& ctx, VertexId n) {
  Array<VertexId> order(n, ctx.host_memory());
  std::iota(order.begin(), order.end(), VertexId{0});
  return order;
}

/// The place of each vertex in an order.
inline Array<VertexId> places_in(const Context& ctx, std::span<const VertexId> order) {
  Array<VertexId> place(order.size(), ctx.host_memory());
  parallel_for(ctx.threads(), order.size(), kVertexGrain,
               [&](std::size_t first, std::size_t last, int) {
                 for (std::size_t i = first; i < last; ++i)
                   place[order[i]] = static_cast<VertexId>(i);
               });
  return place;
}

}  // namespace fathom::reorder
