// Algorithms of one thread whose answers depend on the order of vertices and of their lists.
#pragma once

#include <nanobind/nanobind.h>

namespace fathom::python {

namespace nb = nanobind;

void add_in_order(nb::module_& module);
void add_bellman_ford(nb::module_& module);
void add_biconnected(nb::module_& module);

}  // namespace fathom::python
