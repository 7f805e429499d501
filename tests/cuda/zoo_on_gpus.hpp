// All checks of one graph of the zoo, in every configuration of GPUs: what the tests of algorithms
// share.
//
// A check of a small graph takes milliseconds, of which the GPU works a part; making a context, a
// graph in a residency and the oracle's answer take longer. So the checks of a graph use the same
// handles, one algorithm after the other, and configurations run at the same time, each on its own
// context. FATHOM_GPU_TEAM threads do that; FATHOM_GPU_TIER=smoke or whole leave a pairwise choice,
// one case of 15 or 4: every check with every graph, every check and every graph in every
// configuration; FATHOM_GPU_TURN=N another one of these choices. FATHOM_GPU_ONLY=TEXT takes the
// cases whose "Check in Configuration" contains TEXT; FATHOM_GPU_TIMES=FILE appends the seconds of
// every case.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/cuda/configurations.hpp"
#include "tests/reference/graph.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom::testing {

/// A graph of the zoo and its oracle; answers of the oracle are found once.
class KnownGraph {
 public:
  explicit KnownGraph(zoo::RawGraph graph)
      : raw(std::move(graph)), built(zoo::build(raw)), oracle(zoo::to_reference(raw)) {}

  /// Where in_edges is false the graph is placed without its in-edges.
  Graph place(const Context& ctx, const ResidencyOptions& options, bool in_edges = true) const;
  Graph place(const Context& ctx, const GpuConfiguration& where, bool in_edges) const;
  /// The first vertex, one in the middle and the last, as far as there are any.
  std::vector<VertexId> some_sources() const;

  const zoo::RawGraph raw;
  const graph::BuiltGraph built;
  const reference::Graph oracle;
};

/// A graph in one configuration: both handles stay from check to check.
struct Placed {
  const KnownGraph& known;
  const GpuConfiguration& where;
  const Context& ctx;
  const Graph& with_in;
  const Graph& without_in;

  const zoo::RawGraph& raw() const { return known.raw; }
  const Graph& graph(bool in_edges = true) const { return in_edges ? with_in : without_in; }
  /// On the host, for certificates and oracles that walk a Graph.
  Graph on_host(const Context& host) const { return known.place(host, {}); }
};

/// What is checked of a graph: prepare(known) finds what is expected, once for all configurations;
/// what it returns is called for each, at the same time from several threads.
struct Check {
  const char* name;
  std::function<std::function<void(const Placed&)>(const KnownGraph&)> prepare;
};

/// The graphs of the zoo, and one that is denser, so that warps, tiles and hubs have work several
/// times.
std::vector<zoo::RawGraph> gpu_graphs();

/// Runs every check of the graph in every configuration that the tier and FATHOM_GPU_ONLY leave.
void run_everywhere(const zoo::RawGraph& graph, const std::vector<Check>& checks,
                    const std::vector<GpuConfiguration>& configurations);

}  // namespace fathom::testing
