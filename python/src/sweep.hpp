// All edges of a graph in pages, for programs of the caller's own.
#pragma once

#include "call.hpp"

namespace fathom::python {

void add_sweep(nb::module_& module);

}  // namespace fathom::python
