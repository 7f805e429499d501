// Algorithms on a store's disk: the answers of the resident graph, whatever the disk does; the
// pages that active vertices need and no others; no more memory than the budget.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <random>
#include <set>

#include "fathom/algorithms/betweenness.hpp"
#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/components.hpp"
#include "fathom/algorithms/pagerank.hpp"
#include "fathom/algorithms/sssp.hpp"
#include "fathom/algorithms/triangles.hpp"
#include "fathom/store/convert.hpp"
#include "fathom/store/repack.hpp"
#include "fathom/store/stripes.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/faulty_reader.hpp"

namespace fathom {
namespace {

using store::kMi;
using testing::FaultCounts;
using testing::Faults;
using testing::with_faults;
using Kind = ResidencyOptions::Kind;

template <class T>
std::vector<T> to_vector(const Array<T>& values) {
  return {values.begin(), values.end()};
}

/// A directed and an undirected R-MAT graph on disk, in CSR and in slotted pages smaller and larger
/// than a checksum block, and what the algorithms answer in memory.
class Streamed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new store::TemporaryDirectory;
    generate::Spec spec;
    spec.scale = 15;
    spec.edge_factor = 24;
    spec.weights = generate::WeightRange{1, 64};
    store::ConvertOptions options;
    store::generate(generate::Generator(spec), path(true), options);
    options.undirected = true;
    options.triangle_lists = true;
    spec.edge_factor = 16;
    store::generate(generate::Generator(spec), path(false), options);
    store::RepackOptions repacking;
    repacking.slotted = {kMi / 16, 3, 3};
    store::repack(path(true), path(true, true), repacking);
    repacking.slotted = {2 * kMi, 2, 4};
    store::repack(path(false), path(false, true), repacking);
  }
  static void TearDownTestSuite() { delete directory_; }
  static std::string path(bool directed, bool slotted = false) {
    return directory_->file(std::string(slotted ? "slotted_" : "") +
                            (directed ? "directed.fg" : "undirected.fg"));
  }

  /// Directories with stripes of a graph: one each, one of them beside the graph.
  static std::vector<std::string> stripes(const std::string& graph, std::size_t count) {
    std::vector<std::string> directories{directory_->file("")};
    for (std::size_t i = 1; i < count; ++i) {
      directories.push_back(directory_->file("ssd" + std::to_string(i)));
      std::filesystem::create_directories(directories.back());
    }
    store::write_stripes(graph, directories);
    return directories;
  }

  static Context context(std::size_t host_memory, int devices = 0,
                         std::size_t device_memory = MemoryPool::kUnlimited) {
    CpuOptions options;
    options.threads = 2;
    options.host_memory = host_memory;
    options.devices = devices;
    options.device_memory = device_memory;
    return Context::cpu(options);
  }

  static ResidencyOptions streamed(const PagingOptions& paging) {
    ResidencyOptions options;
    options.kind = Kind::Stream;
    options.paging = paging;
    return options;
  }

  inline static store::TemporaryDirectory* directory_ = nullptr;
};

constexpr VertexId kSource = 5;

void expect_close(const Array<double>& actual, const Array<double>& expected, double tolerance) {
  double change = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) change += std::abs(actual[v] - expected[v]);
  EXPECT_LT(change, tolerance);
}

TEST_F(Streamed, AnswersAreThoseOfTheResidentGraphWithinTheBudget) {
  for (const bool directed : {false, true}) {
    const Context plain = context(MemoryPool::kUnlimited);
    const Graph resident = load(plain, path(directed));
    BetweennessOptions some;
    some.sources = {kSource, 77};
    PagerankOptions ranks;
    ranks.tolerance = 1e-9;
    const auto depth = to_vector(bfs(plain, resident, std::array{kSource}).depth);
    const auto distance = to_vector(sssp(plain, resident, kSource).distance);
    const auto label = to_vector(connected_components(plain, resident).label);
    const PagerankResult rank = pagerank(plain, resident, ranks);
    const BetweennessResult between = betweenness(plain, resident, some);
    const std::uint64_t triangles = count_triangles(plain, resident).total;
    for (const auto& [devices, slotted] : {std::pair(0, false), {2, false}, {0, true}, {2, true}}) {
      const std::size_t host = (directed ? 20 : 9) * kMi;
      const Context ctx = context(host, devices, 9 * kMi);
      PagingOptions paging;
      paging.page_bytes = devices == 0 ? kMi : kMi / 4;
      const Graph graph = load(ctx, path(directed, slotted), streamed(paging));
      EXPECT_EQ(graph.residency(), "stream");
      const BfsResult search = bfs(ctx, graph, std::array{kSource});
      EXPECT_EQ(to_vector(search.depth), depth);
      EXPECT_GT(search.report.link.disk.bytes, 0u);
      EXPECT_NO_THROW(verify_bfs(ctx, graph, std::array{kSource}, {}, search));
      const SsspResult paths = sssp(ctx, graph, kSource);
      EXPECT_EQ(to_vector(paths.distance), distance);
      EXPECT_NO_THROW(verify_sssp(ctx, graph, kSource, paths));
      const ComponentsResult classes = connected_components(ctx, graph);
      EXPECT_EQ(to_vector(classes.label), label);
      EXPECT_NO_THROW(verify_components(ctx, graph, classes));
      const PagerankResult found = pagerank(ctx, graph, ranks);
      expect_close(found.rank, rank.rank, 1e-7);
      EXPECT_NO_THROW(verify_pagerank(ctx, graph, ranks, found));
      const BetweennessResult central = betweenness(ctx, graph, some);
      expect_close(central.centrality, between.centrality, 1e-9);
      EXPECT_NO_THROW(verify_betweenness(ctx, graph, some, central, 1));
      const TrianglesResult counted = count_triangles(ctx, graph);
      EXPECT_EQ(counted.total, triangles);
      EXPECT_NO_THROW(verify_triangles(ctx, graph, counted));
      EXPECT_LE(ctx.peak_host_bytes(), host);
      EXPECT_LE(ctx.peak_device_bytes(), 9 * kMi);
    }
  }
}

