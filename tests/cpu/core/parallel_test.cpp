#include "fathom/core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

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

/// Long enough that a loop of several such chunks calls its team.
void take_long() {
  std::this_thread::sleep_for(std::chrono::microseconds(40));
}

TEST(ParallelFor, EndsEachShareOnceBehindItsLastChunk) {
  for (const int workers : {1, 2, 5}) {
    std::mutex mutex;
    std::vector<int> chunks(static_cast<std::size_t>(workers), 0);
    std::multiset<int> ended;
    parallel_for(
        workers, 40, 1,
        [&](std::size_t, std::size_t, int worker) {
          take_long();
          const std::lock_guard lock(mutex);
          EXPECT_EQ(ended.count(worker), 0u);
          ++chunks[static_cast<std::size_t>(worker)];
        },
        [&](int worker) {
          const std::lock_guard lock(mutex);
          ended.insert(worker);
        });
    EXPECT_EQ(ended.count(0), 1u);
    for (int w = 0; w < workers; ++w) {
      EXPECT_LE(ended.count(w), 1u);
      if (chunks[static_cast<std::size_t>(w)] > 0) {
        EXPECT_EQ(ended.count(w), 1u);
      }
    }
  }
}

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(ParallelForNear, CoversEveryIndexOnceForAnyGrainAndTeam) {
  for (const int workers : {1, 2, 5})
    for (const std::size_t n : {0u, 1u, 63u, 1000u})
      for (const std::size_t grain : {1u, 7u, 64u, 5000u}) {
        std::vector<int> seen(n, 0);
        std::atomic<bool> once = false;
        parallel_for_near(workers, n, grain, [&](std::size_t first, std::size_t last, int worker) {
          EXPECT_LE(last - first, grain);
          EXPECT_LT(worker, workers);
          if (!once.exchange(true)) take_long();  // others have work left
          for (std::size_t i = first; i < last; ++i) ++seen[i];
        });
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));
      }
}

TEST(ParallelForNear, WhoIsDoneHelpsWhoIsNot) {
  constexpr std::size_t kChunks = 41;  // the first one is taken before there are shares of 20
  const std::thread::id caller = std::this_thread::get_id();
  bool helped = false;
  for (int trial = 0; trial < 200 && !helped; ++trial) {
    std::atomic<std::size_t> done{0};
    std::vector<int> worker_of(kChunks, -1);
    parallel_for_near(2, kChunks, 1, [&](std::size_t i, std::size_t, int worker) {
      take_long();
      worker_of[i] = worker;
      // The other thread is held up where its share begins, until the caller has done the rest.
      if (i == 21 && std::this_thread::get_id() != caller)
        while (done < kChunks - 1) std::this_thread::yield();
      ++done;
    });
    ASSERT_EQ(done, kChunks);
    helped = worker_of[21] == 1;
    if (!helped) continue;  // there was no other thread in time: the caller did all of it
    EXPECT_EQ(std::count(worker_of.begin(), worker_of.end(), 0), 40);
  }
  EXPECT_TRUE(helped);
}

TEST(ParallelForNear, RethrowsAWorkersException) {
  EXPECT_THROW(parallel_for_near(3, 100, 1,
                                 [](std::size_t i, std::size_t, int) {
                                   if (i == 50) throw std::runtime_error("fifty");
                                   take_long();
                                 }),
               std::runtime_error);
}

TEST(ParallelFor, AShortLoopStartsNoThread) {
  // Whatever interrupts one loop for so long that it calls its team does not interrupt all of them.
  bool alone = false;
  for (int trial = 0; trial < 200 && !alone; ++trial)
    std::thread([&] {  // whose team is new
      const std::size_t before = threads_of_this_process();
      std::vector<int> seen(64, 0);
      parallel_for(4, seen.size(), 8, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t i = first; i < last; ++i) ++seen[i];
      });
      alone = threads_of_this_process() == before;
    })
        .join();
  EXPECT_TRUE(alone);
}

TEST(ParallelFor, ALoopInsideABodyRunsOnItsThread) {
  std::mutex mutex;
  std::size_t covered = 0;
  parallel_run(3, [&](int) {
    const std::thread::id me = std::this_thread::get_id();
    parallel_for(3, 30, 1, [&](std::size_t, std::size_t, int worker) {
      take_long();
      const std::lock_guard lock(mutex);
      EXPECT_EQ(std::this_thread::get_id(), me);
      EXPECT_LT(worker, 3);
      ++covered;
    });
  });
  EXPECT_EQ(covered, 90u);
}

TEST(ParallelFor, LoopsOfSeveralThreadsDoNotMeet) {
  std::vector<std::jthread> callers;
  std::vector<std::size_t> sum(4, 0);
  for (std::size_t c = 0; c < sum.size(); ++c)
    callers.emplace_back([&, c] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::size_t> mine{0};
        parallel_for(3, 60, 1, [&](std::size_t i, std::size_t, int) {
          if (i % 20 == 0) take_long();
          mine += i;
        });
        sum[c] += mine;
      }
    });
  callers.clear();
  for (const std::size_t s : sum) EXPECT_EQ(s, 200u * 59 * 60 / 2);
}

#if !defined(__SANITIZE_THREAD__)  // which stops at the first lock a child takes
TEST(ParallelRun, TheCallerDoesWhatNobodyElseBegins) {
  parallel_run(4, [](int) { take_long(); });  // there is a team now
  const pid_t child = fork();                 // and here the caller is all that is left of it
  if (child == 0) {
    alarm(20);
    int calls[4] = {};
    parallel_run(4, [&](int worker) { ++calls[worker]; });
    _exit(calls[0] == 1 && calls[1] == 1 && calls[2] == 1 && calls[3] == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "hung, or left out a worker";
}
#endif

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
