#include "algorithms.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/algorithms/shared/facts_json.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/page/page_parts.hpp"
#include "cli/shared/report_html.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/core/error.hpp"
#include "graph.hpp"
#include "result_columns.hpp"
#include "text.hpp"

namespace fathom::python {
namespace {

using Kind = OptionInfo::Kind;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

const Algorithm& algorithm_named(const std::string& name) {
  if (const Algorithm* const found = find_algorithm(name)) return *found;
  throw Error(ErrorCode::Usage, fmt::format("there is no algorithm '{}'", name));
}

// What describe() says: dictionaries, of which the functions of the package are made.

nb::str text(std::string_view s) {
  return nb::str(s.data(), s.size());
}

nb::list texts(const std::vector<std::string_view>& all) {
  nb::list list;
  for (const std::string_view one : all) list.append(text(one));
  return list;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::Flag:
      return "flag";
    case Kind::Count:
      return "count";
    case Kind::Real:
      return "real";
    case Kind::Mode:
      return "mode";
    case Kind::Vertex:
      return "vertex";
    case Kind::Vertices:
      return "vertices";
    case Kind::Masses:
      return "masses";
    case Kind::Pairs:
      return "pairs";
    case Kind::Table:
      return "table";
  }
  return "";
}

nb::dict describe_option(const OptionInfo& info) {
  nb::dict its;
  its["name"] = text(info.name);
  its["kind"] = name_of(info.kind);
  its["meaning"] = text(info.meaning);
  its["required"] = info.required;
  its["choices"] = texts(info.choices);
  its["excludes"] = text(info.excludes);
  its["positive"] = info.positive;
  its["least"] = info.least;
  its["most"] = info.most;
  its["planned"] = info.planned;
  its["default"] = nb::none();
  if (info.kind == Kind::Count) its["default"] = info.count;
  if (info.kind == Kind::Real) its["default"] = info.real;
  if (info.kind == Kind::Mode && !info.mode.empty()) its["default"] = text(info.mode);
  its["shows_default"] = info.shows_default;
  return its;
}

nb::dict describe_algorithm(const Algorithm& algorithm) {
  nb::dict its;
  its["name"] = text(algorithm.name);
  its["purpose"] = text(algorithm.purpose);
  its["notes"] = text(algorithm.notes);
  its["ranks_zero"] = algorithm.ranks_zero;
  its["pairs"] = algorithm.pairs;
  its["other_rows"] = text(algorithm.other_rows);
  nb::list options, columns, facts;
  for (const OptionInfo& info : algorithm.options) options.append(describe_option(info));
  for (const ColumnInfo& info : algorithm.columns)
    columns.append(nb::make_tuple(text(info.name), text(info.meaning)));
  for (const FactInfo& info : algorithm.facts)
    facts.append(nb::make_tuple(text(info.name), text(info.meaning)));
  its["options"] = options;
  its["columns"] = columns;
  its["facts"] = facts;
  return its;
}

nb::list describe() {
  nb::list all;
  for (const Algorithm* const algorithm : described_algorithms())
    all.append(describe_algorithm(*algorithm));
  return all;
}

/// Also of those that are no algorithms of describe(), as far as plans depend on them.
nb::list describe_planned() {
  nb::list all;
  for (const Algorithm* const algorithm : planned_descriptions())
    all.append(describe_algorithm(*algorithm));
  return all;
}

// What a caller chose.

/// As the package calls it.
std::string argument(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

[[noreturn]] void refuse(const OptionInfo& info, const std::string& expected,
                         const std::string& found) {
  throw Error(ErrorCode::Usage,
              fmt::format("{}: expected {}, found {}", argument(info.name), expected, found));
}

template <class T>
T as(const OptionInfo& info, nb::handle value, const char* expected) {
  T its{};
  if (!nb::try_cast(value, its)) refuse(info, expected, nb::repr(value).c_str());
  return its;
}

void set_count(OptionValues& values, const OptionInfo& info, nb::handle value) {
  // What __index__ gives: NumPy's integers too, no floats.
  const nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
  if (!integer.is_valid()) {
    PyErr_Clear();
    refuse(info, "an integer", nb::repr(value).c_str());
  }
  const std::string shown = nb::str(integer).c_str();
  std::uint64_t count = 0;
  const bool read = nb::try_cast(integer, count);
  if (!read || count < info.least || count > info.most)
    refuse(info,
           info.most == OptionInfo::kMost
               ? fmt::format("an integer of at least {}", info.least)
               : fmt::format("an integer from {} to {}", info.least, info.most),
           shown);
  if (info.positive && count == 0) refuse(info, "an integer greater than 0", shown);
  values.set_count(info.name, count);
}

void set_real(OptionValues& values, const OptionInfo& info, nb::handle value) {
  const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    refuse(info, "a number", nb::repr(value).c_str());
  }
  const auto real = nb::cast<double>(number);
  if (info.positive && !(real > 0))
    refuse(info, "a number greater than 0", fmt::format("{}", real));
  values.set_real(info.name, real);
}

void set_mode(OptionValues& values, const OptionInfo& info, nb::handle value) {
  const auto mode = as<std::string>(info, value, "a word");
  if (std::find(info.choices.begin(), info.choices.end(), mode) == info.choices.end())
    refuse(info, fmt::format("one of '{}'", fmt::join(info.choices, "', '")), "'" + mode + "'");
  values.set_mode(info.name, mode);
}

/// Masses are in the order of results.
void set_masses(OptionValues& values, const OptionInfo& info, const Doubles& rows, VertexId n,
                FunctionRef<VertexId(VertexId)> vertex_of) {
  if (rows.size() != n)
    refuse(info, fmt::format("a value for each of {} vertices", n), fmt::format("{}", rows.size()));
  std::vector<double> masses(n);
  for (VertexId row = 0; row < n; ++row) {
    const double mass = rows.data()[row];
    if (!(mass >= 0) || mass > std::numeric_limits<double>::max())
      refuse(info, "finite values of at least 0", fmt::format("{} in row {}", mass, row));
    masses[vertex_of(row)] = mass;
  }
  values.set_masses(info.name, std::move(masses));
}

/// Of two ids each, one behind the other.
VertexPairs pairs_of(const OptionInfo& info, const std::vector<VertexId>& ids,
                     const std::vector<std::string>& labels) {
  VertexPairs pairs;
  pairs.reserve(ids.size() / 2);
  for (std::size_t i = 0; i + 1 < ids.size(); i += 2) {
    if (ids[i] == ids[i + 1])
      refuse(info, "pairs of two vertices",
             "'" + labels[i] + "' twice in pair " + std::to_string(i / 2));
    pairs.emplace_back(ids[i], ids[i + 1]);
  }
  return pairs;
}

cli::LoadedGraph::Opens opens_for(const Algorithm& algorithm) {
  return algorithm.reads_oriented ? cli::LoadedGraph::Opens::Nothing
                                  : cli::LoadedGraph::Opens::OutLists;
}

}  // namespace

