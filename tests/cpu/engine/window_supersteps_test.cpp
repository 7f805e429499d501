// Windows in one run of a team whose threads go on in orders that are drawn: shortest paths, with
// supersteps of the test's own where a run ends, against Dijkstra's.
#include "fathom/ops/window_supersteps.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "fathom/algorithms/sssp/functors.hpp"
#include "tests/suites/fiber_lanes.hpp"

namespace fathom {
namespace {

using testing::Fibers;

constexpr std::uint32_t kTeam = 24;
constexpr EdgeId kLongForTest = 30;
constexpr std::uint64_t kMostSwitches = 2000000;
constexpr float kFar = std::numeric_limits<float>::infinity();

/// Lists of a random graph, in which some vertices have many edges, behind another a long path.
struct Weighted {
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<Weight> weight;

  Weighted(VertexId wild, VertexId path, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (VertexId v = 0; v < wild + path; ++v) {
      if (v < wild)
        for (std::uint64_t e = v % 7 == 0 ? 15 + v % 24 : random() % 4; e > 0; --e)
          add(static_cast<VertexId>(random() % wild), random);
      if (v == 0) add(wild, random);
      if (v >= wild && v + 1 < wild + path) add(v + 1, random);
      offset.push_back(target.size());
    }
  }
  VertexId vertices() const { return static_cast<VertexId>(offset.size() - 1); }

  std::vector<float> distances() const {
    std::vector<float> distance(vertices(), kFar);
    using Entry = std::pair<float, VertexId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distance[0] = 0;
    for (queue.push({0.f, 0}); !queue.empty();) {
      const auto [its, u] = queue.top();
      queue.pop();
      if (its > distance[u]) continue;
      for (EdgeId e = offset[u]; e < offset[u + 1]; ++e) {
        const float candidate = its + weight[e];
        if (candidate < distance[target[e]])
          queue.push({distance[target[e]] = candidate, target[e]});
      }
    }
    return distance;
  }

 private:
  void add(VertexId v, std::mt19937_64& random) {
    target.push_back(v);
    weight.push_back(static_cast<Weight>(random() % 100));
  }
};

/// A fiber of a team that meets at a barrier, and may go on to another at every step.
struct FiberTeam {
  struct Meeting {
    std::uint32_t arrived = 0, round = 0;
  };
  std::uint32_t me;
  Meeting* meeting;
  std::vector<VertexId> appended{};

