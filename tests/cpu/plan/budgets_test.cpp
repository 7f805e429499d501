// Plans are held against runs: what is called the smallest budget works, and half of it does not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>

#include "fathom/algorithms/assortativity/assortativity.hpp"
#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"
#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/biconnected/biconnected.hpp"
#include "fathom/algorithms/bipartite/bipartite.hpp"
#include "fathom/algorithms/cdlp/cdlp.hpp"
#include "fathom/algorithms/closeness/closeness.hpp"
#include "fathom/algorithms/color/color.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/algorithms/eccentricity/eccentricity.hpp"
#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"
#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/ktruss/ktruss.hpp"
#include "fathom/algorithms/lcc/lcc.hpp"
#include "fathom/algorithms/leiden/leiden.hpp"
#include "fathom/algorithms/levels/levels.hpp"
#include "fathom/algorithms/louvain/louvain.hpp"
#include "fathom/algorithms/matching/matching.hpp"
#include "fathom/algorithms/mis/mis.hpp"
#include "fathom/algorithms/msf/msf.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/subgraph/neighborhood.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/plan/plan.hpp"
#include "fathom/store/make/convert.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::plan {
namespace {

using testing::expect_error;

using Kind = ResidencyOptions::Kind;
constexpr std::uint64_t kPage = std::uint64_t{1} << 12;
constexpr std::uint64_t kSlack = 1024;  // that plans add for what is rounded up

/// @returns the chunks of the vertex state; 0: it was not split.
std::uint32_t run(const std::string& algorithm, const Context& ctx, const Graph& graph,
                  VertexId source) {
  if (algorithm == "bfs") return bfs(ctx, graph, std::array{source}).report.chunks;
  if (algorithm == "sssp") return sssp(ctx, graph, source).report.chunks;
  if (algorithm == "sssp in double")
    return sssp(ctx, graph, source, {.precision = SsspPrecision::Double}).report.chunks;
  if (algorithm == "bellman-ford") bellman_ford(ctx, graph, source);
  if (algorithm == "bellman-ford in double")
    bellman_ford(ctx, graph, source, {SsspPrecision::Double});
  if (algorithm == "cc") return connected_components(ctx, graph).report.chunks;
  if (algorithm == "pagerank") {
    PagerankOptions options;
    options.max_iterations = 2;
    return pagerank(ctx, graph, options).report.chunks;
  }
  if (algorithm == "rwr") {
    RwrOptions options;
    options.max_iterations = 2;
    return random_walk_with_restart(ctx, graph, std::array{source}, options).report.chunks;
  }
  if (algorithm == "eigenvector") return eigenvector(ctx, graph, {0, 2}).report.chunks;
  if (algorithm == "hits") hits(ctx, graph, {0, 2});
  if (algorithm == "katz") {
    KatzOptions options;
    options.alpha = 1e-6;
    options.max_iterations = 2;
    return katz(ctx, graph, options).report.chunks;
  }
  if (algorithm == "bc") {
    BetweennessOptions options;
    options.sources = {source};
    betweenness(ctx, graph, options);
  }
  if (algorithm == "bc of many") {
    BetweennessOptions options;
    options.samples = std::min<VertexId>(graph.vertices(), 8);
    betweenness(ctx, graph, options);
  }
  if (algorithm == "edge-bc") {
    EdgeBetweennessOptions options;
    options.sources = {source};
    edge_betweenness(ctx, graph, options);
  }
  if (algorithm == "edge-bc of many") {
    EdgeBetweennessOptions options;
    options.samples = std::min<VertexId>(graph.vertices(), 8);
    edge_betweenness(ctx, graph, options);
  }
  if (algorithm == "tc") count_triangles(ctx, graph);
  if (algorithm == "ktruss") truss_decomposition(ctx, graph);
  if (algorithm == "lcc") local_clustering(ctx, graph);
  if (algorithm == "kcore") kcore(ctx, graph);
  if (algorithm == "mis") maximal_independent_set(ctx, graph);
  if (algorithm == "color") color_vertices(ctx, graph);
  if (algorithm == "cdlp") label_propagation(ctx, graph, {3});
  if (algorithm == "louvain") louvain(ctx, graph);
  if (algorithm == "leiden") leiden(ctx, graph);
  if (algorithm == "levels") topological_levels(ctx, graph);
  if (algorithm == "msf") minimum_spanning_forest(ctx, graph);
  if (algorithm == "matching") maximal_matching(ctx, graph);
  if (algorithm == "biconnected") biconnected_components(ctx, graph);
  if (algorithm == "bipartite") two_sides(ctx, graph);
  if (algorithm == "scc") strongly_connected_components(ctx, graph);
  if (algorithm == "similarity")
    best_similar(ctx, graph, {.sources = std::array<VertexId, 1>{source}});
  if (algorithm == "degrees") degrees(ctx, graph);
  if (algorithm == "assortativity") degree_assortativity(ctx, graph);
  if (algorithm == "reciprocity") reciprocity(ctx, graph);
  if (algorithm == "neighborhood") neighborhood(ctx, graph, std::array{source});
  if (algorithm == "radius") estimate_radius(ctx, graph);
  if (algorithm == "harmonic") harmonic(ctx, graph, {std::min<VertexId>(graph.vertices(), 64), 1});
  if (algorithm == "eccentricity") eccentricities(ctx, graph);
  if (algorithm == "closeness")
    closeness(ctx, graph, {std::min<VertexId>(graph.vertices(), 64), 1});
  if (algorithm == "walks of the second order")
    random_walks(ctx, graph, std::array{source},
                 {.length = 3, .per_source = 64, .weighted = graph.weighted(), .p = 2});
  if (algorithm == "walks")
    random_walks(ctx, graph, std::array{source}, {.length = 3, .per_source = 64});
  return 0;
}

/// Whether its vertex state can be split (strategy S).
bool splits(std::string_view algorithm) {
  return algorithm == "bfs" || algorithm.starts_with("sssp") || algorithm == "cc" ||
         algorithm == "pagerank" || algorithm == "rwr" || algorithm == "eigenvector" ||
         algorithm == "katz";
}

struct GraphKind {
  const char* name;
  bool directed, weighted;
  bool slotted = false, in_edges = true, narrow = false;
};

std::string path_of_this_test() {
  return std::filesystem::temp_directory_path() /
         ("fathom-plan-" + std::to_string(::getpid()) + ".fg");
}

class Budgets : public ::testing::TestWithParam<GraphKind> {
 protected:
  void make(int scale) {
    generate::Spec spec;
    spec.scale = scale;
    make(spec);
  }
  void make(generate::Spec spec) {
    path_ = path_of_this_test();
    if (GetParam().weighted) spec.weights = generate::WeightRange{};
    store::ConvertOptions options;
    options.undirected = options.build.undirected = !GetParam().directed;
    options.build.duplicates = graph::Duplicates::Keep;
    options.build.in_edges = GetParam().in_edges;
    if (GetParam().slotted) options.slotted = store::SlottedOptions{1 << 16, 3, 3};
    options.narrow = GetParam().narrow;
    store::generate(generate::Generator(spec), path_, options);
    const std::shared_ptr<store::Store> store = store::Store::open(path_);
    request_.shape = shape_of(*store);
    source_ = longest_list(store->out_offsets());  // a search that reads no page needs no buffer
    // Pages of slotted files have the file's size, and other lists of them the usual one.
    if (!GetParam().slotted) request_.page_bytes = kPage;
    request_.machine.threads = 2;
  }
  ~Budgets() override { std::filesystem::remove(path_); }

