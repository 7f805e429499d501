// Both strategies of GTS on 1 to 7 devices: results are those of the references wherever vertex
// state is, and what does not fit one device runs in chunks.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::expect_error;
using testing::to_vector;

Configuration shared(Strategy strategy, int devices, std::uint32_t chunks = 0,
                     bool slotted = false) {
  Configuration c;
  c.name = std::string(strategy == Strategy::Scalability ? "s" : "p") + std::to_string(devices) +
           (chunks > 0 ? "_" + std::to_string(chunks) + "_chunks" : "") +
           (slotted ? "_slotted" : "");
  c.cpu.threads = 2;
  c.cpu.devices = devices;
  c.cpu.device_memory = std::size_t{64} << 20;
  c.residency.kind = ResidencyOptions::Kind::Stream;
  c.residency.paging.page_bytes = 64;
  c.residency.paging.strategy = strategy;
  c.residency.paging.chunks = chunks;
  c.tenth_of_pages = true;
  c.slotted = slotted;
  return c;
}

std::vector<Configuration> both_strategies() {
  std::vector<Configuration> all;
  for (const int devices : {1, 2, 3, 4, 7}) all.push_back(shared(Strategy::Scalability, devices));
  // Of P, one and two devices are configurations of every algorithm's suite.
  for (const int devices : {3, 4, 7}) all.push_back(shared(Strategy::Performance, devices));
  all.push_back(shared(Strategy::Scalability, 1, 3));
  all.push_back(shared(Strategy::Scalability, 2, 2));
  all.push_back(shared(Strategy::Scalability, 3, 0, true));
  return all;
}

class BothStrategies : public testing::AlgorithmSuite {
 protected:
  /// How many chunks a run should say it used.
  std::uint32_t chunks() const {
    const PagingOptions& paging = configuration().residency.paging;
    if (paging.strategy != Strategy::Scalability || raw().vertices == 0) return 0;
    return std::max<std::uint32_t>(paging.chunks, 1) *
           static_cast<std::uint32_t>(configuration().cpu.devices);
  }
  std::vector<VertexId> sources() const {
    return raw().vertices > 3 ? std::vector<VertexId>{raw().vertices - 1, 1}
                              : std::vector<VertexId>{0};
  }
};

TEST_P(BothStrategies, BfsFindsTheReferencesDepthsAndValidParents) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context(), host = Context::cpu();
  const Graph graph = place(ctx);
  const std::vector<VertexId> from = sources();
  const BfsResult result = bfs(ctx, graph, from, {.parents = true});
  const auto expected = reference::bfs_depths(reference_graph(), {from.begin(), from.end()});
  const std::vector<std::uint32_t> depth = to_vector(result.depth);
  EXPECT_EQ(std::vector<std::int32_t>(depth.begin(), depth.end()), expected);
  EXPECT_EQ(result.report.chunks, chunks());
  const Graph checked = testing::place(host, {}, raw());
  verify_bfs(host, checked, from, {.parents = true}, result);
}

TEST_P(BothStrategies, SsspEqualsDijkstra) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const VertexId source = sources().front();
  for (const Weight delta : {0.0f, 1e30f}) {
    const SsspResult result = sssp(ctx, graph, source, {.delta = delta});
    EXPECT_EQ(to_vector(result.distance), reference::dijkstra_float(reference_graph(), source));
    EXPECT_EQ(result.report.chunks, chunks());
    const SsspResult wide =
        sssp(ctx, graph, source, {.delta = delta, .precision = SsspPrecision::Double});
    EXPECT_EQ(to_vector(wide.double_distance), reference::dijkstra(reference_graph(), {source}));
    EXPECT_EQ(wide.report.chunks, chunks());
  }
}

TEST_P(BothStrategies, ComponentsHaveTheirSmallestVertexAsLabel) {
  const Context ctx = configuration().context();
  const ComponentsResult result = connected_components(ctx, place(ctx));
  EXPECT_EQ(to_vector(result.label), reference::components(reference_graph()));
  EXPECT_EQ(result.report.chunks, chunks());
}

