// Parts of graphs, and what is drawn from them.
#include <utility>

#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/parts.hpp"
#include "tests/suites/sampling_suite.hpp"

namespace fathom::on_gpus {
namespace {

/// Walks of both orders, in few and in many at a time, are those that the host draws.
InOne drawn_walks(const KnownGraph& known) {
  struct Drawn {
    WalkOptions options;
    std::vector<VertexId> rows;
  };
  const auto draw = [](const Context& ctx, const Graph& graph, const WalkOptions& options) {
    std::vector<VertexId> rows;
    fathom::random_walks(ctx, graph, {}, options,
                         [&](std::uint64_t, std::span<const VertexId> drawn) {
                           rows.insert(rows.end(), drawn.begin(), drawn.end());
                         });
    return rows;
  };
  const bool weighted = !known.raw.weights.empty();
  const Context here = one_thread();
  const Graph graph = known.place(here, {});
  std::vector<Drawn> expected;
  for (const WalkOptions& options :
       {WalkOptions{.length = 3, .weighted = weighted, .restart = .1, .seed = 4},
        WalkOptions{.length = 3, .weighted = weighted, .p = .25, .q = 6, .seed = 5},
        WalkOptions{.length = 2, .p = 10, .q = .1, .seed = 6, .batch = 256}})
    expected.push_back({options, draw(here, graph, options)});
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const Drawn& its : expected) {
      const std::vector<VertexId> rows = draw(p.ctx, p.graph(), its.options);
      EXPECT_EQ(rows, its.rows);
      verify_walks(p.on_host(host), {}, its.options, 0, rows);
    }
  };
}

InOne egonets(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::hops_within(known.oracle, {source}, 2, reference::Follow::Both);
  });
  return [=](const Placed& p) {
    const Context host = one_thread();
    const NeighborhoodOptions options{2, EdgeMode::All};
    for (const auto& [source, hops] : expected) {
      const EgonetResult net = egonet(p.ctx, p.graph(), {{source}}, options);
      EXPECT_EQ(to_vector(net.around.hops), hops);
      verify_egonet(host, p.on_host(host), {{source}}, options, net);
    }
  };
}

InOne edges_between_sets(const KnownGraph& known) {
  std::vector<std::uint32_t> set(known.raw.vertices);
  for (VertexId v = 0; v < known.raw.vertices; ++v)
    set[v] = v % 5 == 4 ? kNoSet : static_cast<std::uint32_t>(v % 5);
  const auto expected = reference::edges_across(known.oracle, set);
  return [=](const Placed& p) {
    const Context host = one_thread();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shown;
    const CrossEdgesResult result =
        cross_edges(p.ctx, p.graph(), set, [&](VertexId u, VertexId v, Weight) {
          ++shown[{set[u], set[v]}];
        });
    EXPECT_EQ(shown, expected);
    verify_cross_edges(host, p.on_host(host), set, result);
  };
}

/// Where the host has the lists in reach it reads them itself, unless it is told not to.
InOne neighbor_samples(const KnownGraph& known) {
  const Context host = one_thread();
  const Graph at_rest = known.place(host, {});
  const auto cases = testing::sampling_cases(!known.raw.weights.empty());
  std::vector<std::vector<reference::Sample>> expected;
  for (const testing::SamplingCase& its : cases)
    expected.push_back(testing::SampledCase(its, at_rest).run(host, at_rest, SampleReads::Host));
  return [=](const Placed& p) {
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (const SampleReads reads : {SampleReads::Auto, SampleReads::Operators})
        EXPECT_EQ(testing::SampledCase(cases[i], p.graph()).run(p.ctx, p.graph(), reads),
                  expected[i])
            << cases[i].name;
  };
}

}  // namespace

std::vector<Check> part_checks() {
  return {{"DrawnWalks", drawn_walks},
          {"Egonets", egonets},
          {"CrossEdges", edges_between_sets},
          {"NeighborSamples", neighbor_samples}};
}

}  // namespace fathom::on_gpus