/// Which pages the lists of the vertices at each depth are on.
std::vector<std::set<std::size_t>> pages_by_level(const CsrView& g,
                                                  const Array<std::uint32_t>& depth,
                                                  std::size_t page_bytes) {
  std::vector<std::set<std::size_t>> pages;
  for (VertexId v = 0; v < g.vertices; ++v) {
    if (depth[v] == kUnreached) continue;
    if (pages.size() <= depth[v]) pages.resize(depth[v] + 1);
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e)
      pages[depth[v]].insert(static_cast<std::size_t>(e * sizeof(VertexId) / page_bytes));
  }
  return pages;
}

TEST_F(Streamed, ASearchFetchesThePagesOfItsFrontiersAndNoOthers) {
  const auto store = store::Store::open(path(true));
  const CsrView lists = store->out();
  const Context plain = context(MemoryPool::kUnlimited);
  BfsOptions push;
  push.direction = Direction::Push;
  const BfsResult resident = bfs(plain, load(plain, path(true)), std::array{kSource}, push);
  for (const std::size_t page_bytes : {std::size_t{1} << 14, kMi})
    for (const PageCache cache : {PageCache::None, PageCache::Lru}) {
      const auto model = pages_by_level(lists, resident.depth, page_bytes);
      const Context ctx = context(MemoryPool::kUnlimited);
      PagingOptions paging;
      paging.page_bytes = page_bytes;
      paging.cache = cache;
      const BfsResult result =
          bfs(ctx, load(ctx, path(true), streamed(paging)), std::array{kSource}, push);
      ASSERT_EQ(result.report.supersteps.size(), model.size());
      std::set<std::size_t> kept;
      std::uint64_t bytes = 0;
      for (std::size_t level = 0; level < model.size(); ++level) {
        const DiskTraffic& disk = result.report.supersteps[level].link.disk;
        EXPECT_EQ(disk.page_hits + disk.page_misses, model[level].size()) << "level " << level;
        if (cache == PageCache::None) {
          EXPECT_EQ(disk.page_misses, model[level].size()) << "level " << level;
          kept.clear();
        }
        std::set<std::size_t> blocks;  // what is read: a page, or the checksum block it is in
        for (const std::size_t p : model[level])
          if (blocks.insert(p * page_bytes / kMi).second &&
              kept.insert(p * page_bytes / kMi).second)
            bytes += std::min<std::uint64_t>(
                kMi, store::padded(lists.edges * sizeof(VertexId)) - p * page_bytes / kMi * kMi);
      }
      EXPECT_EQ(result.report.link.disk.bytes, bytes);
    }
}

TEST_F(Streamed, ASearchFetchesTheSlottedPagesOfItsFrontiersAndNoOthers) {
  const auto store = store::Store::open(path(true, true));
  const store::SlottedLists lists = *store->slotted_out();
  const store::RvtTables tables(lists.rvt, lists.vertices);
  const Context ctx = context(MemoryPool::kUnlimited);
  BfsOptions push;
  push.direction = Direction::Push;
  PagingOptions paging;
  paging.cache = PageCache::None;
  const BfsResult result =
      bfs(ctx, load(ctx, path(true, true), streamed(paging)), std::array{kSource}, push);
  std::vector<std::set<std::size_t>> model;
  for (VertexId v = 0; v < lists.vertices; ++v) {
    const std::uint32_t depth = result.depth[v];
    if (depth == kUnreached || lists.offset[v] == lists.offset[v + 1]) continue;
    if (model.size() <= depth) model.resize(depth + 1);
    for (std::size_t p = tables.view().page_of(v); p <= tables.view().last_page_of(v); ++p)
      model[depth].insert(p);
  }
  ASSERT_GE(result.report.supersteps.size(), model.size());
  for (std::size_t level = 0; level < model.size(); ++level)
    EXPECT_EQ(result.report.supersteps[level].link.disk.page_misses, model[level].size());
}

