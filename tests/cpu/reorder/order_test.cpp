#include "fathom/reorder/order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/halo.hpp"
#include "tests/reference/rcm.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using reorder::Method;
using reorder::Options;
using testing::AlgorithmSuite;
using testing::Configuration;
using testing::expect_error;

constexpr Method kMethods[] = {Method::Natural,
                               Method::Random,
                               Method::Degree,
                               Method::IndegreeNeighbors,
                               Method::DegreeNeighbors,
                               Method::Halo1,
                               Method::Halo2,
                               Method::Halo2Rk,
                               Method::Rcm,
                               Method::Bp,
                               Method::BfsBp};
using Ids = std::vector<VertexId>;

Ids positions(const Context& ctx, const Graph& graph, const Options& options) {
  const auto p = reorder::make_order(ctx, graph, options);
  return {p.positions().begin(), p.positions().end()};
}

/// Vertices by a value, the largest first, equal ones by id.
template <class T>
Ids by_largest(const std::vector<T>& value) {
  Ids order(value.size());
  std::iota(order.begin(), order.end(), VertexId{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](VertexId a, VertexId b) { return value[a] > value[b]; });
  return order;
}

Ids inverse(const Ids& order) {
  Ids position(order.size());
  for (VertexId i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

std::vector<std::size_t> in_degrees(const reference::Graph& g) {
  std::vector<std::size_t> degree;
  for (const auto& list : g.in) degree.push_back(list.size());
  return degree;
}

std::vector<double> centralities(const Context& ctx, const Graph& graph, const Options& options) {
  const auto found =
      harmonic(ctx, graph, {std::min(options.samples, graph.vertices()), options.seed});
  return testing::to_vector(found.centrality);
}

/// The paper's loops over what the engine has for centralities.
Ids expected_positions(const Context& ctx, const Graph& graph, const reference::Graph& g,
                       const Options& options) {
  switch (options.method) {
    case Method::Degree:
      return inverse(by_largest(in_degrees(g)));
    case Method::IndegreeNeighbors:
      return reference::halo2_positions(g, by_largest(in_degrees(g)));
    case Method::DegreeNeighbors: {
      const std::vector<std::size_t> degree = in_degrees(g);
      Ids order = inverse(reference::halo2_positions(g, by_largest(degree)));
      std::stable_sort(order.begin(), order.end(),
                       [&](VertexId a, VertexId b) { return degree[a] > degree[b]; });
      return inverse(order);
    }
    case Method::Halo1:
      return inverse(by_largest(centralities(ctx, graph, options)));
    case Method::Halo2:
      return reference::halo2_positions(g, by_largest(centralities(ctx, graph, options)));
    default:
      return inverse(by_largest(std::vector<int>(g.n, 0)));
  }
}

class Orders : public AlgorithmSuite {};

TEST_P(Orders, AreWhatTheSequentialAlgorithmsGive) {
  const Context ctx = configuration().context();
  const reference::Graph g = reference_graph();
  for (const bool in_edges : {true, false}) {
    const Graph graph = place(ctx, in_edges);
    for (const Method method : {Method::Natural, Method::Degree, Method::IndegreeNeighbors,
                                Method::DegreeNeighbors, Method::Halo1, Method::Halo2}) {
      const Options options{method, 5, 3, false};
      EXPECT_EQ(positions(ctx, graph, options), expected_positions(ctx, graph, g, options))
          << name_of(method) << (in_edges ? "" : " without in-edges");
    }
  }
}
TEST_P(Orders, OfReverseCuthillMcKeeEqualTheQueue) {
  const Context ctx = configuration().context();
  const Ids expected = reference::rcm_order(reference_graph());
  for (const bool in_edges : {true, false})
    EXPECT_EQ(inverse(positions(ctx, place(ctx, in_edges), {Method::Rcm})), expected);
}
TEST_P(Orders, ArePermutations) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const Method method : kMethods)
    for (const bool by_component : {false, true}) {
      Ids found = positions(ctx, graph, {method, 4, 1, by_component});
      std::sort(found.begin(), found.end());
      for (VertexId v = 0; v < found.size(); ++v) ASSERT_EQ(found[v], v) << name_of(method);
    }
}
TEST_P(Orders, KeepComponentsTogetherTheLargestFirst) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const auto component = reference::components(reference_graph());
  const Options options{Method::Halo2, 5, 3, true};
  const Ids order = inverse(positions(ctx, graph, options));
  const Ids apart = inverse(positions(ctx, graph, {Method::Halo2, 5, 3, false}));
  std::map<VertexId, Ids> members, members_apart;
  std::vector<VertexId> met;
  for (const VertexId v : order) {
    if (met.empty() || met.back() != component[v]) met.push_back(component[v]);
    members[component[v]].push_back(v);
  }
  for (const VertexId v : apart) members_apart[component[v]].push_back(v);
  EXPECT_EQ(met.size(), members.size()) << "a component is in two pieces";
  EXPECT_EQ(members, members_apart) << "the order inside a component has changed";
  for (std::size_t i = 1; i < met.size(); ++i)
    EXPECT_GE(members[met[i - 1]].size(), members[met[i]].size());
}

