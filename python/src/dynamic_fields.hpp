// Types and timestamps of edges, weights and types of vertices, of a graph that changes.
#pragma once

#include <span>
#include <vector>

#include "dynamic.hpp"

namespace fathom::python {

// Of columns on the host; what none of them has is 0, of weights 1. @throws Error(BadInput) that
// names the column and the place, Error(Usage) for columns of other values
void read_fields(const EdgeColumns& edges, std::span<EdgeFields> into, int threads);
/// `rounded` counts weights that binary32 does not hold exactly.
std::vector<VertexFields> read_fields(const VertexColumns& vertices, int threads,
                                      std::uint64_t& rounded);

/// (type, t1, t2) as NumPy arrays.
nb::tuple field_arrays(std::span<const EdgeFields> fields);

void add_fields(nb::module_& module, nb::class_<PyDynamic>& graph);

}  // namespace fathom::python
