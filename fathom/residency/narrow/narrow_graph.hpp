// Graphs over narrow lists in host memory.
#pragma once

#include "fathom/residency/graph.hpp"

namespace fathom {

/// `in` null: undirected when `directed` is false, else without in-edges. GPUs read the lists as
/// they are; others have them widened in the context's host memory, if it has the room, or stream
/// them: pages are widened one by one. `owner` keeps alive what the lists show.
FATHOM_API Graph make_graph(const Context& ctx, const store::NarrowLists& out,
                            const store::NarrowLists* in, bool directed,
                            const ResidencyOptions& options = {},
                            const std::shared_ptr<const void>& owner = nullptr);

}  // namespace fathom