Request::Request(const std::string& name, const nb::dict& given, VertexId vertices,
                 FunctionRef<VertexId(VertexId)> vertex_of)
    : algorithm_(algorithm_named(name)),
      values_(std::make_shared<OptionValues>(algorithm_.options)) {
  OptionValues& values = *values_;
  for (const OptionInfo& info : algorithm_.options) {
    const nb::str option(info.name.data(), info.name.size());
    if (!given.contains(option)) {
      if (info.required)
        throw Error(ErrorCode::Usage,
                    fmt::format("{} needs {}", algorithm_.name, argument(info.name)));
      continue;
    }
    const nb::object value = given[option];
    if (!info.excludes.empty() && given.contains(text(info.excludes)))
      throw Error(ErrorCode::Usage, fmt::format("{} and {} exclude each other", argument(info.name),
                                                argument(info.excludes)));
    switch (info.kind) {
      case Kind::Flag:
        values.set_flag(info.name, as<bool>(info, value, "True or False"));
        break;
      case Kind::Count:
        set_count(values, info, value);
        break;
      case Kind::Real:
        set_real(values, info, value);
        break;
      case Kind::Mode:
        set_mode(values, info, value);
        break;
      case Kind::Masses:
        set_masses(values, info, as<Doubles>(info, value, "one dimension"), vertices, vertex_of);
        break;
      case Kind::Vertex:
      case Kind::Vertices:
      case Kind::Pairs: {
        std::vector<std::string> its;
        for (const nb::bytes& label : nb::cast<std::vector<nb::bytes>>(value))
          its.emplace_back(label.c_str(), label.size());
        labels_.emplace_back(&info, std::move(its));
        break;
      }
      case Kind::Table:
        break;  // every result has its tables
    }
  }
}

std::shared_ptr<PyResult> Request::run(const RunPlace& place) const {
  for (const auto& [info, labels] : labels_) {
    std::vector<VertexId> ids;
    ids.reserve(labels.size());
    for (const std::string& label : labels) ids.push_back(place.find(label));
    if (info->kind == Kind::Pairs)
      values_->set_pairs(info->name, pairs_of(*info, ids, labels));
    else
      values_->set_vertices(info->name, {labels, ids});
  }
  values_->rows = place.order.row.span();
  values_->label_of = place.label;
  auto result = std::make_shared<PyResult>();
  result->algorithm = &algorithm_;
  const auto answer = std::make_shared<Answer>(with_labels_in_errors(
      place.label, [&] { return algorithm_.run(place.context, place.graph, *values_); }));
  values_->rows = {};
  values_->label_of = nullptr;  // what it asks may go before the answer does
  // Certificates read options when they are asked to check.
  answer->holds = std::make_shared<std::pair<std::shared_ptr<const void>, decltype(values_)>>(
      answer->holds, values_);
  result->columns = columns_of(algorithm_, answer, place.order);
  result->facts = cli::json_of(answer->facts);
  cli::Timing timing;
  timing.load = place.load_seconds;
  timing.trials = {answer->report.seconds};
  const bool reads_weights = algorithm_.state({.weighted = true}, *values_).weights;
  result->report =
      cli::report_json(std::string(algorithm_.name), place.described, place.context, place.graph,
                       answer->report, timing, result->facts, std::nullopt, reads_weights);
  result->answer = answer;
  result->values = values_;
  return result;
}