INSTANTIATE_TEST_SUITE_P(Zoo, Orders, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(OrderProperty, HaloTwoIsTheSequentialAlgorithmThreeOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = testing::cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const Options options{Method::Halo2, *rc::gen::inRange<VertexId>(2, 70), 7, false};
  RC_ASSERT(positions(ctx, graph, options) ==
            expected_positions(ctx, graph, zoo::to_reference(raw), options));
}

RC_GTEST_PROP(OrderProperty, ReverseCuthillMcKeeIsTheQueueOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = testing::cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  RC_ASSERT(inverse(positions(ctx, graph, {Method::Rcm})) ==
            reference::rcm_order(zoo::to_reference(raw)));
}

TEST(OrdersOfOneGraph, AreTheSameWhateverTheThreads) {
  graph::BuiltGraph built = zoo::build(zoo::rmat(true));
  const CsrView in = built.in->view();
  for (const Method method : kMethods) {
    std::vector<Ids> found;
    for (const int threads : {1, 2, 5}) {
      const Context ctx =
          Context::cpu({threads, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
      found.push_back(positions(ctx, make_graph(ctx, built.out.view(), &in, true), {method}));
    }
    EXPECT_EQ(found[0], found[1]) << name_of(method);
    EXPECT_EQ(found[0], found[2]) << name_of(method);
  }
}
TEST(OrdersOfOneGraph, DependOnTheSeedWhereTheyAreRandom) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::rmat(true)), true);
  for (const Method method : {Method::Random, Method::Halo2})
    EXPECT_NE(positions(ctx, graph, {method, 20, 1}), positions(ctx, graph, {method, 20, 2}));
}

/// HALO, Figure 4: with neighbours by rank, they follow their centre the most central first.
TEST(OrdersOfOneGraph, PutMoreCentralNeighboursFirstByRank) {
  // 0 -> {1, 2, 3}; 3 is what most others reach.
  const zoo::RawGraph raw{
      "Ranked",
      6,
      true,
      {{0, 1}, {0, 2}, {0, 3}, {4, 3}, {5, 3}, {4, 0}, {5, 0}, {1, 0}, {2, 0}, {3, 0}},
      {}};
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(raw), true);
  EXPECT_EQ(inverse(positions(ctx, graph, {Method::Halo2, 6})), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(inverse(positions(ctx, graph, {Method::Halo2Rk, 6})), (Ids{0, 3, 1, 2, 4, 5}));
}
TEST(OrdersOfOneGraph, NeedTwoSamples) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  expect_error(
      ErrorCode::Usage,
      [&] {
        reorder::make_order(ctx, graph, {Method::Halo1, 1});
      },
      "at least 2 samples");
}
TEST(OrdersOfOneGraph, StopWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  for (const Method method : kMethods)
    expect_error(ErrorCode::Interrupted, [&] { reorder::make_order(ctx, graph, {method}); });
}

/// A file may say that a graph is undirected whose lists are not symmetric.
TEST(OrdersOfOneGraph, AreOrdersOrRefusedWhereAnEdgeHasOneDirectionAlone) {
  const Context ctx = Context::cpu();
  const graph::BuiltGraph built =
      zoo::build({"Sparse", 97, false, zoo::random_edges(97, 120, 3), {}});
  const CsrView lists = built.out.view();
  int refused = 0;
  for (EdgeId e = 0; e < lists.edges; ++e) {
    std::vector<VertexId> target(lists.target, lists.target + lists.edges);
    target[e] = (target[e] + 50) % 97;
    CsrView altered = lists;
    altered.target = target.data();
    const Graph graph = make_graph(ctx, altered, nullptr, false);
    for (const Method method : kMethods) {
      try {
        Ids order = inverse(positions(ctx, graph, {method}));
        std::sort(order.begin(), order.end());
        for (VertexId v = 0; v < 97; ++v) ASSERT_EQ(order[v], v) << name_of(method);
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::BadInput) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(MethodNames, ReadBack) {
  for (const Method method : kMethods) EXPECT_EQ(reorder::method_of(name_of(method)), method);
  EXPECT_EQ(reorder::method_of("halo3"), std::nullopt);
}

}  // namespace
}  // namespace fathom
