#include "fathom/core/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fathom/core/array.hpp"
#include "fathom/core/memory_pool.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

TEST(ParallelFor, CoversEveryIndexOnceForAnyGrainAndTeam) {
  for (const int workers : {1, 2, 5})
    for (const std::size_t grain : {1u, 7u, 64u, 5000u}) {
      std::vector<int> seen(1000, 0);
      parallel_for(workers, seen.size(), grain, [&](std::size_t first, std::size_t last, int) {
        EXPECT_EQ(first % grain, 0u);
        for (std::size_t i = first; i < last; ++i) ++seen[i];
      });
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 1000) << workers << " " << grain;
    }
}

TEST(ParallelFor, RethrowsAWorkersException) {
  EXPECT_THROW(parallel_for(3, 100, 1,
                            [](std::size_t i, std::size_t, int) {
                              if (i == 50) throw std::runtime_error("fifty");
                            }),
               std::runtime_error);
}

TEST(ParallelReduce, DoesNotDependOnTheNumberOfWorkers) {
  auto sum = [](int workers) {
    return parallel_reduce(
        workers, 10000, 64, 0.0,
        [](std::size_t first, std::size_t last) {
          double s = 0;
          for (std::size_t i = first; i < last; ++i) s += 1.0 / static_cast<double>(i + 1);
          return s;
        },
        [](double a, double b) { return a + b; });
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(7));
}

TEST(MemoryPool, RefusesWhatExceedsTheLimitAndNamesTheBudgetThatWouldDo) {
  MemoryPool pool("device 0", 1000);
  void* p = pool.allocate(600);
  const std::string message = expect_error(
      ErrorCode::DoesNotFit, [&] { pool.allocate(500); }, "device 0");
  EXPECT_NE(message.find("at least 2 KiB"), std::string::npos)
      << message;  // 1,100 bytes, rounded up
  pool.release(p, 600);
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_EQ(pool.peak(), 600u);
}

TEST(Array, CountsAgainstItsPoolWhileItLives) {
  auto pool = std::make_shared<MemoryPool>("host memory", std::size_t{64} << 20);
  {
    Array<double> a(1 << 20, 1.5, pool);
    EXPECT_EQ(pool->used(), std::size_t{8} << 20);
    Array<double> b = std::move(a);
    EXPECT_EQ(b[(1 << 20) - 1], 1.5);
    EXPECT_EQ(pool->used(), std::size_t{8} << 20);
  }
  EXPECT_EQ(pool->used(), 0u);
}

}  // namespace
}  // namespace fathom
