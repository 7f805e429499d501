// Searches of one thread that visit neighbours in the order of their lists.
#pragma once

#include <nanobind/nanobind.h>

namespace fathom::python {

namespace nb = nanobind;

void add_searches(nb::module_& module);

}  // namespace fathom::python
