// Commands of the program, called as functions; and the program itself.
#pragma once

#include "call.hpp"

namespace fathom::python {

void add_commands(nb::module_& module);

}  // namespace fathom::python
