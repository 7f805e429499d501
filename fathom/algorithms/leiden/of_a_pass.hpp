// What a pass of the Leiden method has in common with the Louvain method.
#pragma once

#include "fathom/algorithms/leiden/leiden.hpp"

namespace fathom::detail {

LouvainOptions of_a_pass(const LeidenOptions& options);

}  // namespace fathom::detail