  std::vector<std::string> algorithms() const {
    std::vector<std::string> names;
    for (const std::string_view name : planned_algorithms())
      if (((name != "sssp" && name != "bellman-ford") || GetParam().weighted) &&
          ((name != "levels" && name != "reciprocity") || GetParam().directed) &&
          (!GetParam().directed || (name != "msf" && name != "biconnected" && name != "matching" &&
                                    name != "similarity" && name != "louvain" && name != "leiden")))
        names.emplace_back(name);
    return names;
  }

  void run_within(const std::string& algorithm, std::size_t host, int devices,
                  std::size_t device) const {
    run_within(algorithm, host, devices, device, Strategy::Performance, 0);
  }
  /// @returns the chunks of the vertex state; 0: it was not split.
  std::uint32_t run_within(const std::string& algorithm, std::size_t host, int devices,
                           std::size_t device, Strategy strategy, std::uint32_t chunks) const {
    const Context ctx = Context::cpu({2, host, devices, device, {}});
    ResidencyOptions options;
    options.kind = request_.residency;
    options.paging.page_bytes = request_.page_bytes;
    options.paging.strategy = strategy;
    options.paging.chunks = chunks;
    const Graph graph = load(ctx, path_, options);
    return run(algorithm, ctx, graph, source_);
  }