namespace {

std::shared_ptr<PyResult> run(const std::shared_ptr<PyGraph>& graph, const std::string& name,
                              const nb::dict& given, const Words& words) {
  const Request request(name, given, graph->header().vertices,
                        [&](VertexId row) { return graph->vertex_of(row); });
  const Algorithm& algorithm = request.algorithm();
  const auto in_session = [graph, words, &algorithm](FunctionRef<void(Session&)> use) {
    graph->with_session(words, algorithm.sweeps, opens_for(algorithm), use);
  };
  std::shared_ptr<PyResult> result;
  in_session([&](Session& session) {
    cli::LoadedGraph& loaded = *session.loaded;
    cli::Json described = cli::graph_json(graph->header(), graph->name());
    described["filter"] = cli::filter_json(loaded);
    result = request.run({loaded.context(), loaded.graph(), loaded.rows(),
                          [&](const std::string& label) { return loaded.find(label); },
                          [&](VertexId v) { return loaded.label(v); }, std::move(described),
                          loaded.load_seconds()});
  });
  result->page = [in_session](const PyResult& its) {
    const std::uint64_t available = cli::available_memory();
    std::string page;
    in_session([&](Session& session) {
      cli::Json report = its.report;
      const cli::DescribedRun described{its.algorithm, its.values.get(), its.answer->columns,
                                        its.answer->pairs.has_value()};
      cli::add_page_parts(report, {*session.loaded, session.options, described, available});
      page = cli::html_report(report);
    });
    return page;
  };
  result->check = [in_session](const CheckAnswer& check) {
    in_session([&](Session& session) {
      check(session.loaded->checking_context(), session.loaded->checking_graph());
    });
  };
  return result;
}

void verify(PyResult& result) {
  double seconds = 0;
  result.check([&](const Context& ctx, const Graph& graph) {
    const auto start = std::chrono::steady_clock::now();
    result.answer->verify(ctx, graph);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  result.report["verified"] = true;
  result.report["verify_seconds"] = seconds;
}

nb::str page_of(const PyResult& result) {
  return text(result.page(result));
}

nb::dict tables_of(const PyResult& result) {
  nb::dict tables;
  for (const auto& [name, table] : result.answer->tables) {
    nb::list rows;
    for (const auto& row : table.rows) rows.append(nb::cast(row));
    tables[nb::str(name.c_str(), name.size())] = nb::make_tuple(nb::cast(table.columns), rows);
  }
  return tables;
}

const char* name_of(AnswerColumn::Kind kind) {
  switch (kind) {
    case AnswerColumn::Kind::Number:
      return "number";
    case AnswerColumn::Kind::Vertex:
      return "vertex";
    case AnswerColumn::Kind::Set:
    case AnswerColumn::Kind::Label:
      return "set";
  }
  return "";
}

}  // namespace

void add_algorithms(nb::module_& module) {
  module.def("describe", describe, "What each algorithm takes and gives.");
  module.def("describe_planned", describe_planned, "The same of all that plans are made of.");
  module.def("run", run, nb::arg("graph"), nb::arg("algorithm"), nb::arg("options"),
             nb::arg("words"));
  nb::class_<PyResult>(module, "Result")
      .def_prop_ro("algorithm", [](const PyResult& r) { return text(r.algorithm->name); })
      .def_prop_ro("ranks_zero", [](const PyResult& r) { return r.algorithm->ranks_zero; })
      .def_prop_ro("pairs", [](const PyResult& r) { return r.answer->pairs.has_value(); })
      .def_prop_ro("ranked_by_u",
                   [](const PyResult& r) {
                     return r.answer->pairs.has_value() && r.answer->pairs->ranked_by_u;
                   })
      .def_prop_ro("summary", [](const PyResult& r) { return message_text(r.answer->summary); })
      .def_prop_ro("seconds", [](const PyResult& r) { return r.answer->report.seconds; })
      .def_prop_ro("converged", [](const PyResult& r) { return r.answer->report.converged; })
      .def_prop_ro("iterations", [](const PyResult& r) { return r.answer->report.iterations; })
      .def_prop_ro("columns",
                   [](const PyResult& r) {
                     nb::list all;
                     for (const ResultColumn& column : r.columns)
                       all.append(nb::make_tuple(label_text(column.name), name_of(column.kind),
                                                 column.none.has_value()));
                     return all;
                   })
      .def(
          "array",
          [](const PyResult& r, std::size_t column) { return array_of(r.columns.at(column)); },
          nb::arg("column"))
      .def("facts_json", [](const PyResult& r) { return cli::to_text(r.facts); })
      .def("report_json", [](const PyResult& r) { return cli::to_text(r.report); })
      .def("page", page_of)
      .def("tables", tables_of)
      .def("verify", verify);
}

}  // namespace fathom::python
