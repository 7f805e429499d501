// gather: folds the edges of every active vertex into one value; the vertices whose commit says so
// form the next frontier. (Pull; with done() it stops early, as bottom-up BFS needs.)
#pragma once

#include <vector>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/device_code.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/fold.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// make(device) builds the functor from the device's replicas. `out` may be null. Replicas of
/// vertex state may differ afterwards: merge() them. `active` becomes a bitmap when `out` is given.
/// Returns the sum of the tallies of all commits, added in no particular order.
/// Cost: at most one read of each edge of `active`.
template <class Factory>
auto gather(const Context& ctx, EdgeSource& edges, Frontier& active, Frontier* out,
            const Factory& make, EdgeId first = kWholeList) {
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  SweepOptions options{first, kReadsWeights<F>};
  options.stops_early = kCanStop<F>;
  if constexpr (has_device_code<F>()) {
    if (ctx.on_gpu()) {
      std::vector<TallyOf<F>> tally(ctx.devices().size());
      if (active.form() == Frontier::Form::List) active.make_bitmap();
      if (out) out->begin_bitmap();
      edges.sweep(ctx, active, options, [&](const Pass& pass) {
        cuda::gather(pass, edges.edges(), active.on(pass.device), make(pass.device),
                     out ? out->bits(pass.device) : nullptr,
                     tally[static_cast<std::size_t>(pass.device.index())]);
      });
      if (out) out->end_bitmap();
      TallyOf<F> total{};
      for (const TallyOf<F>& of_device : tally) total = total + of_device;
      return sum_among_ranks(ctx, total);
    }
  }
  struct alignas(64) Worker {
    TallyOf<F> tally{};
  };
  std::vector<Worker> workers(static_cast<std::size_t>(ctx.threads()));
  const auto tally_of = [&](int worker) -> TallyOf<F>& {
    return workers[static_cast<std::size_t>(worker)].tally;
  };
  if (out) {
    if (active.form() == Frontier::Form::List) active.make_bitmap();
    out->begin_bitmap();
  }
  edges.sweep(ctx, active, options, [&](const Pass& pass) {
    const F f = make(pass.device);
    const FrontierRef in = active.on(pass.device);
    ctx.launch(pass.device, [&] {
      visit_host_edges(
          [&](const auto& view) {
            if (!out) {
              cpu::for_active(ctx.threads(), in, pass.first, pass.last,
                              [=](VertexId u, int w) { fold(OneLane{}, view, u, f, tally_of(w)); });
              return;
            }
            std::uint64_t* bits = out->bits(pass.device);
            // A worker owns whole words: plain writes, no atomics.
            cpu::for_active_words(
                ctx.threads(), in, pass.first, pass.last,
                [=](std::size_t word, std::uint64_t rest, int w) {
                  std::uint64_t joined = 0;
                  for (; rest != 0; rest &= rest - 1) {
                    const int bit = std::countr_zero(rest);
                    const auto u = static_cast<VertexId>(word * 64 + static_cast<std::size_t>(bit));
                    if (fold(OneLane{}, view, u, f, tally_of(w))) joined |= std::uint64_t{1} << bit;
                  }
                  if (joined != 0) bits[word] |= joined;
                });
          },
          pass.edges);
    });
  });
  if (out) out->end_bitmap();
  TallyOf<F> total{};
  for (const Worker& w : workers) total = total + w.tally;
  return sum_among_ranks(ctx, total);
}

}  // namespace fathom
