// Graphs from arrays and tables.
#pragma once

#include "call.hpp"

namespace fathom::python {

void add_make_graph(nb::module_& module);

}  // namespace fathom::python
