#include "fathom/algorithms/louvain/louvain.hpp"

#include "fathom/algorithms/louvain/levels.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

LouvainResult louvain(const Context& ctx, const Graph& graph, const LouvainOptions& options) {
  return detail::run_levels(ctx, graph, options, {"louvain", false, louvain_state()});
}

}  // namespace fathom
