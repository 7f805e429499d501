// All algorithms on a GPU, over every graph of the zoo and every residency, against the independent
// reference; results also pass their certificate on the CPU. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "fathom/algorithms/betweenness.hpp"
#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/components.hpp"
#include "fathom/algorithms/cross_edges.hpp"
#include "fathom/algorithms/degrees.hpp"
#include "fathom/algorithms/harmonic.hpp"
#include "fathom/algorithms/kcore.hpp"
#include "fathom/algorithms/multi_bfs.hpp"
#include "fathom/algorithms/pagerank.hpp"
#include "fathom/algorithms/radius.hpp"
#include "fathom/algorithms/rwr.hpp"
#include "fathom/algorithms/sssp.hpp"
#include "fathom/algorithms/subgraph.hpp"
#include "fathom/algorithms/triangles.hpp"
#include "fathom/reorder/order.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/reference/betweenness.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/degrees.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/kcore.hpp"
#include "tests/reference/pagerank.hpp"
#include "tests/reference/parts.hpp"
#include "tests/reference/radius.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom {
namespace {

using testing::GpuConfiguration;

/// A denser graph than the zoo's, so that warps, tiles and hubs all have work, several times over.
zoo::RawGraph dense_graph() {
  zoo::RawGraph g{"Dense", 3000, true, zoo::random_edges(3000, 60000, 5), {}};
  for (std::uint32_t v = 0; v < g.vertices; ++v)
    for (const std::uint32_t hub : {7u, 1500u, 2999u}) {
      g.edges.emplace_back(hub, v);
      g.edges.emplace_back(v, hub);
    }
  zoo::Dice dice(11);
  for (std::size_t i = 0; i < g.edges.size(); ++i)
    g.weights.push_back(static_cast<float>(dice.roll(64)));
  return g;
}

std::vector<zoo::RawGraph> graphs() {
  std::vector<zoo::RawGraph> all = zoo::all_graphs();
  all.push_back(dense_graph());
  return all;
}

template <class T>
std::vector<T> to_vector(const Array<T>& a) {
  return {a.begin(), a.end()};
}

/// What the tests of a graph share: they follow each other, in each configuration.
struct KnownGraph {
  std::string name;
  graph::BuiltGraph built;
  reference::Graph reference;
};

const KnownGraph& graph_of(const zoo::RawGraph& raw) {
  static KnownGraph known;
  if (known.name != raw.name) known = {raw.name, zoo::build(raw), zoo::to_reference(raw)};
  return known;
}

/// A context per configuration, since making one takes longer than most tests. Kept to the end: the
/// driver is gone before statics are destroyed.
const Context& context_of(const GpuConfiguration& configuration) {
  static auto& contexts = *new std::map<std::string, Context>;
  const auto found = contexts.find(configuration.name);
  if (found != contexts.end()) return found->second;
  return contexts.emplace(configuration.name, Context::cuda(configuration.cuda)).first->second;
}

class OnGpu : public ::testing::TestWithParam<std::tuple<zoo::RawGraph, GpuConfiguration>> {
 protected:
  void SetUp() override {
    static const bool present = testing::gpu_present();
    if (!present) GTEST_SKIP() << "no CUDA device";
    ctx_ = &context_of(std::get<1>(GetParam()));
    graph_ = &graph_of(raw());
  }
  const zoo::RawGraph& raw() const { return std::get<0>(GetParam()); }
  Graph place(const Context& ctx, const ResidencyOptions& options, bool in_edges = true) const {
    std::optional<CsrView> in;
    if (built().in && in_edges) in = built().in->view();
    return make_graph(ctx, built().out.view(), in ? &*in : nullptr, raw().directed, options);
  }
  Graph gpu_graph(bool in_edges = true) const {
    const GpuConfiguration& where = std::get<1>(GetParam());
    if (where.slotted) {
      struct Pages {
        store::SlottedImage out, in;
      };
      auto pages = std::make_shared<Pages>();
      pages->out = store::paginate(built().out.view(), *where.slotted);
      const bool with_in = built().in && in_edges;
      if (with_in) pages->in = store::paginate(built().in->view(), *where.slotted);
      return make_graph(*ctx_, pages->out.lists, with_in ? &pages->in.lists : nullptr,
                        raw().directed, where.residency, pages);
    }
    return place(*ctx_, std::get<1>(GetParam()).residency, in_edges);
  }
  Graph host_graph() const { return place(host_, {}); }
  std::vector<std::uint32_t> expected_depths(VertexId source) const {
    std::vector<std::uint32_t> depths;
    for (const std::int32_t d : reference::bfs_depths(oracle(), {source}))
      depths.push_back(static_cast<std::uint32_t>(d));
    return depths;
  }
  std::vector<VertexId> some_sources() const {
    std::vector<VertexId> sources;
    for (const VertexId v : {VertexId{0}, raw().vertices / 3, raw().vertices - 1})
      if (v < raw().vertices) sources.push_back(v);
    return sources;
  }

