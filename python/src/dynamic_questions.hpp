// What Python asks of a graph that changes about edges.
#pragma once

#include <vector>

#include "dynamic.hpp"

namespace fathom::python {

/// (source, target, and what follows them in EdgeColumns, each of which may be None), or None.
EdgeColumns edge_columns(const nb::object& given);

/// What was asked about edges, between vertices that there are; the others have no answer.
struct EdgeQuestions {
  EdgeQuestions(const DynamicLabels& labels, const EdgeColumns& edges);

  template <class T>
  std::vector<T> answers(const std::vector<T>& of_asked, T otherwise) const {
    if (of_asked.size() == all) return of_asked;
    std::vector<T> to(all, otherwise);
    for (std::size_t i = 0; i < at.size(); ++i) to[at[i]] = of_asked[i];
    return to;
  }

  std::vector<Edge> asked;
  std::vector<std::size_t> at;
  std::size_t all = 0;
};

}  // namespace fathom::python