TEST_F(Streamed, ASlottedPageThatIsNoneIsRefusedThoughItsChecksumMatches) {
  const std::string bad = directory_->file("bad.fg");
  std::vector<std::byte> bytes = store::read_file(path(true, true));
  const auto layout = store::decode_header(path(true, true), bytes, bytes.size());
  // The first entry of the second page: a page that is not there.
  const std::size_t at = layout.find(store::SectionId::OutPages)->offset + kMi / 16 + 4;
  for (const std::size_t i : {0, 1, 2}) bytes[at + i] = std::byte{0xff};
  store::reseal(bytes);
  store::write_file(bad, bytes);
  const Context ctx = context(MemoryPool::kUnlimited);
  testing::expect_error(
      ErrorCode::BadInput, [&] { connected_components(ctx, load(ctx, bad, streamed({}))); },
      "section 'out.pages': page 1 (bytes");
}

TEST_F(Streamed, AnswersFromStripesAreThoseOfTheStore) {
  for (const bool slotted : {false, true}) {
    const std::string graph = path(!slotted, slotted);
    const Context plain = context(MemoryPool::kUnlimited);
    const Graph resident = load(plain, path(!slotted));
    PagerankOptions ranks;
    ranks.tolerance = 1e-9;
    const auto depth = to_vector(bfs(plain, resident, std::array{kSource}).depth);
    const auto distance = to_vector(sssp(plain, resident, kSource).distance);
    const auto label = to_vector(connected_components(plain, resident).label);
    const PagerankResult rank = pagerank(plain, resident, ranks);
    for (const std::size_t n : {1, 2, 3, 5}) {
      PagingOptions paging;
      paging.ssd = stripes(graph, n);
      paging.page_bytes = n == 3 ? 4 * kMi : kMi / 2;  // of CSR: larger than what is dealt, too
      const std::size_t host = 20 * kMi;
      const Context ctx = context(host, n == 2 ? 2 : 0, 9 * kMi);
      const Graph striped = load(ctx, graph, streamed(paging));
      EXPECT_EQ(to_vector(bfs(ctx, striped, std::array{kSource}).depth), depth);
      EXPECT_EQ(to_vector(sssp(ctx, striped, kSource).distance), distance);
      EXPECT_EQ(to_vector(connected_components(ctx, striped).label), label);
      expect_close(pagerank(ctx, striped, ranks).rank, rank.rank, 1e-7);
      EXPECT_LE(ctx.peak_host_bytes(), host);
    }
  }
}

