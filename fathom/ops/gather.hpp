// gather: folds the edges of every active vertex into one value; the vertices whose commit says so
// form the next frontier. (Pull; with done() it stops early, as bottom-up BFS needs.)
#pragma once

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/fold.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// make(device) builds the functor from the device's replicas. `out` may be null. Replicas of
/// vertex state may differ afterwards: merge() them. `active` becomes a bitmap when `out` is given.
/// Cost: at most one read of each edge of `active`.
template <class Factory>
void gather(const Context& ctx, EdgeSource& edges, Frontier& active, Frontier* out,
            const Factory& make, EdgeId first = kWholeList) {
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  if (out) {
    if (active.form() == Frontier::Form::List) active.make_bitmap();
    out->begin_bitmap();
  }
  edges.sweep(ctx, active, {first, reads_weights<F>()}, [&](const Pass& pass) {
    const F f = make(pass.device);
    const FrontierRef in = active.on(pass.device);
    ctx.launch(pass.device, [&] {
      std::visit(
          [&](const auto& view) {
            if (!out) {
              cpu::for_active(ctx.threads(), in, pass.first, pass.last,
                              [&](VertexId u, int) { fold(OneLane{}, view, u, f); });
              return;
            }
            std::uint64_t* bits = out->bits(pass.device);
            // A worker owns whole words: plain writes, no atomics.
            cpu::for_active_words(
                ctx.threads(), in, pass.first, pass.last,
                [&](std::size_t word, std::uint64_t rest, int) {
                  std::uint64_t joined = 0;
                  for (; rest != 0; rest &= rest - 1) {
                    const int bit = std::countr_zero(rest);
                    const auto u = static_cast<VertexId>(word * 64 + static_cast<std::size_t>(bit));
                    if (fold(OneLane{}, view, u, f)) joined |= std::uint64_t{1} << bit;
                  }
                  if (joined != 0) bits[word] |= joined;
                });
          },
          pass.edges);
    });
  });
  if (out) out->end_bitmap();
}

}  // namespace fathom
