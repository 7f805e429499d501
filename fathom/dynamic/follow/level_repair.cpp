#include "fathom/dynamic/follow/level_repair.hpp"

#include <utility>

#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom::dynamic {

LevelRepair::LevelRepair(const Context& ctx, const Graph& graph, bool weak, Levels levels,
                         const RepairLimits& limits)
    : ctx_(ctx), weak_(weak), levels_(levels), vertices_(graph.vertices()), left_(limits) {
  if (!graph.directed()) {
    to_ = from_ = {&graph.out()};
  } else if (weak) {
    to_ = from_ = {&graph.out(), &graph.in()};
  } else {
    to_ = {&graph.out()};
    from_ = {&graph.in()};
  }
}

template <class Functor>
void LevelRepair::push(Frontier& from, Frontier& out, const Functor& functor) {
  const auto make = [&](const Device&) { return functor; };
  advance(ctx_, *to_[0], from, &out, make, Emit::Often);
  for (std::size_t i = 1; i < to_.size(); ++i) {
    Frontier more(ctx_, vertices_);
    advance(ctx_, *to_[i], from, &more, make, Emit::Often);
    out.unite(more);
  }
}

template <class Functor>
Frontier LevelRepair::pull(Frontier& which, const Functor& functor, bool rest_only) {
  const auto make = [&](const Device&) { return functor; };
  Frontier found(ctx_, vertices_);
  gather(ctx_, *from_[0], which, &found, make);
  for (std::size_t i = 1; i < from_.size(); ++i) {
    Frontier rest(ctx_, vertices_), more(ctx_, vertices_);
    rest.unite(which);
    if (rest_only) rest.subtract(found);
    gather(ctx_, *from_[i], rest, &more, make);
    found.unite(more);
  }
  return found;
}

bool LevelRepair::begin_step() {
  ctx_.task().check();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
  if (left_.steps == 0 || taken.count() > left_.seconds)
    gave_up_ = true;
  else
    --left_.steps;
  return !gave_up_;
}

Frontier LevelRepair::lose(const ChangesRef& batch) {
  Frontier lost(ctx_, vertices_), suspect(ctx_, vertices_);
  suspect.begin_bitmap();
  compute(ctx_, batch.edges, [&](const Device& d) {
    return MarkSuspects{batch.edge, levels_, weak_, suspect.bits(d)};
  });
  suspect.end_bitmap();
  while (!suspect.empty() && begin_step()) {
    suspect.subtract(pull(suspect, FindSupport{levels_}, true));
    if (suspect.empty()) break;
    compute(ctx_, suspect, [&](const Device&) { return MarkLost{levels_}; });
    lost.unite(suspect);
    Frontier supported(ctx_, vertices_);
    push(suspect, supported, FindSupported{levels_});
    suspect = std::move(supported);
  }
  compute(ctx_, lost, [&](const Device&) { return MarkUnreached{levels_}; });
  return lost;
}

void LevelRepair::find_ways(Frontier& lost) {
  if (!lost.empty() && !gave_up_) spread(pull(lost, TakeNearest{levels_}, false));
}

void LevelRepair::offer(const ChangesRef& batch, bool shorten) {
  if (gave_up_) return;
  Frontier lowered(ctx_, vertices_);
  lowered.begin_bitmap();
  compute(ctx_, batch.edges, [&](const Device& d) {
    return OfferAdded{batch.edge, levels_, weak_, shorten, lowered.bits(d)};
  });
  lowered.end_bitmap();
  spread(std::move(lowered));
}

void LevelRepair::spread(Frontier from) {
  while (!from.empty() && begin_step()) {
    Frontier lowered(ctx_, vertices_);
    push(from, lowered, LowerLevel{levels_});
    from = std::move(lowered);
  }
}

}  // namespace fathom::dynamic
