#include "walks.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/core/error.hpp"
#include "graph.hpp"

namespace fathom::python {
namespace {

using WalkRows = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Walks of a graph as it was opened for them. Vertices are rows; -1 is behind the end of a walk.
class PyWalks {
 public:
  PyWalks(std::shared_ptr<PyGraph> graph, const Words& words,
          const std::optional<WalkRows>& sources, WalkOptions options)
      : graph_(std::move(graph)), options_(std::move(options)) {
    const std::size_t n = graph_->header().vertices;
    sources_.resize(sources ? sources->size() : n);
    for (std::size_t i = 0; i < sources_.size(); ++i)
      sources_[i] = graph_->vertex_of(
          static_cast<VertexId>(sources ? sources->data()[i] : static_cast<std::int64_t>(i)));
    options_.label_of = [this](VertexId v) { return graph_->label(graph_->row_of(v)); };
    graph_->order();
    session_ = graph_->open(words, false, cli::LoadedGraph::Opens::OutLists, [&](Session& session) {
      WalkOptions none = options_;
      none.walks = 0;
      random_walks(session.loaded->context(), session.loaded->graph(), sources_, none);
    });
  }

  std::uint64_t walks() const { return sources_.size() * options_.per_source; }

  /// Of `walks` walks from `first` on: an array of their rows behind one another.
  nb::object draw(std::uint64_t first, std::uint64_t walks) {
    if (session_->process != ::getpid())
      throw Error(ErrorCode::Usage, "walks of a process that was forked: draw them in one process");
    std::unique_lock<std::mutex> turn(one_at_a_time_, std::defer_lock);
    {
      const Released released;
      turn.lock();
    }
    WalkOptions options = options_;
    options.first = first;
    options.walks = walks;
    std::vector<std::int64_t> rows;
    graph_->call_in(*session_, [&] {
      rows.reserve(walks * (std::size_t{options.length} + 1));
      random_walks(
          session_->loaded->context(), session_->loaded->graph(), sources_, options,
          [&](std::uint64_t, std::span<const VertexId> drawn) {
            for (const VertexId v : drawn)
              rows.push_back(v == kNoVertex ? -1 : static_cast<std::int64_t>(graph_->row_of(v)));
          });
    });
    return owned_array(std::move(rows));
  }

 private:
  std::shared_ptr<PyGraph> graph_;
  WalkOptions options_;
  std::vector<VertexId> sources_;
  std::shared_ptr<Session> session_;
  std::mutex one_at_a_time_;
};

std::shared_ptr<PyWalks> make_walks(const std::shared_ptr<PyGraph>& graph, const Words& words,
                                    const std::optional<WalkRows>& sources, std::uint32_t length,
                                    std::uint64_t per_source, bool weighted, double p, double q,
                                    double restart, std::uint64_t seed) {
  WalkOptions options;
  options.length = length;
  options.per_source = per_source;
  options.weighted = weighted;
  options.p = p;
  options.q = q;
  options.restart = restart;
  options.seed = seed;
  return std::make_shared<PyWalks>(graph, words, sources, std::move(options));
}

}  // namespace

void add_walks(nb::module_& module) {
  nb::class_<PyWalks>(module, "Walks")
      .def_prop_ro("walks", &PyWalks::walks)
      .def("draw", &PyWalks::draw, nb::arg("first"), nb::arg("walks"));
  module.def("make_walks", make_walks, nb::arg("graph"), nb::arg("words"),
             nb::arg("sources").none(), nb::arg("length"), nb::arg("per_source"),
             nb::arg("weighted"), nb::arg("p"), nb::arg("q"), nb::arg("restart"), nb::arg("seed"));
}

}  // namespace fathom::python