TEST_P(BothStrategies, PagerankIsWithinItsDocumentedErrorOfTheReference) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const bool weighted : {false, true}) {
    PagerankOptions options;
    options.tolerance = 1e-4;
    options.weighted = weighted;
    reference::PagerankOptions wanted;
    wanted.tolerance = 1e-14;
    wanted.weighted = weighted;
    const auto expected = reference::pagerank(reference_graph(), wanted);
    const PagerankResult result = pagerank(ctx, graph, options);
    EXPECT_EQ(result.report.chunks, chunks());
    double distance = 0;
    for (std::size_t v = 0; v < result.rank.size(); ++v)
      distance += std::abs(result.rank[v] - expected.rank[v]);
    EXPECT_LE(distance, 2 * (result.residual + 10 * 0x1p-24) * .85 / .15 + 1e-12) << weighted;
    if (raw().weights.empty()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, BothStrategies,
                         testing::each_in_each(zoo::all_graphs(), both_strategies()),
                         testing::suite_name);

zoo::RawGraph broad(std::uint32_t vertices = 20000) {
  zoo::RawGraph raw;
  raw.name = "broad";
  raw.vertices = vertices;
  raw.edges = zoo::random_edges(vertices, 4 * vertices, 7);
  zoo::Dice dice(3);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 + dice.roll(9)));
  return raw;
}

/// So many devices with so many bytes per vertex of broad().
Configuration tight(Strategy strategy, int devices, double bytes_per_vertex) {
  Configuration c = shared(strategy, devices);
  c.tenth_of_pages = false;
  c.residency.paging.page_bytes = 4096;
  c.cpu.device_memory = static_cast<std::size_t>(20000 * bytes_per_vertex);
  return c;
}

struct OnDevices {
  Context ctx;
  Graph graph;
  explicit OnDevices(const Configuration& c, const zoo::RawGraph& raw = broad(),
                     bool in_edges = true)
      : ctx(c.context()), graph(testing::place(ctx, c, raw, in_edges)) {}
};

double distance(const Array<double>& a, const Array<double>& b) {
  double sum = 0;
  for (std::size_t v = 0; v < a.size(); ++v) sum += std::abs(a[v] - b[v]);
  return sum;
}

TEST(Strategy, PNamesWhatWouldDoWhenVertexStateDoesNotFitADevice) {
  // Ranks, shares and sums are 20 bytes per vertex, offsets 8.
  OnDevices p(tight(Strategy::Performance, 4, 25));
  expect_error(
      ErrorCode::DoesNotFit, [&] { pagerank(p.ctx, p.graph); }, "strategy s needs");
}

TEST(Strategy, SRunsWhatDoesNotFitUnderP) {
  const OnDevices one(tight(Strategy::Auto, 1, 1000));
  const PagerankResult expected = pagerank(one.ctx, one.graph);
  EXPECT_EQ(expected.report.chunks, 0u);
  OnDevices s(tight(Strategy::Scalability, 4, 12));
  const PagerankResult result = pagerank(s.ctx, s.graph);
  EXPECT_EQ(result.report.chunks, 4u);
  EXPECT_LE(result.report.peak_device_bytes, 12u * 20000);
  EXPECT_LE(distance(result.rank, expected.rank), 2e-5);
  EXPECT_EQ(to_vector(bfs(s.ctx, s.graph, std::array<VertexId, 1>{5}).depth),
            to_vector(bfs(one.ctx, one.graph, std::array<VertexId, 1>{5}).depth));
  EXPECT_EQ(to_vector(sssp(s.ctx, s.graph, 5).distance),
            to_vector(sssp(one.ctx, one.graph, 5).distance));
  EXPECT_EQ(to_vector(connected_components(s.ctx, s.graph).label),
            to_vector(connected_components(one.ctx, one.graph).label));
}

