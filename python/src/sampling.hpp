// Neighbour sampling for loaders of batches.
#pragma once

#include "call.hpp"

namespace fathom::python {

void add_sampling(nb::module_& module);

}  // namespace fathom::python
