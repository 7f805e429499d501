// fathom._core: the library and the command, for the package's Python.
#include <nanobind/nanobind.h>

#include "algorithms.hpp"
#include "around.hpp"
#include "call.hpp"
#include "columns.hpp"
#include "command.hpp"
#include "device_arrays.hpp"
#include "dynamic.hpp"
#include "dynamic_rows.hpp"
#include "fathom/core/version.hpp"
#include "graph.hpp"
#include "in_order.hpp"
#include "make_graph.hpp"
#include "sampling.hpp"
#include "search.hpp"
#include "sweep.hpp"
#include "walks.hpp"

NB_MODULE(_core, module) {
  using namespace fathom::python;
  module.attr("version") = nb::str(fathom::kVersion);
  module.attr("vertex_bits") = fathom::kIdBits;
  add_calls(module);
  add_graph(module);
  add_columns(module);
  add_arrow_columns(module);
  add_arrow_export(module);
  add_make_graph(module);
  add_algorithms(module);
  add_commands(module);
  add_searches(module);
  add_in_order(module);
  add_bellman_ford(module);
  add_biconnected(module);
  add_around(module);
  add_sweep(module);
  add_device_arrays(module);
  add_rows(module);
  add_snapshots(module);
  add_following(module);
  add_dynamic(module);
  add_sampling(module);
  add_walks(module);
}
