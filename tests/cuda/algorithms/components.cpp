// What hangs together, and orders that follow edges.
#include <algorithm>

#include "fathom/algorithms/biconnected/biconnected.hpp"
#include "fathom/algorithms/bipartite/bipartite.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/levels/levels.hpp"
#include "fathom/algorithms/msf/msf.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/reorder/order.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/structure/longest_paths.hpp"
#include "tests/reference/structure/scc.hpp"
#include "tests/reference/structure/spanning_forest.hpp"
#include "tests/reference/structure/two_sides.hpp"

namespace fathom::on_gpus {
namespace {

InOne component_labels(const KnownGraph& known) {
  const auto expected = reference::components(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const ComponentsResult result = connected_components(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.label), expected);
      verify_components(host, p.on_host(host), result);
    }
  };
}

InOne strong_component_labels(const KnownGraph& known) {
  const auto expected = reference::strong_components(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const SccResult result = strongly_connected_components(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.label), expected);
      verify_scc(host, p.on_host(host), result);
    }
  };
}

InOne biconnected_edges(const KnownGraph& known) {
  if (known.raw.directed) return [](const Placed&) {};  // refused
  const Context host = one_thread();
  const auto expected = std::make_shared<const BiconnectedResult>(
      biconnected_components(host, known.place(host, {})));
  return [=](const Placed& p) {
    const Context here = one_thread();
    const BiconnectedResult result = biconnected_components(p.ctx, p.graph());
    EXPECT_EQ(to_vector(result.component), to_vector(expected->component));
    EXPECT_EQ(to_vector(result.parent), to_vector(expected->parent));
    EXPECT_EQ(to_vector(result.articulation), to_vector(expected->articulation));
    EXPECT_EQ(to_vector(result.bridge), to_vector(expected->bridge));
    verify_biconnected(here, p.on_host(here), result);
  };
}

InOne sides_and_odd_cycles(const KnownGraph& known) {
  std::vector<std::uint32_t> expected;
  for (const std::int64_t side : reference::two_sides(known.oracle))
    expected.push_back(side < 0 ? kNoSide : static_cast<std::uint32_t>(side));
  const Context host = one_thread();
  const std::vector<VertexId> cycle = two_sides(host, known.place(host, {})).cycle;
  return [=](const Placed& p) {
    const Context here = one_thread();
    for (const bool in_edges : {true, false}) {
      const BipartiteResult result = two_sides(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.side), expected);
      EXPECT_EQ(result.cycle, cycle);
      verify_bipartite(here, p.on_host(here), result);
    }
  };
}

InOne levels_and_cycles(const KnownGraph& known) {
  std::vector<std::uint32_t> expected;
  std::vector<VertexId> cycle;
  if (known.raw.directed) {
    for (const std::int64_t level : reference::longest_paths(known.oracle))
      expected.push_back(level < 0 ? kNoLevel : static_cast<std::uint32_t>(level));
    const Context host = one_thread();
    cycle = topological_levels(host, known.place(host, {})).cycle;
  }
  return [=](const Placed& p) {
    if (!p.raw().directed) return;  // refused
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const LevelsResult result = topological_levels(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.level), expected);
      EXPECT_EQ(result.cycle, cycle);
      verify_levels(host, p.on_host(host), result);
    }
  };
}

InOne spanning_forests(const KnownGraph& known) {
  std::map<bool, reference::SpanningForest> expected;
  if (!known.raw.directed)
    for (const bool maximum : {false, true})
      expected[maximum] = reference::spanning_forest(known.oracle, maximum);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [maximum, forest] : expected) {  // directed: refused
      const MsfResult result = minimum_spanning_forest(p.ctx, p.graph(), {maximum});
      EXPECT_EQ(to_vector(result.parent), forest.parent);
      EXPECT_EQ(to_vector(result.weight), forest.weight);
      verify_msf(host, p.on_host(host), {maximum}, result);
    }
  };
}

InOne orders(const KnownGraph& known) {
  std::map<std::string, std::vector<VertexId>> expected;
  const Context host = one_thread();
  for (const std::string& name : reorder::method_names()) {
    if (name == "bp") continue;  // needs lists that the host can read
    const auto order =
        reorder::make_order(host, known.place(host, {}), {*reorder::method_of(name)});
    expected[name].assign(order.positions().begin(), order.positions().end());
  }
  return [=](const Placed& p) {
    for (const auto& [name, positions] : expected) {
      const auto found = reorder::make_order(p.ctx, p.graph(), {*reorder::method_of(name)});
      EXPECT_TRUE(std::equal(positions.begin(), positions.end(), found.positions().begin(),
                             found.positions().end()))
          << name;
    }
  };
}

}  // namespace

std::vector<Check> component_checks() {
  return {{"Components", component_labels},
          {"StrongComponents", strong_component_labels},
          {"BiconnectedEdges", biconnected_edges},
          {"Sides", sides_and_odd_cycles},
          {"Levels", levels_and_cycles},
          {"SpanningForests", spanning_forests},
          {"Orders", orders}};
}

}  // namespace fathom::on_gpus