  std::string path_;
  PlanRequest request_;
  VertexId source_ = 0;
};

TEST_P(Budgets, OfADeviceWorkWhenSmallestAndNotWhenHalf) {
  make(12);
  request_.machine.executor = Machine::Executor::EmulatedDevices;
  for (const int devices : {1, 2}) {
    request_.machine.devices = devices;
    for (const std::string& algorithm : algorithms()) {
      SCOPED_TRACE(algorithm + " on " + std::to_string(devices));
      request_.algorithm = algorithm;
      const Plan plan = make_plan(request_);
      EXPECT_EQ(plan.residency, Kind::Stream);
      EXPECT_EQ(plan.chunks, 0u);
      const std::uint64_t least = plan.least_device;
      EXPECT_NO_THROW(run_within(algorithm, MemoryPool::kUnlimited, devices, least));
      expect_error(ErrorCode::DoesNotFit,
                   [&] { run_within(algorithm, MemoryPool::kUnlimited, devices, least / 2); });
    }
  }
}

TEST_P(Budgets, OfADeviceWithAChunkWorkWhenSmallestAndNotWhenHalf) {
  make(14);
  request_.machine.executor = Machine::Executor::EmulatedDevices;
  request_.strategy = Strategy::Scalability;
  for (const auto& dealt : {std::pair(1, 6u), std::pair(3, 0u), std::pair(2, 3u)}) {
    const int devices = dealt.first;
    const std::uint32_t chunks = dealt.second;
    request_.machine.devices = devices;
    request_.chunks = chunks;
    for (const std::string& algorithm : algorithms()) {
      SCOPED_TRACE(algorithm + " on " + std::to_string(devices));
      request_.algorithm = algorithm;
      if (!splits(algorithm)) {
        expect_error(ErrorCode::Usage, [&] { make_plan(request_); });
        continue;
      }
      const Plan plan = make_plan(request_);
      EXPECT_EQ(plan.chunks, static_cast<std::uint32_t>(devices) * std::max(chunks, 1u));
      const std::uint64_t least = plan.least_device;
      EXPECT_EQ(
          run_within(algorithm, plan.least_host, devices, least, Strategy::Scalability, chunks),
          plan.chunks);
      expect_error(ErrorCode::DoesNotFit, [&] {
        run_within(algorithm, MemoryPool::kUnlimited, devices, least / 2, Strategy::Scalability,
                   std::max(chunks, 1u));
      });
    }
  }
}

TEST_P(Budgets, TooSmallForAllVertexStateAreThoseOfChunks) {
  make(14);
  request_.machine.executor = Machine::Executor::EmulatedDevices;
  request_.machine.devices = 2;
  for (const std::string& algorithm : algorithms()) {
    if (!splits(algorithm)) continue;
    SCOPED_TRACE(algorithm);
    request_.algorithm = algorithm;
    request_.machine.device_memory = kNoLimit;
    request_.machine.device_memory = make_plan(request_).least_device * 2 / 3;
    const Plan plan = make_plan(request_);
    EXPECT_GE(plan.chunks, 2u);
    EXPECT_LE(plan.peak_device, request_.machine.device_memory);
    EXPECT_EQ(run_within(algorithm, MemoryPool::kUnlimited, 2, request_.machine.device_memory,
                         Strategy::Auto, 0),
              plan.chunks);
    request_.strategy = Strategy::Performance;
    expect_error(
        ErrorCode::DoesNotFit, [&] { make_plan(request_); }, "would do");
    request_.strategy = Strategy::Auto;
    request_.machine.device_memory = 4096;
    expect_error(
        ErrorCode::DoesNotFit, [&] { make_plan(request_); }, "would do");
  }
}

TEST_P(Budgets, OfTheHostWorkWhenSmallestAndNotWhenHalf) {
  make(14);
  for (const Kind kind : {Kind::Auto, Kind::Stream}) {
    request_.residency = kind;
    for (const std::string& algorithm : algorithms()) {
      SCOPED_TRACE(algorithm + (kind == Kind::Stream ? " streamed" : " mapped"));
      request_.algorithm = algorithm;
      const Plan plan = make_plan(request_);
      EXPECT_NO_THROW(run_within(algorithm, plan.least_host, 0, MemoryPool::kUnlimited));
      // May do with less: oriented lists come and go, offsets need no buffer of pages, and rows are
      // those of one vertex.
      if (algorithm == "tc" || algorithm == "lcc" || algorithm == "degrees" ||
          algorithm == "similarity" || algorithm == "ktruss")
        continue;
      expect_error(ErrorCode::DoesNotFit, [&] {
        run_within(algorithm, (plan.least_host - kSlack) / 2, 0, MemoryPool::kUnlimited);
      });
    }
  }
}

/// What is called the smallest budget works, of whatever layout, residency and form.
class LeastBudgets : public Budgets {
 protected:
  void all_run() {
    std::vector<std::string> names = algorithms();
    names.insert(names.end(), {"bc of many", "edge-bc of many", "walks of the second order"});
    if (GetParam().weighted)
      names.insert(names.end(), {"sssp in double", "bellman-ford in double"});
    request_.machine.executor = Machine::Executor::Host;
    for (const Kind kind : {Kind::Auto, Kind::Resident, Kind::Stream}) {
      request_.residency = kind;
      for (const std::string& algorithm : names) {
        SCOPED_TRACE(algorithm + " on the host, residency " + std::to_string(int(kind)));
        const Plan plan = plan_of(algorithm);
        EXPECT_GE(plan.peak_host, plan.least_host);
        EXPECT_NO_THROW(run_within(algorithm, plan.least_host, 0, MemoryPool::kUnlimited));
      }
    }
    request_.residency = Kind::Auto;
    request_.machine.executor = Machine::Executor::EmulatedDevices;
    for (const int devices : {1, 2})
      for (const Strategy strategy : {Strategy::Performance, Strategy::Scalability}) {
        request_.machine.devices = devices;
        for (const std::string& algorithm : names) {
          request_.strategy = strategy;
          if (strategy == Strategy::Scalability && !splits(algorithm)) continue;
          if (strategy == Strategy::Scalability && algorithm == "cc" && !GetParam().in_edges)
            continue;
          SCOPED_TRACE(algorithm + " on " + std::to_string(devices) +
                       (strategy == Strategy::Scalability ? " split" : ""));
          const Plan plan = plan_of(algorithm);
          EXPECT_NO_THROW(
              run_within(algorithm, plan.least_host, devices, plan.least_device, strategy, 0));
        }
      }
  }

