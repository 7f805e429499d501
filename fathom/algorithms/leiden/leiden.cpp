#include "fathom/algorithms/leiden/leiden.hpp"

#include "fathom/algorithms/leiden/of_a_pass.hpp"
#include "fathom/algorithms/louvain/levels.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

LouvainOptions detail::of_a_pass(const LeidenOptions& options) {
  return {.resolution = options.resolution,
          .tolerance = options.tolerance,
          .levels = options.levels,
          .rounds = options.rounds,
          .seed = options.seed};
}

LeidenResult leiden(const Context& ctx, const Graph& graph, const LeidenOptions& options) {
  return detail::run_levels(ctx, graph, detail::of_a_pass(options),
                            {"leiden", true, leiden_state(), options.passes});
}

}  // namespace fathom