  std::uint32_t rank() const { return me; }
  void barrier() const {
    const std::uint32_t round = meeting->round;
    if (++meeting->arrived == kTeam) {
      meeting->arrived = 0;
      ++meeting->round;
    }
    while (meeting->round == round) Fibers::wait();
  }
  void append(VertexId v) {
    appended.push_back(v);
    Fibers::interleave();
  }
  void flush(VertexId* list, std::uint32_t& size, std::uint32_t most) {
    for (const VertexId v : appended) {
      Fibers::interleave();
      if (size < most) list[size] = v;
      ++size;
    }
    appended.clear();
  }
  template <class Key>
  void lower_by_all(Key& to, Key x) const {
    Fibers::interleave();
    lower(to, x);
  }
  template <class WordOf, class FateOf, class Store>
  void sift(std::uint32_t words, const WordOf& word, const FateOf& fate, const Store& store) const {
    for (std::uint32_t w = me; w < words; w += kTeam) {
      Fibers::interleave();
      std::uint32_t taken = 0, dropped = 0;
      const std::uint32_t bits = word(w);
      if (bits == 0) continue;
      detail::sift_word(w, bits, fate, taken, dropped);
      store(w, bits, taken, dropped);
    }
  }
  template <class E, class Take, class PutOff, class Walk>
  void walk_lists(const E& edges, const VertexId* list, std::uint32_t n, const Take& take,
                  const PutOff& put_off, const Walk& walk) const {
    for (std::uint32_t i = me; i < n; i += kTeam) {
      Fibers::interleave();
      const auto its = edges.begin(list[i]);
      take(list[i]);
      Fibers::interleave();
      if (length_of(its) > kLongForTest)
        put_off(list[i]);
      else
        walk(OneLane{}, list[i], its);
    }
  }
};

/// Relaxes an edge; another thread may go on before and after.
struct YieldingRelax : Relax<float> {
  bool visit(VertexId u, VertexId v, float w) const {
    Fibers::interleave();
    const bool fell = Relax<float>::visit(u, v, w);
    Fibers::interleave();
    return fell;
  }
};

std::uint32_t count(const std::vector<std::uint32_t>& bits) {
  std::uint32_t sum = 0;
  for (const std::uint32_t word : bits) sum += static_cast<std::uint32_t>(std::popcount(word));
  return sum;
}

struct Limits {
  std::uint32_t most, most_steps;
  float width;
};

void search_by_runs(const Weighted& graph, const Limits& limits, std::uint64_t seed) {
  const VertexId n = graph.vertices();
  std::vector<float> distance(n, kFar);
  distance[0] = 0;
  std::uint32_t bad_weight = 0;
  const YieldingRelax relax{{distance.data(), &bad_weight}};
  const FlatEdges edges{graph.offset.data(), graph.target.data(), graph.weight.data()};
  const auto words = static_cast<std::uint32_t>(n / 32 + 1);
  std::vector<std::uint32_t> far(words), near[2] = {far, far};
  std::vector<VertexId> list[2];
  for (auto& its : list) its.resize(limits.most);
  near[0][0] = 1;
  WindowState<float> state{};
  state.width = state.least_width = limits.width;
  state.step_cost = 8;
  state.vertex_cost = 1;
  for (float& lowest : state.lowest) lowest = kFar;
  for (int runs = 0;; ++runs) {
    ASSERT_LT(runs, 10000) << "no end";
    SCOPED_TRACE("run " + std::to_string(runs));
    const WindowRoom room{far.data(),
                          {near[0].data(), near[1].data()},
                          {list[0].data(), list[1].data()},
                          words,
                          limits.most};
    state.begin_run();
    FiberTeam::Meeting meeting;
    Fibers fibers(seed + static_cast<std::uint64_t>(runs));
    ASSERT_TRUE(fibers.run_each(kTeam, kMostSwitches, [&](std::uint32_t i) {
      FiberTeam team{i, &meeting};
      walk_windows(team, edges, relax, distance.data(), room, &state, limits.most_steps);
    })) << "threads wait for others that have left";
    if (state.steps % 2 != 0) std::swap(near[0], near[1]);
    ASSERT_EQ(count(near[0]), state.left());
    ASSERT_EQ(count(near[1]), 0u);
    if (state.done()) break;
    const bool must_end = state.left() > limits.most || state.left_long();
    ASSERT_TRUE(must_end || state.steps == limits.most_steps) << "a run ended for no reason";
    if (!must_end) continue;
    for (VertexId u = 0; u < n; ++u) {
      if ((near[0][u / 32] >> u % 32 & 1) == 0) continue;
      ASSERT_LE(distance[u], state.bound);
      for (EdgeId e = graph.offset[u]; e < graph.offset[u + 1]; ++e)
        if (const VertexId v = graph.target[e]; relax.visit(u, v, graph.weight[e]))
          near[1][v / 32] |= 1u << v % 32;
    }
    near[0].assign(words, 0);
    std::swap(near[0], near[1]);
  }
  EXPECT_EQ(distance, graph.distances());
  for (std::uint32_t w = 0; w < words; ++w) EXPECT_EQ(far[w], 0u);
}

TEST(WindowSupersteps, FindShortestPathsInAnyOrderOfThreads) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Weighted graph(static_cast<VertexId>(100 + 37 * seed), 60, seed);
    for (const Limits& limits :
         {Limits{1000, 1000, 10}, Limits{20, 1000, 10}, Limits{1000, 3, 40}, Limits{3, 1, 1},
          Limits{50, 1000, 1e6f}, Limits{1000, 1000, .25f}}) {
      search_by_runs(graph, limits, seed * 100);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(WindowSupersteps, WidenWhileThatPays) {
  WindowState<float> state{};
  state.width = state.least_width = 1;
  state.step_cost = 100;
  state.rest = kRest;
  state.cost = 100;
  float from = 0;
  for (int window = 0; window < 20; ++window) {
    from += state.width;
    detail::begin_window(state, from);
    state.took(0);
  }
  EXPECT_GT(state.width, 1000);  // each costs the same, and gets farther
  state.vertex_cost = 1;
  for (int window = 0; window < 40; ++window) {
    from += state.width;
    detail::begin_window(state, from);
    state.took(static_cast<std::uint32_t>(state.width * state.width));
  }
  EXPECT_LE(state.width, 64);  // the best is between 8 and 16
  EXPECT_GE(state.width, 2);
}

}  // namespace
}  // namespace fathom
