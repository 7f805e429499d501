// Algorithms whose state can be split, where it is.
#include <algorithm>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/dijkstra.hpp"

namespace fathom::on_gpus {
namespace {

/// How many chunks a run says it used.
std::uint32_t chunks_of(const Placed& p) {
  if (p.raw().vertices == 0) return 0;
  return std::max<std::uint32_t>(p.where.residency.paging.chunks, 1) *
         static_cast<std::uint32_t>(p.where.cuda.devices.size());
}

InOne split_bfs_depths(const KnownGraph& known) {
  const auto expected =
      from_each(known.some_sources(), [&](VertexId source) { return depths_from(known, source); });
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [source, depths] : expected) {
      BfsOptions options;
      options.parents = true;
      const BfsResult result = bfs(p.ctx, p.graph(), {{source}}, options);
      EXPECT_EQ(result.report.chunks, chunks_of(p));
      EXPECT_EQ(to_vector(result.depth), depths);
      verify_bfs(host, p.on_host(host), {{source}}, options, result);
    }
  };
}

InOne split_sssp_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra_float(known.oracle, source);
  });
  return [=](const Placed& p) {
    for (const auto& [source, distances] : expected) {
      const SsspResult result = sssp(p.ctx, p.graph(), source, {});
      EXPECT_EQ(result.report.chunks, chunks_of(p));
      EXPECT_EQ(to_vector(result.distance), distances);
    }
  };
}

InOne split_sssp_double_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra(known.oracle, {source});
  });
  return [=](const Placed& p) {
    for (const auto& [source, distances] : expected) {
      const SsspResult result =
          sssp(p.ctx, p.graph(), source, {.precision = SsspPrecision::Double});
      EXPECT_EQ(result.report.chunks, chunks_of(p));
      EXPECT_EQ(to_vector(result.double_distance), distances);
    }
  };
}

InOne split_component_labels(const KnownGraph& known) {
  const auto expected = reference::components(known.oracle);
  return [=](const Placed& p) {
    const ComponentsResult result = connected_components(p.ctx, p.graph());
    EXPECT_EQ(result.report.chunks, chunks_of(p));
    EXPECT_EQ(to_vector(result.label), expected);
  };
}

InOne split_pageranks(const KnownGraph&) {
  return [](const Placed& p) {
    const Context host = one_thread();
    for (const bool weighted : {false, true})
      for (const double tolerance : {1e-6, 1e-10}) {
        PagerankOptions options;
        options.weighted = weighted;
        options.tolerance = tolerance;
        options.max_iterations = 1000;
        const PagerankResult result = pagerank(p.ctx, p.graph(), options);
        EXPECT_EQ(result.report.chunks, chunks_of(p));
        EXPECT_TRUE(result.converged);
        verify_pagerank(host, p.on_host(host), options, result);
      }
  };
}

}  // namespace

std::vector<Check> split_checks() {
  return {{"BfsDepths", split_bfs_depths},
          {"SsspDistances", split_sssp_distances},
          {"SsspDoubleDistances", split_sssp_double_distances},
          {"Components", split_component_labels},
          {"Pagerank", split_pageranks}};
}

}  // namespace fathom::on_gpus