TEST(Strategy, AutoSplitsOnlyWhatDoesNotFit) {
  // Depths, offsets and bitmaps fit, ranks do not.
  OnDevices a(tight(Strategy::Auto, 2, 22));
  EXPECT_EQ(bfs(a.ctx, a.graph, std::array<VertexId, 1>{0}).report.chunks, 0u);
  const PagerankResult ranks = pagerank(a.ctx, a.graph);
  EXPECT_EQ(ranks.report.chunks, 2u);
  EXPECT_TRUE(a.graph.split());
  const BfsResult after = bfs(a.ctx, a.graph, std::array<VertexId, 1>{0});
  EXPECT_EQ(after.report.chunks, 0u);
  EXPECT_FALSE(a.graph.split());
  const Context host = Context::cpu();
  const Graph checked = testing::place(host, {}, broad());
  verify_bfs(host, checked, std::array<VertexId, 1>{0}, {}, after);
  verify_pagerank(host, checked, {}, ranks);
}

TEST(Strategy, AutoTakesAsManyChunksOnOneDeviceAsItNeeds) {
  OnDevices one(tight(Strategy::Auto, 1, 8));
  const PagerankResult ranks = pagerank(one.ctx, one.graph);
  EXPECT_GT(ranks.report.chunks, 3u);
  EXPECT_LE(ranks.report.peak_device_bytes, 8u * 20000);
  const SsspResult lengths = sssp(one.ctx, one.graph, 5);
  const Context host = Context::cpu();
  const Graph checked = testing::place(host, {}, broad());
  verify_pagerank(host, checked, {}, ranks);
  verify_sssp(host, checked, 5, lengths);
}

TEST(Strategy, NamesTheSmallestMemoryWhenNoNumberOfChunksFits) {
  OnDevices one(tight(Strategy::Auto, 1, .5));
  expect_error(
      ErrorCode::DoesNotFit, [&] { sssp(one.ctx, one.graph, 0); }, "at least");
}

/// What an algorithm that can be split answers on so many devices of so many bytes, if anything.
using Answers = std::function<std::vector<double>(const Context&, const Graph&)>;

template <class T>
std::vector<double> as_doubles(const Array<T>& values) {
  return {values.begin(), values.end()};
}

TEST(Strategy, AutoNeverRefusesMoreMemoryThanWasEnough) {
  constexpr std::array<VertexId, 1> kSource{5};
  const std::vector<Answers> runs{
      [&](auto& ctx, auto& graph) { return as_doubles(bfs(ctx, graph, kSource).depth); },
      [&](auto& ctx, auto& graph) {
        return as_doubles(bfs(ctx, graph, kSource, {.parents = true}).depth);
      },
      [](auto& ctx, auto& graph) { return as_doubles(sssp(ctx, graph, 5).distance); },
      [](auto& ctx, auto& graph) {
        return as_doubles(
            sssp(ctx, graph, 5, {.precision = SsspPrecision::Double}).double_distance);
      },
      [](auto& ctx, auto& graph) { return as_doubles(connected_components(ctx, graph).label); }};
  zoo::RawGraph arcs = broad(400);
  arcs.directed = true;
  const Context host = Context::cpu();
  const Graph in_memory = testing::place(host, {}, arcs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const int devices : {1, 2}) {
      const std::vector<double> expected = runs[r](host, in_memory);
      std::size_t enough = 0;
      for (std::size_t memory = 4000; memory < 24000; memory += memory / 10) {
        Configuration c = tight(Strategy::Auto, devices, 0);
        c.cpu.device_memory = memory;
        try {
          const OnDevices placed(c, arcs);
          EXPECT_EQ(runs[r](placed.ctx, placed.graph), expected);
          if (enough == 0) enough = memory;
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::DoesNotFit);
          EXPECT_EQ(enough, 0u) << "algorithm " << r << ", " << devices << " devices of " << memory
                                << ": " << error.what();
        }
      }
      EXPECT_GT(enough, 0u);
    }
}

TEST(Strategy, SaysWhatWouldDoBesideWhatOthersHold) {
  Configuration c = tight(Strategy::Auto, 1, .5);
  constexpr std::size_t kTaken = 3000;
  std::string said;
  {
    const OnDevices small(c);
    const Array<std::byte> taken(kTaken, small.ctx.devices()[0].memory());
    try {
      sssp(small.ctx, small.graph, 0);
    } catch (const Error& error) {
      said = error.what();
    }
  }
  const std::size_t at = said.find('(');
  ASSERT_NE(at, std::string::npos) << said;
  c.cpu.device_memory = std::stoul(said.substr(at + 1));
  const OnDevices larger(c);
  const Array<std::byte> taken(kTaken, larger.ctx.devices()[0].memory());
  EXPECT_NO_THROW(sssp(larger.ctx, larger.graph, 0)) << said;
}

