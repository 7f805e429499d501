// run_small: many small push supersteps in a row without a word from the host in between. A search
// through a road network has thousands of them, each far shorter than the start of a kernel.
#pragma once

#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/device_code.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// What run_small() did.
struct SmallRun {
  std::uint32_t steps = 0;     // supersteps finished
  std::uint64_t vertices = 0;  // in all of their frontiers
  std::uint64_t edges = 0;     // that left them
};

/// Frontiers beyond this are worth a launch of their own.
inline constexpr VertexId kSmallFrontier = 4096;

/// Pushes from `now` until the frontier is empty, has grown beyond kSmallFrontier, contains a
/// vertex with more than kSmallList edges, or `most_steps` are done; `now` is then the frontier
/// that comes next. Frontiers of which one block finds most may end it too. make(device) builds a
/// functor whose at(k) is that of the k-th of these supersteps, in two parts: may_take(v) and
/// take(u, v), as walk_small_supersteps() wants them.
///
/// Does nothing where it does not help: on CPUs, when several passes are needed to see all edges,
/// or where 16 KiB of device memory are not left.
template <class Factory>
SmallRun run_small(const Context& ctx, EdgeSource& edges, Frontier& now, std::uint32_t most_steps,
                   const Factory& make) {
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  if constexpr (has_device_code<F>()) {
    if (!ctx.on_gpu() || now.size() > kSmallFrontier || !edges.comes_whole()) return {};
    const Device& device = ctx.devices()[0];
    // First: a cache that gives way to it must not be handed out yet.
    if (!cuda::room_for_small(device)) return {};
    const auto whole = edges.whole({});
    if (!whole) return {};
    now.make_bitmap();
    return cuda::run_small(device, *whole, now, most_steps, make(device));
  }
  return {};
}

}  // namespace fathom
