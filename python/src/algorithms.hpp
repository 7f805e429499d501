// Algorithms called from Python: what was asked for, and what a run gave.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "cli/shared/report_html.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/store/first_order.hpp"
#include "result_columns.hpp"

namespace fathom::python {

using CheckAnswer = FunctionRef<void(const Context&, const Graph&)>;

/// What a run gave; outlives the graph it was opened for, and lives as long as any array of it.
struct PyResult {
  const Algorithm* algorithm = nullptr;
  std::shared_ptr<const Answer> answer;
  std::vector<ResultColumn> columns;
  cli::Json facts, report;
  std::shared_ptr<const OptionValues> values;
  /// The report as a page, with what pages show beside it.
  std::function<std::string(const PyResult&)> page = [](const PyResult& its) {
    return cli::html_report(its.report);
  };
  /// Calls its argument with the same graph, on the host.
  std::function<void(const CheckAnswer&)> check;
};

/// A graph to run on, and how its vertices are called.
struct RunPlace {
  const Context& context;
  const Graph& graph;
  const store::FirstOrder& order;
  std::function<VertexId(const std::string&)> find;  // @throws Error(Usage)
  std::function<std::string(VertexId)> label;
  cli::Json described;  // under "graph" in the report
  double load_seconds = 0;
};

/// An algorithm and what was chosen of its options.
class Request {
 public:
  /// Masses have a value per row, `vertices` of them. The caller holds the interpreter's lock.
  /// @throws Error(Usage)
  Request(const std::string& name, const nb::dict& given, VertexId vertices,
          FunctionRef<VertexId(VertexId)> vertex_of);

  const Algorithm& algorithm() const { return algorithm_; }
  /// Once. Without the interpreter's lock. @throws what the algorithm does.
  std::shared_ptr<PyResult> run(const RunPlace& place) const;

 private:
  const Algorithm& algorithm_;
  std::shared_ptr<OptionValues> values_;
  std::vector<std::pair<const OptionInfo*, std::vector<std::string>>> labels_;
};

void add_algorithms(nb::module_& module);

}  // namespace fathom::python
