// Graphs over packed lists in host memory.
#pragma once

#include "fathom/residency/graph.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom {

/// `in` null: undirected when `directed` is false, else without in-edges. Devices that stream get
/// pages packed and unpack them. A GPU that does not stream reads the lists in place, or unpacked
/// (packed_way.hpp), where the residency says; everybody else reads them unpacked in the context's
/// host memory. `owner` keeps alive what the lists show.
FATHOM_API Graph make_graph(const Context& ctx, const store::PackedLists& out,
                            const store::PackedLists* in, bool directed,
                            const ResidencyOptions& options = {},
                            const std::shared_ptr<const void>& owner = nullptr);

}  // namespace fathom
