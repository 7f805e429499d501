// How many searches by hops go on at once.
#include <algorithm>

#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {

int hop_batch(const Context& ctx, const Graph& graph, std::size_t sources, int batch,
              FunctionRef<StateSize(int)> state) {
  // With their offsets in place, as they are for the next run.
  graph.out();
  if (graph.has_in()) graph.in();
  std::size_t pages = graph.out().least_sweep_memory();
  // On devices a frame of each direction.
  if (ctx.separate())
    graph.for_each_open([&](EdgeSource& edges, store::Lists) {
      if (const SplitEdges* const paged = edges.split_edges()) pages += paged->frame_bytes(false);
    });
  for (const int most : {8, 4, 2}) {
    if (most > batch || static_cast<std::size_t>(most) > sources) continue;
    const auto each = static_cast<std::size_t>(state(most).whole);
    // What caches hold is theirs only until vertex state needs it.
    const auto fits = [&](const Device& d) {
      const std::size_t room = obtainable(*d.memory());
      return (room - std::min(room, pages)) / 2 / each >= graph.vertices();
    };
    if (fits_on_all(ctx, fits)) return most;
  }
  return 1;
}

}  // namespace fathom
