#include "fathom/algorithms/leiden/leiden.hpp"

#include "fathom/algorithms/louvain/levels.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

LeidenResult leiden(const Context& ctx, const Graph& graph, const LeidenOptions& options) {
  return detail::run_levels(ctx, graph, options, {"leiden", true, leiden_state()});
}

}  // namespace fathom
