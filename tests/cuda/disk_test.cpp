// Graphs that fit neither device memory nor host memory: read from disk, through a buffer in host
// memory, into frames of GPUs; answers are those of the host, and both budgets hold.
#include <gtest/gtest.h>

#include <cmath>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/plan/plan.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/stripes.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/cuda/configurations.hpp"

namespace fathom {
namespace {

using testing::kMi;

/// 23 MB of lists and weights in each direction.
class Disk : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new store::TemporaryDirectory;
    generate::Spec spec;
    spec.scale = 16;
    spec.edge_factor = 48;
    spec.weights = generate::WeightRange{1, 64};
    store::ConvertOptions options;
    options.triangle_lists = true;
    store::generate(generate::Generator(spec), path(false), options);
    store::RepackOptions repacking;
    repacking.slotted = {kMi / 4, 3, 3};
    store::repack(path(false), path(true), repacking);
    const Context host = Context::cpu();
    const Graph graph = load(host, path(false));
    const auto lists = graph.out().read_lists();
    while (lists->degree(source_) < 100) ++source_;
  }
  static void TearDownTestSuite() { delete directory_; }
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  }

  static std::string path(bool slotted) {
    return directory_->file(slotted ? "slotted.fg" : "lists.fg");
  }

  static Context gpus(std::vector<int> devices, std::size_t device_memory) {
    CudaOptions options;
    options.devices = std::move(devices);
    options.device_memory = device_memory;
    options.host_memory = 10 * kMi;
    return Context::cuda(options);
  }

  static ResidencyOptions streamed(const PagingOptions& paging = {}) {
    ResidencyOptions options;
    options.kind = ResidencyOptions::Kind::Stream;
    options.paging = paging;
    options.paging.page_bytes = kMi / 4;
    return options;
  }

  template <class T>
  static std::vector<T> values(const Array<T>& a) {
    return {a.begin(), a.end()};
  }

  /// The four algorithms that can split their state, against the host.
  static void answers_are_those_of_the_host(const Context& ctx, const Graph& graph,
                                            const std::string& what) {
    SCOPED_TRACE(what);
    const Context host = Context::cpu();
    const Graph whole = load(host, path(false));
    EXPECT_EQ(graph.residency(), "stream");
    const BfsResult depths = bfs(ctx, graph, {{source_}});
    EXPECT_EQ(values(depths.depth), values(bfs(host, whole, {{source_}}).depth));
    EXPECT_GT(depths.report.link.disk.bytes, 0u);
    EXPECT_EQ(values(sssp(ctx, graph, source_).distance),
              values(sssp(host, whole, source_).distance));
    EXPECT_EQ(values(connected_components(ctx, graph).label),
              values(connected_components(host, whole).label));
    PagerankOptions options;
    options.tolerance = 1e-9;
    const PagerankResult ranks = pagerank(ctx, graph, options);
    EXPECT_TRUE(ranks.converged);
    verify_pagerank(host, whole, options, ranks);
    EXPECT_LE(ctx.peak_host_bytes(), 10 * kMi);
  }

  static RunReport run(const std::string& algorithm, const Context& ctx, const Graph& graph) {
    if (algorithm == "bfs") return bfs(ctx, graph, {{source_}}).report;
    if (algorithm == "cc") return connected_components(ctx, graph).report;
    return pagerank(ctx, graph).report;
  }

  inline static store::TemporaryDirectory* directory_ = nullptr;
  inline static VertexId source_ = 0;
};

TEST_F(Disk, AnswersWithinBothBudgets) {
  for (const bool slotted : {false, true})
    for (const std::vector<int>& devices : {std::vector{0}, {0, 0}, {0, 0, 0}}) {
      const Context ctx = gpus(devices, 6 * kMi);
      answers_are_those_of_the_host(ctx, load(ctx, path(slotted), streamed()),
                                    std::to_string(devices.size()) + (slotted ? " slotted" : ""));
      EXPECT_LE(ctx.peak_device_bytes(), 6 * kMi);
    }
}

TEST_F(Disk, AnswersFromPagesThatAreReadInPlace) {
  for (const bool slotted : {false, true})
    for (const PageMove move : {PageMove::Copy, PageMove::InPlace}) {
      PagingOptions paging;
      paging.page_move = move;
      const Context ctx = gpus({0, 0}, 6 * kMi);
      const Graph graph = load(ctx, path(slotted), streamed(paging));
      answers_are_those_of_the_host(ctx, graph, slotted ? "slotted" : "lists");
      const Traffic all = graph.traffic();
      EXPECT_GT(all.bytes, 0u);
      EXPECT_EQ(all.cache_misses == 0, move == PageMove::InPlace);
    }
}

