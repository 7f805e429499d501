// Random walks, as arrays.
#pragma once

#include "call.hpp"

namespace fathom::python {

void add_walks(nb::module_& module);

}  // namespace fathom::python