TEST_F(Streamed, SaysWhatBudgetWouldDo) {
  const Context ctx = context(kMi);
  try {
    const Graph graph = load(ctx, path(false), streamed({}));
    pagerank(ctx, graph, {});
    FAIL() << "a mebibyte was enough";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
    EXPECT_NE(std::string(e.what()).find("host memory"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("at least"), std::string::npos) << e.what();
  }
}

/// One of three algorithms, on one graph, with a disk that misbehaves.
class FaultRun {
 public:
  /// `stripes`: their directories, for every path; used in half of the runs.
  FaultRun(std::uint64_t seed, const std::vector<std::string>& paths,
           const std::vector<std::string>& stripes)
      : random_(seed), path_(paths[pick(paths.size())]), algorithm_(pick(3)) {
    std::string file = path_;  // that fails for good, if one does
    if (pick(2) == 0) {
      paging_.ssd = stripes;
      const std::size_t i = pick(stripes.size());
      if (pick(4) != 0) file = store::stripe_path(path_, stripes[i], i, stripes.size());
    }
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    faults_.inode = status.st_ino;
    file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    faults_.seed = seed;
    faults_.short_reads = share();
    faults_.passing_errors = share();
    faults_.passing_flips = share();
    faults_.late = share();
    switch (pick(6)) {
      case 0:
        faults_.lasting_error_at = place();
        break;
      case 1:
        faults_.lasting_flip_at = place();
        break;
      case 2:
        faults_.ends_at = place();
        break;
      default:
        lasting_ = false;
    }
    cpu_.threads = 1 + static_cast<int>(pick(3));
    cpu_.devices = static_cast<int>(pick(3));
    tight_ = pick(8) == 0;
    cpu_.host_memory = (tight_ ? 1 + pick(5) : 8 + pick(20)) * kMi;
    if (cpu_.devices > 0) cpu_.device_memory = (tight_ ? 1 : 4 + pick(8)) * kMi;
    paging_.page_bytes = kMi >> (2 * pick(4)) << pick(2);
    paging_.cache = static_cast<PageCache>(pick(3));
    paging_.io.way = pick(2) == 0 ? IoOptions::Way::Auto : IoOptions::Way::Threads;
    paging_.io.depth = 1 + static_cast<std::uint32_t>(pick(8));
    paging_.io.direct = pick(4) != 0;
    paging_.io.merge_bytes = kMi << pick(3);
  }

  const std::string& path() const { return path_; }
  std::size_t algorithm() const { return algorithm_; }

  /// "right", or the code of an error that these faults may lead to; else what is wrong.
  std::string outcome(const std::vector<double>& expected,
                      const std::shared_ptr<FaultCounts>& counts) {
    paging_.io.wrap = with_faults(faults_, counts);
    ResidencyOptions options;
    options.kind = Kind::Stream;
    options.paging = paging_;
    try {
      const Context ctx = Context::cpu(cpu_);
      const std::vector<double> actual = answer(ctx, load(ctx, path_, options), algorithm_);
      for (std::size_t v = 0; v < expected.size(); ++v)
        if (std::abs(actual[v] - expected[v]) > (algorithm_ == 2 ? 1e-9 : 0))
          return "WRONG ANSWER at vertex " + std::to_string(v);
      return "right";
    } catch (const Error& e) {
      const bool explained = e.code() == ErrorCode::DoesNotFit ? tight_
                             : e.code() == ErrorCode::Io || e.code() == ErrorCode::BadInput
                                 ? lasting_
                                 : false;
      return (explained ? "error " : "UNEXPLAINED ERROR: ") +
             (explained ? std::to_string(static_cast<int>(e.code())) : std::string(e.what()));
    }
  }

  static std::vector<double> answer(const Context& ctx, const Graph& graph, std::size_t algorithm) {
    std::vector<double> values;
    auto keep = [&](const auto& array) { values.assign(array.begin(), array.end()); };
    if (algorithm == 0) keep(bfs(ctx, graph, std::array{kSource}).depth);
    if (algorithm == 1) keep(connected_components(ctx, graph).label);
    PagerankOptions ranks;
    ranks.tolerance = 1e-4;
    ranks.in_place = false;  // as in pages: the same values, not only the same limit
    if (algorithm == 2) keep(pagerank(ctx, graph, ranks).rank);
    return values;
  }

 private:
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  double share() { return pick(2) == 0 ? 0 : static_cast<double>(pick(60)) / 100; }
  std::uint64_t place() { return 4096 + pick(file_bytes_ - 4096); }

  std::mt19937_64 random_;
  std::string path_;
  std::size_t algorithm_;
  std::uint64_t file_bytes_ = 0;
  Faults faults_;
  bool lasting_ = true, tight_ = false;
  CpuOptions cpu_;
  PagingOptions paging_;
};

// FATHOM_FAULT_RUNS=1000 makes it a thousand runs.
TEST_F(Streamed, ADiskThatFailsNeverLeadsToAWrongAnswer) {
  const char* asked = std::getenv("FATHOM_FAULT_RUNS");
  const std::uint64_t runs = asked ? std::strtoull(asked, nullptr, 10) : 60;
  std::map<std::pair<std::string, std::size_t>, std::vector<double>> expected;
  const Context plain = context(MemoryPool::kUnlimited);
  std::vector<std::string> paths, directories;
  for (const bool directed : {true, false})
    for (const bool slotted : {false, true}) {
      paths.push_back(path(directed, slotted));
      directories = stripes(paths.back(), 3);
      for (const std::size_t algorithm : {0u, 1u, 2u})
        expected[{paths.back(), algorithm}] =
            FaultRun::answer(plain, load(plain, path(directed)), algorithm);
    }
  auto counts = std::make_shared<FaultCounts>();
  std::map<std::string, int> outcomes;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    FaultRun run(seed, paths, directories);
    const std::string outcome = run.outcome(expected[{run.path(), run.algorithm()}], counts);
    EXPECT_TRUE(outcome == "right" || outcome.rfind("error ", 0) == 0)
        << "seed " << seed << ": " << outcome;
    ++outcomes[outcome];
  }
  EXPECT_GT(outcomes["right"], static_cast<int>(runs / 3));
  EXPECT_GT(outcomes["error 74"], 0);
  EXPECT_GT(outcomes["error 3"], 0);
  EXPECT_GT(counts->short_reads, runs / 4);
  EXPECT_GT(counts->errors, runs / 4);
  EXPECT_GT(counts->flips, runs / 4);
  EXPECT_GT(counts->late, runs / 4);
  EXPECT_GT(counts->ends, 0u);
  for (const auto& [what, times] : outcomes) std::printf("  %4d  %s\n", times, what.c_str());
}

}  // namespace
}  // namespace fathom