TEST_F(Disk, AnswersWhereVertexStateIsSplit) {
  for (const bool slotted : {false, true})
    for (const std::uint32_t chunks : {1u, 3u}) {
      PagingOptions paging;
      paging.strategy = Strategy::Scalability;
      paging.chunks = chunks;
      const Context ctx = gpus({0, 0}, 6 * kMi);
      answers_are_those_of_the_host(ctx, load(ctx, path(slotted), streamed(paging)),
                                    std::to_string(chunks) + (slotted ? " slotted" : ""));
    }
}

TEST_F(Disk, SplitsWhatDoesNotFitOneDevice) {
  const Context ctx = gpus({0}, (kIdBits == 32 ? 1000 : 1100) * testing::kKi);
  const Graph graph = load(ctx, path(false), streamed());
  const SsspResult result = sssp(ctx, graph, source_);
  EXPECT_GT(result.report.chunks, 1u);
  const Context host = Context::cpu();
  EXPECT_EQ(values(result.distance), values(sssp(host, load(host, path(false)), source_).distance));
}

TEST_F(Disk, PlannedBudgetsAreEnough) {
  plan::PlanRequest request;
  request.shape = plan::shape_of(*store::Store::open(path(false)));
  request.page_bytes = kMi / 4;
  request.machine.executor = plan::Machine::Executor::Gpu;
  request.machine.host_memory = 10 * kMi;
  request.machine.threads = 2;
  for (const auto& [strategy, devices] : {std::pair(Strategy::Performance, 1),
                                          {Strategy::Scalability, 1},
                                          {Strategy::Scalability, 2}})
    for (const char* algorithm : {"bfs", "cc", "pagerank"}) {
      SCOPED_TRACE(algorithm + std::to_string(devices));
      request.strategy = strategy;
      request.machine.devices = devices;
      request.machine.device_memory = plan::kNoLimit;
      request.algorithm = algorithm;
      request.residency = ResidencyOptions::Kind::Stream;
      const plan::Plan plan = plan::make_plan(request);
      EXPECT_TRUE(plan.from_disk);
      const Context ctx =
          gpus(std::vector<int>(static_cast<std::size_t>(devices), 0), plan.least_device + kMi / 2);
      PagingOptions paging;
      paging.strategy = strategy;
      const Graph graph = load(ctx, path(false), streamed(paging));
      const RunReport report = run(algorithm, ctx, graph);
      EXPECT_GE(report.chunks, plan.chunks);
      EXPECT_GT(report.link.disk.bytes, 0u);
    }
}

TEST_F(Disk, ReadsStripes) {
  std::vector<std::string> directories{directory_->file("a"), directory_->file("b")};
  for (const std::string& d : directories) std::filesystem::create_directories(d);
  store::write_stripes(path(false), directories);
  PagingOptions paging;
  paging.ssd = directories;
  const Context ctx = gpus({0}, 6 * kMi);
  answers_are_those_of_the_host(ctx, load(ctx, path(false), streamed(paging)), "striped");
}

TEST_F(Disk, CountsTrianglesOfStoredOrientedLists) {
  const Context host = Context::cpu();
  const Context ctx = gpus({0}, 6 * kMi);
  EXPECT_EQ(count_triangles(ctx, load(ctx, path(false), streamed())).total,
            count_triangles(host, load(host, path(false))).total);
}

TEST_F(Disk, AutoReadsFromDiskWhatHostMemoryCannotHold) {
  const Context ctx = gpus({0}, 6 * kMi);
  const Graph graph = load(ctx, path(false));
  EXPECT_EQ(graph.residency(), "stream");
  EXPECT_GT(bfs(ctx, graph, {{source_}}).report.link.disk.bytes, 0u);
}

TEST_F(Disk, TracesReadsCopiesAndKernels) {
  PagingOptions paging;
  paging.trace = std::make_shared<Trace>();
  paging.page_move = PageMove::Copy;
  const Context ctx = gpus({0}, 6 * kMi);
  bfs(ctx, load(ctx, path(false), streamed(paging)), {{source_}});
  const std::string json = paging.trace->json();
  for (const char* lane : {"disk", "copies", "kernels"})
    EXPECT_NE(json.find(lane), std::string::npos) << lane;
}

}  // namespace
}  // namespace fathom
