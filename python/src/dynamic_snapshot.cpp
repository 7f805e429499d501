#include "dynamic_snapshot.hpp"

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "dynamic_rows.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/labels/by_label.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/residency/filtered/filtered_graph.hpp"
#include "graph_place.hpp"

namespace fathom::python {
namespace {

constexpr std::array kFilters{"--since", "--until", "--at", "--types"};

bool is_filter(const std::string& word) {
  return std::find(kFilters.begin(), kFilters.end(), word) != kFilters.end();
}

cli::Json filter_json(const EdgeFilter& filter, EdgeId edges) {
  if (filter.keeps_all()) return nullptr;
  const auto time = [](const std::optional<std::uint64_t>& t) {
    return t ? cli::Json(*t) : cli::Json();
  };
  cli::Json types = nullptr;
  for (const TypeRange& range : filter.types) types.push_back({range.first, range.last});
  return {{"since", time(filter.since)},
          {"until", time(filter.until)},
          {"at", time(filter.at)},
          {"types", std::move(types)},
          {"edges", edges}};
}

/// The vertices in rows.
std::vector<VertexId> in_rows(const LabelRows& rows) {
  const store::FirstOrder& order = rows.order();
  if (!order.natural()) return {order.vertex.begin(), order.vertex.end()};
  std::vector<VertexId> all(rows.existing);
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

std::vector<VertexId> all_indices(VertexId n) {
  std::vector<VertexId> all(n);
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

}  // namespace

PySnapshot::PySnapshot(std::shared_ptr<PyDynamic> graph)
    : graph_(std::move(graph)), its_(graph_->graph().snapshot()), rows_(graph_->labels().rows()) {}

PySnapshot::~PySnapshot() {
  // A batch that is under way is waited for.
  // A thread of Python's lets go of it with the lock, one of ours without.
  std::optional<Released> released;
  if (PyGILState_GetThisThreadState() != nullptr) released.emplace();
  if (idle_ && idle_->process != ::getpid())
    static_cast<void>(new std::shared_ptr<Session>(std::move(idle_)));
  idle_.reset();
  on_gpu_.reset();
  its_.reset();
}

bool PySnapshot::runs_here(const Words& words) const {
  if (rows_->existing != rows_->indices) return false;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const bool same_device =
        words[i] == "--device" && (words[i + 1] == graph_->device() ||
                                   (words[i + 1] == "cuda" && graph_->device() == "cuda:0"));
    const bool of_host = !graph_->on_gpu() && (words[i] == "--threads" ||
                                               words[i] == "--host-memory" || is_filter(words[i]));
    if (!same_device && !of_host) return false;
  }
  return true;
}

std::shared_ptr<PySnapshot::Session> PySnapshot::take(const Words& words) {
  std::shared_ptr<Session> idle;
  {
    const std::lock_guard lock(mutex_);
    idle = std::exchange(idle_, nullptr);
  }
  if (idle && idle->words == words && idle->process == ::getpid()) return idle;
  if (idle && idle->process != ::getpid())  // its threads are the parent's
    static_cast<void>(new std::shared_ptr<Session>(std::move(idle)));
  auto session = std::make_shared<Session>();
  session->words = words;
  session->process = ::getpid();
  return session;
}

void PySnapshot::here(const Words& words, const CheckAnswer& use) {
  if (graph_->on_gpu()) {
    graph_->alone([&] {
      if (!on_gpu_) on_gpu_ = its_->graph();
      use(graph_->context(), *on_gpu_);
    });
    return;
  }
  const std::shared_ptr<Session> session = take(words);
  cli::ExecutionOptions options = parse_execution(words);
  options.device = "cpu";
  call(session->watched, [&] {
    if (!session->context) {
      session->context = cli::make_context(options, 0, session->watched.task());
      session->graph = filtered(its_->graph(), cli::filter_of(options));
    }
    use(*session->context, *session->graph);
  });
  if (session->watched.stop.stop_requested()) return;
  std::shared_ptr<Session> before;
  const std::lock_guard lock(mutex_);
  before = std::exchange(idle_, session);
}

VertexId PySnapshot::find(const std::string& label) const {
  if (const auto row = rows_->find(label)) return rows_->vertex_of(*row);
  throw Error(ErrorCode::Usage, fmt::format("the graph has no vertex '{}'", label));
}

cli::Json PySnapshot::described() const {
  return {{"path", ""},
          {"vertices", rows_->existing},
          {"edges", its_->edges()},
          {"directed", directed()},
          {"weighted", weighted()},
          {"fingerprint", nullptr}};
}

std::shared_ptr<PyResult> PySnapshot::run(const std::shared_ptr<PySnapshot>& snapshot,
                                          const std::string& algorithm, const nb::dict& given,
                                          const Words& words) {
  const LabelRows& rows = *snapshot->rows_;
  const Request request(algorithm, given, rows.existing,
                        [&](VertexId row) { return rows.vertex_of(row); });
  std::shared_ptr<PyResult> result;
  snapshot->here(words, [&](const Context& ctx, const Graph& graph) {
    cli::Json described = snapshot->described();
    described["filter"] = filter_json(cli::filter_of(parse_execution(words)), graph.edges());
    result = request.run({ctx, graph, rows.order(),
                          [&](const std::string& label) { return snapshot->find(label); },
                          [&](VertexId v) { return rows.label(v); }, std::move(described)});
  });
  result->check = [snapshot, words](const CheckAnswer& check) {
    if (!snapshot->graph_->on_gpu()) return snapshot->here(words, check);
    snapshot->graph_->alone([&] {
      const Context host = Context::cpu();
      graph::BuiltGraph copy;
      copy.out = snapshot->its_->neighbors(all_indices(snapshot->its_->vertices()));
      if (snapshot->directed()) copy.in = graph::transpose(copy.out.view());
      check(host, make_graph(host, std::move(copy), snapshot->directed()));
    });
  };
  return result;
}

std::shared_ptr<PyGraph> PySnapshot::stored(const std::string& path,
                                            const std::string& provenance) const {
  GraphPlace place(path);
  const auto write = [&](const Task& task, int threads) {
    std::vector<VertexId> vertex = in_rows(*rows_);
    store::SaveOptions options;
    options.strings = rows_->strings;
    options.label = [&](VertexId row) { return rows_->label(rows_->vertex_of(row)); };
    options.provenance = provenance;
    options.threads = threads;
    options.task = task;
    dynamic::save(*its_, std::move(vertex), place.file(), std::move(options));
  };
  if (graph_->on_gpu()) {
    graph_->alone([&] { write(graph_->context().task(), graph_->context().threads()); });
  } else {
    Watched watched;
    call(watched, [&] { write(watched.task(), graph_->context().threads()); });
  }
  return place.open();
}

void add_snapshots(nb::module_& module) {
  nb::class_<PySnapshot>(module, "Snapshot")
      .def_prop_ro("rows", [](const PySnapshot& s) { return PyRows{s.shared_rows()}; })
      .def_prop_ro("edges", [](const PySnapshot& s) { return s.its().edges(); })
      .def_prop_ro("batches", [](const PySnapshot& s) { return s.its().batches(); })
      .def_prop_ro("directed", &PySnapshot::directed)
      .def_prop_ro("weighted", &PySnapshot::weighted)
      .def_prop_ro("semantic", &PySnapshot::semantic)
      .def("runs_here", &PySnapshot::runs_here, nb::arg("words"))
      .def("stored", &PySnapshot::stored, nb::arg("path"), nb::arg("provenance"));
  module.def("snapshot", [](const std::shared_ptr<PyDynamic>& graph) {
    std::shared_ptr<PySnapshot> snapshot;
    graph->alone([&] { snapshot = std::make_shared<PySnapshot>(graph); });
    return snapshot;
  });
  module.def("run_on_snapshot", &PySnapshot::run, nb::arg("snapshot"), nb::arg("algorithm"),
             nb::arg("options"), nb::arg("words"));
}

}  // namespace fathom::python