  const graph::BuiltGraph& built() const { return graph_->built; }
  const reference::Graph& oracle() const { return graph_->reference; }

  const Context* ctx_ = nullptr;
  const Context host_ = Context::cpu();

 private:
  const KnownGraph* graph_ = nullptr;
};

TEST_P(OnGpu, BfsDepthsEqualTheReference) {
  for (const bool in_edges : {true, false}) {
    const Graph graph = gpu_graph(in_edges);
    for (const VertexId source : some_sources())
      for (const Direction direction : {Direction::Auto, Direction::Push, Direction::Pull}) {
        if (direction == Direction::Pull && !graph.has_in()) continue;
        BfsOptions options;
        options.direction = direction;
        options.parents = true;
        const BfsResult result = bfs(*ctx_, graph, {{source}}, options);
        EXPECT_EQ(to_vector(result.depth), expected_depths(source));
        verify_bfs(host_, host_graph(), {{source}}, options, result);
      }
  }
}

TEST_P(OnGpu, MultiBfsRowsEqualTheReference) {
  if (raw().vertices == 0) return;
  std::vector<VertexId> sources;  // small graphs: some of them several times
  std::vector<std::vector<std::uint32_t>> expected;
  for (VertexId i = 0; i < MultiSearch::kMost; ++i) {
    sources.push_back((i * 37 + i % 5 * 101) % raw().vertices);
    expected.push_back(expected_depths(sources.back()));
  }
  for (const bool in_edges : {true, false}) {
    const Graph graph = gpu_graph(in_edges);
    for (const std::size_t count : {1, 63, 64})
      for (const Direction direction : {Direction::Auto, Direction::Push, Direction::Pull}) {
        if (direction == Direction::Pull && !graph.has_in()) continue;
        MultiBfsOptions options;
        options.direction = direction;
        const auto some = std::span(sources).first(count);
        const MultiBfsResult result = multi_bfs(*ctx_, graph, some, options);
        for (std::size_t i = 0; i < count; ++i) {
          const auto row = result.depths(i);
          ASSERT_EQ(std::vector(row.begin(), row.end()), expected[i]) << "source " << sources[i];
        }
        if (count == 1) verify_multi_bfs(host_, host_graph(), some, options, result);
      }
  }
}

TEST_P(OnGpu, SsspDistancesEqualTheReference) {
  const Graph graph = gpu_graph();
  for (const VertexId source : some_sources())
    for (const Weight delta : {Weight{0}, Weight{3}}) {
      const SsspResult result = sssp(*ctx_, graph, source, {delta});
      EXPECT_EQ(to_vector(result.distance), reference::dijkstra_float(oracle(), source));
      verify_sssp(host_, host_graph(), source, result);
    }
}

TEST_P(OnGpu, ComponentsEqualTheReference) {
  for (const bool in_edges : {true, false}) {
    const ComponentsResult result = connected_components(*ctx_, gpu_graph(in_edges));
    EXPECT_EQ(to_vector(result.label), reference::components(oracle()));
    verify_components(host_, host_graph(), result);
  }
}

TEST_P(OnGpu, PagerankIsWithinItsErrorBound) {
  for (const bool in_edges : {true, false})
    for (const bool weighted : {false, true})
      for (const double tolerance : {1e-6, 1e-10}) {
        PagerankOptions options;
        options.weighted = weighted;
        options.tolerance = tolerance;
        options.max_iterations = 1000;
        const PagerankResult result = pagerank(*ctx_, gpu_graph(in_edges), options);
        EXPECT_TRUE(result.converged);
        reference::PagerankOptions r;
        r.tolerance = 1e-14;
        r.weighted = weighted;
        const auto expected = reference::pagerank(oracle(), r).rank;
        double distance = 0;
        for (std::size_t v = 0; v < expected.size(); ++v)
          distance += std::abs(result.rank[v] - expected[v]);
        EXPECT_LE(distance, 2 * (result.residual + 10 * 0x1p-24) * .85 / .15 + 1e-12);
        verify_pagerank(host_, host_graph(), options, result);
      }
}

TEST_P(OnGpu, BetweennessEqualsTheReference) {
  for (const bool weighted : {false, true}) {
    BetweennessOptions options;
    options.weighted = weighted;
    options.sources = some_sources();
    for (VertexId v = 1; v < raw().vertices && options.sources.size() < 9; v += 7)
      options.sources.push_back(v);
    if (options.sources.empty()) continue;
    const BetweennessResult result = betweenness(*ctx_, gpu_graph(), options);
    const BetweennessResult expected = betweenness(host_, host_graph(), options);
    for (std::size_t v = 0; v < raw().vertices; ++v)
      EXPECT_NEAR(result.centrality[v], expected.centrality[v],
                  1e-9 * (1 + std::abs(expected.centrality[v])));
  }
}

TEST_P(OnGpu, TrianglesEqualTheReference) {
  if (std::get<1>(GetParam()).residency.gpu.id_bytes == 8) return;  // refused
  const auto expected = reference::count_triangles(oracle());
  const Graph graph = gpu_graph();
  EXPECT_EQ(count_triangles(*ctx_, graph).total, expected.total);
  const TrianglesResult each = count_triangles(*ctx_, graph, {true});
  EXPECT_EQ(each.total, expected.total);
  EXPECT_EQ(to_vector(each.per_vertex), expected.per_vertex);
}

TEST_P(OnGpu, CoreNumbersEqualTheReference) {
  const reference::Cores expected = reference::core_numbers(oracle());
  for (const bool in_edges : {true, false}) {
    const KcoreResult result = kcore(*ctx_, gpu_graph(in_edges));
    EXPECT_EQ(to_vector(result.core), expected.core);
    EXPECT_EQ(to_vector(result.layer), expected.layer);
    verify_kcore(host_, host_graph(), {}, result);
  }
}

TEST_P(OnGpu, DegreesEqualTheReference) {
  const reference::Degrees expected = reference::degrees(oracle());
  for (const bool in_edges : {true, false}) {
    const DegreesResult result = degrees(*ctx_, gpu_graph(in_edges));
    EXPECT_EQ(to_vector(result.out), expected.out);
    const bool directed = raw().directed;
    EXPECT_TRUE(!directed || to_vector(result.in) == expected.in);
  }
}

TEST_P(OnGpu, RandomWalkEqualsTheReference) {
  if (raw().vertices == 0) return;
  const std::vector<VertexId> sources{raw().vertices / 2};
  RwrOptions options;
  options.tolerance = 1e-10;
  options.max_iterations = 1000;
  const RwrResult result = random_walk_with_restart(*ctx_, gpu_graph(), sources, options);
  reference::PagerankOptions r;
  r.tolerance = 1e-14;
  r.personalization.assign(raw().vertices, 0.0);
  r.personalization[sources[0]] = 1;
  const auto expected = reference::pagerank(oracle(), r).rank;
  double distance = 0;
  for (std::size_t v = 0; v < expected.size(); ++v)
    distance += std::abs(result.probability[v] - expected[v]);
  EXPECT_LE(distance, 1e-9);
  verify_random_walk(host_, host_graph(), sources, options, result);
}

TEST_P(OnGpu, RadiiEqualTheReferenceSketches) {
  const reference::Radii expected = reference::sketched_radii(oracle(), 32, 1, .9);
  for (const bool in_edges : {true, false}) {
    const RadiusResult result = estimate_radius(*ctx_, gpu_graph(in_edges));
    EXPECT_EQ(to_vector(result.effective_radius), expected.effective);
    EXPECT_EQ(to_vector(result.farthest), expected.farthest);
    ASSERT_EQ(result.pairs.size(), expected.pairs.size());
    for (std::size_t h = 0; h < expected.pairs.size(); ++h)
      EXPECT_NEAR(result.pairs[h], expected.pairs[h], 1e-4 * expected.pairs[h]);
  }
}

TEST_P(OnGpu, EgonetsEqualTheReference) {
  for (const VertexId source : some_sources()) {
    const NeighborhoodOptions options{2, EdgeMode::All};
    const EgonetResult net = egonet(*ctx_, gpu_graph(), {{source}}, options);
    EXPECT_EQ(to_vector(net.around.hops),
              reference::hops_within(oracle(), {source}, 2, reference::Follow::Both));
    verify_egonet(host_, host_graph(), {{source}}, options, net);
  }
}

TEST_P(OnGpu, CrossEdgesEqualTheReference) {
  std::vector<std::uint32_t> set(raw().vertices);
  for (VertexId v = 0; v < raw().vertices; ++v) set[v] = v % 5 == 4 ? kNoSet : v % 5;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shown;
  const CrossEdgesResult result =
      cross_edges(*ctx_, gpu_graph(), set, [&](VertexId u, VertexId v, Weight) {
        ++shown[{set[u], set[v]}];
      });
  EXPECT_EQ(shown, reference::edges_across(oracle(), set));
  verify_cross_edges(host_, host_graph(), set, result);
}

TEST_P(OnGpu, HarmonicCentralityEqualsThatOfTheHost) {
  const HarmonicOptions options{raw().vertices < 2 ? 0 : std::min(raw().vertices, 40u), 3};
  for (const bool in_edges : {true, false}) {
    const HarmonicResult result = harmonic(*ctx_, gpu_graph(in_edges), options);
    EXPECT_EQ(to_vector(result.centrality),
              to_vector(harmonic(host_, host_graph(), options).centrality));
    verify_harmonic(host_, host_graph(), options, result);
  }
}

TEST_P(OnGpu, OrdersAreThoseOfTheHost) {
  for (const std::string& name : reorder::method_names()) {
    if (name == "bp") continue;  // needs lists that the host can read
    const reorder::Options options{*reorder::method_of(name)};
    const auto found = reorder::make_order(*ctx_, gpu_graph(), options);
    const auto expected = reorder::make_order(host_, host_graph(), options);
    EXPECT_TRUE(std::equal(found.positions().begin(), found.positions().end(),
                           expected.positions().begin()))
        << name;
  }
}

/// Where vertex state is split: the algorithms that can be.
class SplitOnGpu : public OnGpu {
 protected:
  /// How many chunks a run should say it used.
  std::uint32_t chunks() const {
    const GpuConfiguration& c = std::get<1>(GetParam());
    if (raw().vertices == 0) return 0;
    return std::max<std::uint32_t>(c.residency.paging.chunks, 1) *
           static_cast<std::uint32_t>(c.cuda.devices.size());
  }
};

TEST_P(SplitOnGpu, BfsDepthsEqualTheReference) {
  const Graph graph = gpu_graph();
  for (const VertexId source : some_sources()) {
    BfsOptions options;
    options.parents = true;
    const BfsResult result = bfs(*ctx_, graph, {{source}}, options);
    EXPECT_EQ(result.report.chunks, chunks());
    EXPECT_EQ(to_vector(result.depth), expected_depths(source));
    verify_bfs(host_, host_graph(), {{source}}, options, result);
  }
}

TEST_P(SplitOnGpu, SsspDistancesEqualTheReference) {
  const Graph graph = gpu_graph();
  for (const VertexId source : some_sources()) {
    const SsspResult result = sssp(*ctx_, graph, source, {});
    EXPECT_EQ(result.report.chunks, chunks());
    EXPECT_EQ(to_vector(result.distance), reference::dijkstra_float(oracle(), source));
  }
}

TEST_P(SplitOnGpu, ComponentsEqualTheReference) {
  const ComponentsResult result = connected_components(*ctx_, gpu_graph());
  EXPECT_EQ(result.report.chunks, chunks());
  EXPECT_EQ(to_vector(result.label), reference::components(oracle()));
}

TEST_P(SplitOnGpu, PagerankIsWithinItsErrorBound) {
  for (const bool weighted : {false, true})
    for (const double tolerance : {1e-6, 1e-10}) {
      PagerankOptions options;
      options.weighted = weighted;
      options.tolerance = tolerance;
      options.max_iterations = 1000;
      const PagerankResult result = pagerank(*ctx_, gpu_graph(), options);
      EXPECT_EQ(result.report.chunks, chunks());
      EXPECT_TRUE(result.converged);
      verify_pagerank(host_, host_graph(), options, result);
    }
}

std::string name_of(const ::testing::TestParamInfo<OnGpu::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, OnGpu,
                         ::testing::Combine(::testing::ValuesIn(graphs()),
                                            ::testing::ValuesIn(testing::gpu_configurations())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(
    Multi, OnGpu,
    ::testing::Combine(::testing::ValuesIn(graphs()),
                       ::testing::ValuesIn(testing::multi_gpu_configurations())),
    name_of);

INSTANTIATE_TEST_SUITE_P(Zoo, SplitOnGpu,
                         ::testing::Combine(::testing::ValuesIn(graphs()),
                                            ::testing::ValuesIn(testing::split_configurations())),
                         name_of);

}  // namespace
}  // namespace fathom
