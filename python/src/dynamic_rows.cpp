#include "dynamic_rows.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "dynamic.hpp"
#include "text.hpp"

namespace fathom::python {
namespace {

/// Sorts without the interpreter's lock.
void find_order(const LabelRows& rows) {
  if (rows.ordered()) return;
  Watched watched;
  call(watched, [&] { rows.order(); });
}

}  // namespace

nb::object integer_array(std::vector<std::uint64_t>&& labels) {
  const bool large = std::ranges::any_of(labels, [](std::uint64_t label) { return label >> 63; });
  if (large) return owned_array(std::move(labels));
  return owned_array(std::vector<std::int64_t>(labels.begin(), labels.end()));
}

nb::object label_object(const LabelRows& rows, VertexId vertex) {
  if (rows.strings) return label_text(rows.text[vertex]);
  return nb::int_(rows.integer_of(vertex));
}

nb::object labels_in_rows(const LabelRows& rows) {
  find_order(rows);
  const store::FirstOrder& order = rows.order();
  const auto vertex = [&](VertexId row) { return order.natural() ? row : order.vertex[row]; };
  if (rows.strings) {
    nb::list all;
    for (VertexId row = 0; row < rows.existing; ++row)
      all.append(label_text(rows.text[vertex(row)]));
    return all;
  }
  std::vector<std::int64_t> labels(rows.existing);
  for (VertexId row = 0; row < rows.existing; ++row)
    labels[row] = static_cast<std::int64_t>(rows.integer_of(vertex(row)));
  if (std::any_of(labels.begin(), labels.end(), [](std::int64_t label) { return label < 0; }))
    return owned_array(std::vector<std::uint64_t>(labels.begin(), labels.end()));
  return owned_array(std::move(labels));
}

void add_rows(nb::module_& module) {
  nb::class_<PyRows>(module, "Rows")
      .def_prop_ro("size", [](const PyRows& r) { return std::uint64_t{r.its->existing}; })
      .def_prop_ro("strings", [](const PyRows& r) { return r.its->strings; })
      .def("labels", [](const PyRows& r) { return labels_in_rows(*r.its); })
      .def("label",
           [](const PyRows& r, std::uint64_t row) {
             if (row >= r.its->existing) throw nb::index_error("no such row");
             find_order(*r.its);
             return label_object(*r.its, r.its->vertex_of(static_cast<VertexId>(row)));
           })
      .def(
          "find",
          [](const PyRows& r, nb::bytes label) -> std::int64_t {
            find_order(*r.its);
            const auto row = r.its->find({label.c_str(), label.size()});
            return row ? std::int64_t{*row} : -1;
          },
          nb::arg("label"), "The row of a label, given as its bytes; -1: no vertex has it.");
}

}  // namespace fathom::python
