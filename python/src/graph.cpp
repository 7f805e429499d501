#include "graph.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "arrays.hpp"
#include "cli/shared/options.hpp"
#include "fathom/core/error.hpp"
#include "fathom/store/packed/packed_lists.hpp"
#include "text.hpp"

namespace fathom::python {
namespace {

std::string path_of(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

/// Whether a graph that was opened one way serves a run that would open it the other way.
bool serves(const Session& session, const Words& words, bool sweeps,
            cli::LoadedGraph::Opens opens) {
  if (session.words != words || session.process != ::getpid()) return false;
  const bool limited = session.options.host_memory != MemoryPool::kUnlimited ||
                       session.options.device_memory != MemoryPool::kUnlimited;
  if (session.opens != opens && limited) return false;
  const std::string residency = session.loaded->graph().residency();
  return session.sweeps == sweeps || residency == "resident" || residency == "mapped";
}

nb::object labels_of(PyGraph& graph) {
  const store::Header& header = graph.header();
  const VertexId n = header.vertices;
  if (header.labels == store::LabelKind::Strings) {
    nb::list all;
    for (VertexId row = 0; row < n; ++row) {
      const std::string label = graph.label(row);
      all.append(label_text(label));
    }
    return all;
  }
  std::vector<std::int64_t> labels(n);
  graph.without_session([&](const Task& task) {
    for (VertexId row = 0; row < n; ++row) {
      if (row % 65536 == 0) task.check();
      labels[row] = header.labels == store::LabelKind::Integers
                        ? static_cast<std::int64_t>(std::stoull(graph.label(row)))
                        : static_cast<std::int64_t>(row + header.label_base);
    }
  });
  // A label beyond 2^63 is not a negative one.
  if (std::any_of(labels.begin(), labels.end(), [](std::int64_t label) { return label < 0; }))
    return owned_array(std::vector<std::uint64_t>(labels.begin(), labels.end()));
  return owned_array(std::move(labels));
}

/// Narrow lists in arrays, and the graph whose file has their offsets.
struct WidenedArrays {
  std::shared_ptr<PyGraph> graph;
  store::WidenedLists lists;
};

/// Packed lists in arrays.
struct UnpackedArrays {
  Array<VertexId> target;
  Array<Weight> weight;
};

/// (offset int64 [n + 1], target int32 [m], weight float32 [m] or None), by internal ids: views of
/// the file; arrays of their own for targets and weights of narrow and packed lists.
nb::tuple lists_of(const std::shared_ptr<PyGraph>& graph, bool in_edges) {
  static_assert(sizeof(VertexId) == sizeof(std::int32_t),
                "a build of 64-bit ids has no such module");
  CsrView lists;
  std::shared_ptr<const void> owner = graph;
  graph->without_session([&](const Task&) {
    const bool out = !in_edges || !graph->header().directed;
    if (!out && !graph->header().has_in_edges && !graph->header().symmetric)
      throw Error(ErrorCode::Usage, "the graph was made without in-edges");
    if (graph->header().packed) {
      const store::PackedLists packed =
          out ? *graph->store().packed_out() : *graph->store().packed_in();
      const auto edges = static_cast<std::size_t>(packed.edges);
      const auto unpacked = std::make_shared<UnpackedArrays>();
      unpacked->target = Array<VertexId>(edges, MemoryPool::unlimited());
      if (packed.weights) unpacked->weight = Array<Weight>(edges, MemoryPool::unlimited());
      store::unpack_all(packed, 0, unpacked->target.span(), unpacked->weight.span());
      lists = {packed.vertices, packed.edges, packed.offset, unpacked->target.data(),
               packed.weights ? unpacked->weight.data() : nullptr};
      owner = unpacked;
      return;
    }
    if (!graph->header().narrow) {
      lists = out ? graph->store().out() : *graph->store().in();
      return;
    }
    const store::NarrowLists narrow =
        out ? *graph->store().narrow_out() : *graph->store().narrow_in();
    const auto wide = std::make_shared<WidenedArrays>();
    wide->graph = graph;
    wide->lists = store::widen(narrow, MemoryPool::unlimited(), 0);
    lists = {narrow.vertices, narrow.edges, narrow.offset, wide->lists.target.data(),
             narrow.weighted() ? wide->lists.weight.data() : nullptr};
    owner = wide;
  });
  const auto* const offset = reinterpret_cast<const std::int64_t*>(lists.offset);
  const auto* const target = reinterpret_cast<const std::int32_t*>(lists.target);
  const std::size_t n = lists.vertices, m = lists.edges;
  static constexpr std::int64_t kNoOffsets[1] = {0};
  nb::object weight = nb::none();
  if (lists.weight) weight = shared_array(std::span(lists.weight, m), owner);
  return nb::make_tuple(shared_array(std::span(offset ? offset : kNoOffsets, n + 1), graph),
                        shared_array(std::span(target, m), owner), weight);
}

}  // namespace

cli::ExecutionOptions parse_execution(const Words& words) {
  cli::ExecutionOptions options;
  CLI::App parser;
  cli::add_execution_options(parser, options);
  cli::add_filter_options(parser, options);
  try {
    parser.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorCode::Usage, e.what());
  }
  return options;
}

PyGraph::PyGraph(const std::string& path) : name_(path), store_(store::Store::open(path)) {}

PyGraph::PyGraph(int descriptor, std::string name, std::uint64_t copied)
    : descriptor_(descriptor),
      name_(std::move(name)),
      copied_(copied),
      store_(store::Store::open(path_of(descriptor))) {}

PyGraph::~PyGraph() {
  close_idle();
  store_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

const store::FirstOrder& PyGraph::order() {
  const std::lock_guard lock(mutex_);
  if (!order_) order_ = store::first_order(path(), MemoryPool::unlimited());
  return *order_;
}

VertexId PyGraph::vertex_of(VertexId row) {
  const store::FirstOrder& its = order();
  return its.natural() ? row : its.vertex[row];
}

VertexId PyGraph::row_of(VertexId vertex) {
  const store::FirstOrder& its = order();
  return its.natural() ? vertex : its.row[vertex];
}

std::shared_ptr<Session> PyGraph::take(const Words& words, bool sweeps,
                                       cli::LoadedGraph::Opens opens) {
  std::shared_ptr<Session> idle;
  {
    const std::lock_guard lock(mutex_);
    idle = std::exchange(idle_, nullptr);
  }
  if (idle && serves(*idle, words, sweeps, opens)) return idle;
  if (idle && idle->process != ::getpid()) {  // its threads are the parent's
    if (idle->loaded->context().on_gpu())
      throw Error(
          ErrorCode::Device,
          "a process that was forked after a GPU was used cannot use it: start processes by "
          "multiprocessing's 'spawn'");
    static_cast<void>(new std::shared_ptr<Session>(std::move(idle)));
  }
  idle.reset();  // first: what it holds of a device is needed again
  auto session = std::make_shared<Session>();
  session->words = words;
  session->sweeps = sweeps;
  session->opens = opens;
  session->options = parse_execution(words);
  session->options.sweeps = sweeps;
  session->process = ::getpid();
  return session;
}

std::shared_ptr<Session> PyGraph::open(const Words& words, bool sweeps,
                                       cli::LoadedGraph::Opens opens,
                                       FunctionRef<void(Session&)> use) {
  std::shared_ptr<Session> session = take(words, sweeps, opens);
  call_in(*session, [&] {
    if (!session->loaded)
      session->loaded = std::make_unique<cli::LoadedGraph>(store_, session->options,
                                                           session->watched.task(), opens);
    use(*session);
  });
  return session;
}

void PyGraph::call_in(Session& session, FunctionRef<void()> work) {
  try {
    call(session.watched, work);
  } catch (const Error&) {
    rethrow_by_name();
  }
}

void PyGraph::with_session(const Words& words, bool sweeps, cli::LoadedGraph::Opens opens,
                           FunctionRef<void(Session&)> use) {
  const std::shared_ptr<Session> session = open(words, sweeps, opens, use);
  if (session->watched.stop.stop_requested()) return;
  std::shared_ptr<Session> before;
  const std::lock_guard lock(mutex_);
  before = std::exchange(idle_, session);
}

void PyGraph::without_session(FunctionRef<void(const Task&)> work) {
  Watched watched;
  try {
    call(watched, [&] { work(watched.task()); });
  } catch (const Error&) {
    rethrow_by_name();
  }
}

void PyGraph::close_idle() {
  std::shared_ptr<Session> idle;
  const std::lock_guard lock(mutex_);
  idle = std::exchange(idle_, nullptr);
  if (idle && idle->process != ::getpid())
    static_cast<void>(new std::shared_ptr<Session>(std::move(idle)));
}

void PyGraph::rethrow_by_name() const {
  try {
    throw;
  } catch (const Error& e) {
    if (descriptor_ < 0) throw;
    std::string text = e.what();
    const std::string path = path_of(descriptor_);
    const std::string shown = name_.empty() ? "the graph" : name_;
    for (std::size_t at; (at = text.find(path)) != std::string::npos;)
      text.replace(at, path.size(), shown);
    throw Error(e.code(), text);
  }
}

void add_graph(nb::module_& module) {
  nb::class_<PyGraph>(module, "Graph", nb::is_weak_referenceable())
      .def_static(
          "open", [](const std::string& path) { return std::make_shared<PyGraph>(path); },
          nb::arg("path"))
      .def_static(
          "adopt",
          [](int descriptor, const std::string& name) {
            const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
            if (own < 0) throw_io_error(name, "open again", errno);
            return std::make_shared<PyGraph>(own, name, 0);
          },
          nb::arg("descriptor"), nb::arg("name"))
      .def_prop_ro("path", &PyGraph::path)
      .def_prop_ro("name", &PyGraph::name)
      .def_prop_ro("copied_bytes", &PyGraph::copied_bytes)
      .def_prop_ro("vertices", [](const PyGraph& g) { return std::uint64_t{g.header().vertices}; })
      .def_prop_ro("edges", [](const PyGraph& g) { return g.header().edges; })
      .def_prop_ro("directed", [](const PyGraph& g) { return g.header().directed; })
      .def_prop_ro("weighted", [](const PyGraph& g) { return g.header().weighted; })
      .def_prop_ro("semantic", [](const PyGraph& g) { return g.header().semantic; })
      .def_prop_ro("has_in_edges", [](const PyGraph& g) { return g.header().has_in_edges; })
      .def_prop_ro("slotted", [](const PyGraph& g) { return g.header().slotted.has_value(); })
      .def_prop_ro("packed", [](const PyGraph& g) { return g.header().packed.has_value(); })
      .def_prop_ro("fingerprint",
                   [](const PyGraph& g) { return fmt::format("{:016x}", g.header().fingerprint); })
      .def_prop_ro("loops_seen", [](const PyGraph& g) { return g.header().report.loops_seen; })
      .def_prop_ro("string_labels",
                   [](const PyGraph& g) { return g.header().labels == store::LabelKind::Strings; })
      .def_prop_ro("natural", [](PyGraph& g) { return g.order().natural(); })
      .def("label_range",
           [](const PyGraph& g) -> std::optional<std::uint64_t> {
             const store::Header& h = g.header();
             if (h.labels == store::LabelKind::Strings || h.labels == store::LabelKind::Integers)
               return std::nullopt;
             return h.label_base;
           })
      .def("labels", labels_of)
      .def("label",
           [](PyGraph& g, std::uint64_t row) -> nb::object {
             if (row >= g.header().vertices) throw nb::index_error("no such row");
             const std::string label = g.label(static_cast<VertexId>(row));
             if (g.header().labels != store::LabelKind::Strings)
               return nb::int_(static_cast<std::uint64_t>(std::stoull(label)));
             return label_text(label);
           })
      .def(
          "find",
          [](PyGraph& g, nb::bytes label) -> std::int64_t {
            const auto found = g.find({label.c_str(), label.size()});
            return found ? static_cast<std::int64_t>(g.row_of(*found)) : -1;
          },
          nb::arg("label"), "The row of a label, given as its bytes; -1: no vertex has it.")
      .def("lists", lists_of, nb::arg("in_edges"))
      .def(
          "verify",
          [](PyGraph& g, int threads) {
            g.without_session([&](const Task& task) { g.store().verify(threads, task); });
          },
          nb::arg("threads") = 0)
      .def("close_idle", &PyGraph::close_idle, nb::call_guard<Released>());
}

}  // namespace fathom::python