 private:
  Plan plan_of(const std::string& algorithm) {
    request_.algorithm = algorithm.substr(0, algorithm.find(' '));
    request_.options.reset();
    if (algorithm.ends_with("bc of many")) {
      request_.options.emplace(find_algorithm(request_.algorithm)->options);
      request_.options->set_count("k", 8);
    }
    if (algorithm.starts_with("walks of")) {
      request_.options.emplace(find_planned("walks")->options);
      request_.options->set_flag("weighted", request_.shape.weighted);
      request_.options->set_real("p", 2);
    }
    if (algorithm.ends_with(" in double")) {
      request_.options.emplace(find_algorithm(request_.algorithm)->options);
      request_.options->set_mode("precision", "double");
    }
    return make_plan(request_);
  }
};

TEST_P(LeastBudgets, OfAGraphWithHubsWork) {
  make(11);
  all_run();
}

TEST_P(LeastBudgets, OfAPathAndOfNextToNothingWork) {
  generate::Spec path;
  path.kind = generate::Kind::Grid;
  path.rows = 1;
  for (const VertexId vertices : {1000, 2}) {
    SCOPED_TRACE(vertices);
    path.columns = vertices;
    make(path);
    all_run();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, LeastBudgets,
    ::testing::Values(GraphKind{"undirected", false, false}, GraphKind{"weighted", true, true},
                      GraphKind{"without_in_edges", true, false, false, false},
                      GraphKind{"slotted", false, false, true},
                      GraphKind{"slotted_weighted", true, true, true},
                      GraphKind{"narrow", false, false, false, true, true},
                      GraphKind{"narrow_weighted", true, true, false, true, true},
                      GraphKind{"narrow_without_in_edges", true, false, false, false, true}),
    [](const auto& kind) { return kind.param.name; });

INSTANTIATE_TEST_SUITE_P(Rmat, Budgets,
                         ::testing::Values(GraphKind{"undirected", false, false},
                                           GraphKind{"directed", true, false},
                                           GraphKind{"weighted", true, true},
                                           GraphKind{"narrow", true, true, false, true, true}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace fathom::plan
