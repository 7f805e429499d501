// The rows of a result, as Python sees them.
#pragma once

#include <memory>
#include <vector>

#include "dynamic_labels.hpp"

namespace fathom::python {

struct PyRows {
  std::shared_ptr<const LabelRows> its;
};

/// int64, or uint64 where one is beyond 2^63.
nb::object integer_array(std::vector<std::uint64_t>&& labels);
/// Such an array, or a list of str, in rows. Finds the order if it is not known.
nb::object labels_in_rows(const LabelRows& rows);
/// The label of a vertex, an int or a str.
nb::object label_object(const LabelRows& rows, VertexId vertex);

void add_rows(nb::module_& module);

}  // namespace fathom::python
