// What the neighbours of a vertex have to do with each other, by all threads.
#pragma once

#include <nanobind/nanobind.h>

namespace fathom::python {

namespace nb = nanobind;

void add_around(nb::module_& module);

}  // namespace fathom::python