TEST(Strategy, SSendsEveryPageToEachDeviceAndOnceMoreForEachChunk) {
  auto bytes = [](Strategy strategy, int devices, std::uint32_t chunks) {
    Configuration c = shared(strategy, devices, chunks);
    c.residency.paging.frames = 1;  // nothing is kept
    c.tenth_of_pages = false;
    const OnDevices placed(c, broad(2000), false);
    PagerankOptions once;
    once.max_iterations = 1;
    return pagerank(placed.ctx, placed.graph, once).report.link.bytes;
  };
  const std::uint64_t once = 2 * broad(2000).edges.size() * sizeof(VertexId);
  const std::uint64_t slack = once / 50;  // loops are stored once
  EXPECT_NEAR(static_cast<double>(bytes(Strategy::Performance, 3, 0)), static_cast<double>(once),
              static_cast<double>(slack));
  const std::uint64_t p = bytes(Strategy::Performance, 3, 0);
  // A page that is in the frame at the end of a stream begins the next one.
  const std::uint64_t page = 64;
  EXPECT_EQ(bytes(Strategy::Scalability, 3, 0), 3 * p);
  EXPECT_LE(bytes(Strategy::Scalability, 1, 4), 4 * p);
  EXPECT_GE(bytes(Strategy::Scalability, 1, 4), 4 * p - 3 * page);
}

TEST(Strategy, SRefusesAlgorithmsThatCannotSplit) {
  OnDevices s(shared(Strategy::Scalability, 2), broad(200));
  const std::string which = "bfs, sssp, cc, pagerank and rwr";
  expect_error(
      ErrorCode::Usage, [&] { kcore(s.ctx, s.graph); }, which);
  expect_error(
      ErrorCode::Usage, [&] { count_triangles(s.ctx, s.graph); }, which);
  expect_error(
      ErrorCode::Usage,
      [&] { bfs(s.ctx, s.graph, std::array<VertexId, 1>{0}, {.direction = Direction::Pull}); },
      "pushes");
  zoo::RawGraph arcs = broad(200);
  arcs.directed = true;
  OnDevices directed(shared(Strategy::Scalability, 2), arcs, false);
  expect_error(
      ErrorCode::Usage, [&] { connected_components(directed.ctx, directed.graph); }, "in-edges");
}

TEST(Strategy, SIsRefusedOnTheHost) {
  Configuration c = shared(Strategy::Scalability, 0);
  expect_error(
      ErrorCode::Usage, [&] { OnDevices placed(c, broad(200)); }, "emulated devices");
}

TEST(Strategy, SFindsBadWeights) {
  zoo::RawGraph raw = broad(300);
  raw.weights[7] = -1;
  OnDevices s(shared(Strategy::Scalability, 3, 2), raw);
  expect_error(
      ErrorCode::BadInput, [&] { sssp(s.ctx, s.graph, raw.edges[7].first); }, "is -1");
  PagerankOptions weighted;
  weighted.weighted = true;
  expect_error(ErrorCode::BadInput, [&] { pagerank(s.ctx, s.graph, weighted); });
}

TEST(Strategy, PersonalizedRanksAreTheSameSplit) {
  std::vector<double> wished(2000, 0);
  wished[3] = 1;
  wished[1900] = 2;
  PagerankOptions options;
  options.tolerance = 1e-9;
  options.personalization = wished;
  OnDevices p(shared(Strategy::Performance, 1), broad(2000));
  OnDevices s(shared(Strategy::Scalability, 3, 2), broad(2000));
  EXPECT_LE(
      distance(pagerank(p.ctx, p.graph, options).rank, pagerank(s.ctx, s.graph, options).rank),
      2e-8);
}

}  // namespace
}  // namespace fathom
