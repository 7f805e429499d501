// Analyses by priority: who goes first, who does not go at all, and what becomes of snapshots.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/dynamic/views/analysis_queue.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::testing {
namespace {

/// With weights: even its lists have pages.
DynamicGraph three_vertices(const Context& ctx) {
  DynamicGraph graph(
      ctx,
      {.directed = false, .edges = EdgeKind::Weighted, .memory = 1 << 22, .most_vertices = 100});
  const std::vector<EdgeUpdate> updates{EdgeUpdate::insert(0, 1)};
  graph.apply({3, updates, {}});
  return graph;
}

TEST(AnalysisQueue, takes_the_most_urgent_first_and_of_equals_the_oldest) {
  const Context ctx = Context::cpu();
  const DynamicGraph graph = three_vertices(ctx);
  std::vector<int> order;
  std::latch begin(1), occupied(1);
  {
    AnalysisQueue queue({.workers = 1});
    queue.submit(graph.snapshot(), 0, [&](const Context&, const Snapshot&) {
      occupied.count_down();
      begin.wait();
    });
    occupied.wait();
    const int priorities[] = {1, 5, 1, 7, 5};
    for (int i = 0; i < 5; ++i)
      queue.submit(graph.snapshot(), priorities[i],
                   [&, i](const Context&, const Snapshot&) { order.push_back(i); });
    EXPECT_EQ(queue.waiting(), 5u);
    begin.count_down();
    queue.wait_for_all();
    EXPECT_EQ(queue.waiting(), 0u);
  }
  EXPECT_EQ(order, (std::vector<int>{3, 1, 4, 0, 2}));
}

/// Comes to be true within a time that no machine is too slow for.
template <class Condition>
bool soon(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(AnalysisQueue, runs_as_many_at_once_as_it_has_workers) {
  const Context ctx = Context::cpu();
  const DynamicGraph graph = three_vertices(ctx);
  for (const int workers : {1, 3}) {
    std::atomic<int> running{0}, most{0};
    std::atomic<bool> may_end{false};
    AnalysisQueue queue({.workers = workers});
    for (int i = 0; i < workers + 4; ++i)
      queue.submit(graph.snapshot(), i, [&](const Context&, const Snapshot&) {
        const int now = ++running;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        while (!may_end) std::this_thread::yield();
        --running;
      });
    EXPECT_TRUE(soon([&] { return running == workers; })) << running << " run";
    // Nobody else begins: what has not by now waits for a worker.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(queue.waiting(), 4u);
    may_end = true;
    queue.wait_for_all();
    EXPECT_EQ(most, workers);
    EXPECT_EQ(running, 0);
  }
}

TEST(AnalysisQueue, an_analysis_sees_its_snapshot_and_gives_it_back) {
  const Context ctx = Context::cpu();
  DynamicGraph graph = three_vertices(ctx);
  VertexId components = 0;
  AnalysisQueue queue;
  std::latch begin(1);
  const Analysis a =
      queue.submit(graph.snapshot(), 0, [&](const Context& mine, const Snapshot& shot) {
        begin.wait();
        components = connected_components(mine, shot.graph()).components;
      });
  const std::vector<EdgeUpdate> more{EdgeUpdate::insert(1, 2)};
  graph.apply({0, more, {}});
  EXPECT_GT(graph.memory().snapshot_bytes, 0u);
  begin.count_down();
  a.wait();
  EXPECT_EQ(a.state(), AnalysisState::Done);
  EXPECT_EQ(components, 2u);
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
}

TEST(AnalysisQueue, a_cancelled_analysis_does_not_begin_or_stops_at_its_next_superstep) {
  const Context ctx = Context::cpu();
  DynamicGraph graph = three_vertices(ctx);
  AnalysisQueue queue({.workers = 1});
  std::latch occupied(1);
  bool began = false;
  const Analysis runs =
      queue.submit(graph.snapshot(), 0, [&](const Context& mine, const Snapshot& shot) {
        occupied.count_down();
        while (true) connected_components(mine, shot.graph()), mine.task().check();
      });
  const Analysis waits =
      queue.submit(graph.snapshot(), 9, [&](const Context&, const Snapshot&) { began = true; });
  occupied.wait();
  EXPECT_EQ(runs.state(), AnalysisState::Running);
  if (waits.state() == AnalysisState::Waiting) {
    waits.cancel();
    EXPECT_EQ(waits.state(), AnalysisState::Cancelled);
    expect_error(
        ErrorCode::Interrupted, [&] { waits.wait(); }, "before it began");
  }
  runs.cancel();
  expect_error(
      ErrorCode::Interrupted, [&] { runs.wait(); }, "interrupted");
  EXPECT_EQ(runs.state(), AnalysisState::Cancelled);
  queue.wait_for_all();
  const std::vector<EdgeUpdate> more{EdgeUpdate::insert(1, 2)};
  graph.apply({0, more, {}});
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
  EXPECT_EQ(began, waits.state() == AnalysisState::Done);
}

TEST(AnalysisQueue, tells_what_an_analysis_threw) {
  const Context ctx = Context::cpu();
  const DynamicGraph graph = three_vertices(ctx);
  AnalysisQueue queue;
  const Analysis a = queue.submit(graph.snapshot(), 0, [](const Context&, const Snapshot&) {
    throw Error(ErrorCode::BadInput, "not this one");
  });
  expect_error(
      ErrorCode::BadInput, [&] { a.wait(); }, "not this one");
  EXPECT_EQ(a.state(), AnalysisState::Failed);
  expect_error(
      ErrorCode::Usage, [] { AnalysisQueue({.workers = 0}); }, "worker");
}

TEST(AnalysisQueue, that_goes_cancels_what_waits_and_what_runs) {
  const Context ctx = Context::cpu();
  const DynamicGraph graph = three_vertices(ctx);
  std::latch occupied(1);
  std::vector<Analysis> all;
  {
    AnalysisQueue queue({.workers = 1});
    all.push_back(queue.submit(graph.snapshot(), 1, [&](const Context& mine, const Snapshot&) {
      occupied.count_down();
      while (true) mine.task().check(), std::this_thread::yield();
    }));
    occupied.wait();
    all.push_back(queue.submit(graph.snapshot(), 0, [](const Context&, const Snapshot&) {}));
  }
  for (const Analysis& a : all) EXPECT_EQ(a.state(), AnalysisState::Cancelled);
}

TEST(AnalysisQueue, that_goes_cancels_what_an_analysis_that_runs_submits) {
  const Context ctx = Context::cpu();
  DynamicGraph graph = three_vertices(ctx);
  std::latch occupied(1);
  std::optional<Analysis> late;
  bool began = false;
  {
    AnalysisQueue queue({.workers = 1});
    queue.submit(graph.snapshot(), 0, [&](const Context& mine, const Snapshot& shot) {
      occupied.count_down();
      while (!mine.task().stop.stop_requested()) std::this_thread::yield();
      late = queue.submit(shot, 0, [&](const Context&, const Snapshot&) { began = true; });
    });
    occupied.wait();
  }
  ASSERT_TRUE(late);
  ASSERT_EQ(late->state(), AnalysisState::Cancelled);
  expect_error(
      ErrorCode::Interrupted, [&] { late->wait(); }, "before it began");
  EXPECT_FALSE(began);
  const std::vector<EdgeUpdate> more{EdgeUpdate::insert(1, 2)};
  graph.apply({0, more, {}});
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
}

TEST(AnalysisQueue, a_callback_of_the_stop_may_ask_for_the_analysis_and_cancel_it) {
  const Context ctx = Context::cpu();
  const DynamicGraph graph = three_vertices(ctx);
  AnalysisQueue queue({.workers = 1});
  std::latch known(1), occupied(1);
  std::optional<Analysis> runs;
  AnalysisState seen = AnalysisState::Failed;
  std::size_t waiting = 0;
  runs = queue.submit(graph.snapshot(), 0, [&](const Context& mine, const Snapshot&) {
    known.wait();
    const std::stop_callback asks(mine.task().stop, [&] {
      seen = runs->state();
      runs->cancel();
      waiting = queue.waiting();
    });
    occupied.count_down();
    while (true) mine.task().check(), std::this_thread::yield();
  });
  known.count_down();
  occupied.wait();
  const Analysis next = queue.submit(graph.snapshot(), 0, [](const Context&, const Snapshot&) {});
  runs->cancel();
  expect_error(ErrorCode::Interrupted, [&] { runs->wait(); });
  EXPECT_EQ(seen, AnalysisState::Running);
  EXPECT_EQ(waiting, 1u);
  next.wait();
}

}  // namespace
}  // namespace fathom::testing
