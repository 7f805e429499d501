#include "fathom/algorithms/slot_windows.hpp"

namespace fathom {
namespace {

/// Entries of the vertices before v.
EdgeId entries_before(const Context& ctx, EdgeSource& out, EdgeSource* in, VertexId v) {
  const Device& first = ctx.devices()[0];
  EdgeId sum = 0;
  for (EdgeSource* const lists : {&out, in}) {
    EdgeId its = 0;
    if (lists) ctx.copy(&its, lists->offsets(first) + v, sizeof its);
    sum += its;
  }
  return sum;
}

}  // namespace

std::vector<SlotWindow> plan_slot_windows(const Context& ctx, EdgeSource& out, EdgeSource* in,
                                          EdgeId room) {
  std::vector<SlotWindow> windows;
  const VertexId n = out.vertices();
  EdgeId begin = 0;
  for (VertexId first = 0; first < n; first = windows.back().last) {
    VertexId low = first, high = n;
    EdgeId end = begin;  // of the vertices before `low`
    while (low < high) {
      const VertexId middle = high - (high - low) / 2;
      const EdgeId before = entries_before(ctx, out, in, middle);
      if (before - begin <= room) {
        low = middle;
        end = before;
      } else {
        high = middle - 1;
      }
    }
    const bool none = low == first;
    if (none) end = entries_before(ctx, out, in, ++low);
    windows.push_back({first, low, begin, end, none});
    begin = end;
  }
  return windows;
}

void select_window(const Context& ctx, const SlotWindow& window, Frontier& vertices) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::size_t first = window.first / 64, last = window.last / 64;  // words
  const std::uint64_t from = kAll << (window.first % 64);
  const std::uint64_t below = (std::uint64_t{1} << (window.last % 64)) - 1;
  vertices.begin_bitmap();
  for (const Device& d : ctx.devices()) {
    const auto put = [&](std::size_t at, std::size_t count, std::uint64_t bits) {
      if (count > 0) ctx.fill(d, vertices.bits(d) + at, count, &bits, sizeof bits);
    };
    if (first == last) {
      put(first, 1, from & below);
      continue;
    }
    put(first, 1, from);
    put(first + 1, last - first - 1, kAll);
    if (below != 0) put(last, 1, below);
  }
  vertices.end_bitmap(true);
  vertices.set_size(window.last - window.first);
}

}  // namespace fathom
