#include "sampling.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "fathom/core/error.hpp"
#include "graph.hpp"

namespace fathom::python {
namespace {

using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object wide(std::span<const T> values) {
  return owned_array(std::vector<std::int64_t>(values.begin(), values.end()));
}

/// A sampler and the graph as it was opened for it. Vertices are rows.
class PySampler {
 public:
  PySampler(std::shared_ptr<PyGraph> graph, const Words& words, NeighborSamplingOptions options,
            std::optional<Integers> times)
      : graph_(std::move(graph)), times_(std::move(times)) {
    if (times_) options.edge_times = std::span(times_->data(), times_->size());
    session_ = graph_->open(words, false, cli::LoadedGraph::Opens::Nothing, [&](Session& session) {
      sampler_.emplace(session.loaded->context(), session.loaded->graph(), options);
    });
    graph_->order();
  }

  /// nodes, row, col, edge, tree (or None), nodes per hop, edges per hop.
  nb::tuple sample(const Integers& seeds, std::uint64_t batch,
                   const std::optional<Integers>& times) {
    if (session_->process != ::getpid())
      throw Error(ErrorCode::Usage,
                  "a sampler of a process that was forked: make one in each process");
    const std::vector<VertexId> vertices = vertices_of(seeds);
    std::span<const std::int64_t> until;
    if (times) until = {times->data(), times->size()};
    std::unique_lock<std::mutex> turn(one_at_a_time_, std::defer_lock);
    {
      const Released released;
      turn.lock();
    }
    NeighborSample drawn;
    graph_->call_in(*session_, [&] { drawn = sampler_->sample(vertices, batch, until); });
    std::vector<std::int64_t> nodes;
    nodes.reserve(drawn.nodes.size());
    for (const VertexId v : drawn.nodes) nodes.push_back(graph_->row_of(v));
    nb::object tree = nb::none();
    if (sampler_->options().disjoint) tree = wide(drawn.tree);
    return nb::make_tuple(
        owned_array(std::move(nodes)), wide(drawn.row), wide(drawn.col), wide(drawn.edge), tree,
        nb::cast(std::vector<std::int64_t>(drawn.nodes_per_hop.begin(), drawn.nodes_per_hop.end())),
        nb::cast(
            std::vector<std::int64_t>(drawn.edges_per_hop.begin(), drawn.edges_per_hop.end())));
  }

  bool on_host() const { return sampler_->reads_on_host(); }

 private:
  std::vector<VertexId> vertices_of(const Integers& rows) const {
    const VertexId n = graph_->header().vertices;
    std::vector<VertexId> vertices(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t row = rows.data()[i];
      if (row < 0 || static_cast<std::uint64_t>(row) >= n)
        throw Error(ErrorCode::Usage,
                    fmt::format("seeds[{}]: expected a row from 0 to {}, found {}", i,
                                std::int64_t{n} - 1, row));
      vertices[i] = graph_->vertex_of(static_cast<VertexId>(row));
    }
    return vertices;
  }

  std::shared_ptr<PyGraph> graph_;
  std::optional<Integers> times_;
  std::shared_ptr<Session> session_;
  std::optional<NeighborSampler> sampler_;  // goes before its session
  std::mutex one_at_a_time_;
};

std::shared_ptr<PySampler> make_sampler(const std::shared_ptr<PyGraph>& graph, const Words& words,
                                        std::vector<std::int64_t> fan_out, bool in_edges,
                                        bool replace, bool weighted, bool disjoint,
                                        std::uint64_t seed, std::optional<Integers> edge_times,
                                        bool last) {
  NeighborSamplingOptions options;
  options.fan_out = std::move(fan_out);
  options.along = in_edges ? SampleAlong::InEdges : SampleAlong::OutEdges;
  options.replace = replace;
  options.weighted = weighted;
  options.disjoint = disjoint;
  options.seed = seed;
  options.temporal = last ? TemporalChoice::Last : TemporalChoice::Any;
  return std::make_shared<PySampler>(graph, words, std::move(options), std::move(edge_times));
}

}  // namespace

void add_sampling(nb::module_& module) {
  nb::class_<PySampler>(module, "Sampler")
      .def("sample", &PySampler::sample, nb::arg("seeds"), nb::arg("batch"),
           nb::arg("times").none())
      .def_prop_ro("on_host", &PySampler::on_host);
  module.def("make_sampler", make_sampler, nb::arg("graph"), nb::arg("words"), nb::arg("fan_out"),
             nb::arg("in_edges"), nb::arg("replace"), nb::arg("weighted"), nb::arg("disjoint"),
             nb::arg("seed"), nb::arg("edge_times").none(), nb::arg("last"));
}

}  // namespace fathom::python
