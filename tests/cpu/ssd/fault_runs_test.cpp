// Algorithms on a disk that fails in every way a disk does: the right answer or an error.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "tests/cpu/ssd/streamed.hpp"
#include "tests/suites/faulty_reader.hpp"

namespace fathom {
namespace {

using store::kMi;
using testing::FaultCounts;
using testing::Faults;
using testing::with_faults;

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
    options.kind = ResidencyOptions::Kind::Stream;
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

class FaultRuns : public Streamed {};

// FATHOM_FAULT_RUNS=1000 makes it a thousand runs.
TEST_F(FaultRuns, ADiskThatFailsNeverLeadsToAWrongAnswer) {
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
