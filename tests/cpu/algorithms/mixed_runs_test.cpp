// Algorithms one after the other on one graph whose devices have little memory: what one of them
// has left in frames and caches is no loss to the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/random.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/spare_memory.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/every_algorithm.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::every_algorithm;
using testing::EveryAlgorithm;
using testing::to_vector;

constexpr VertexId kMixedVertices = 2000;

zoo::RawGraph mixed_graph() {
  zoo::RawGraph raw;
  raw.name = "mixed";
  raw.vertices = kMixedVertices;
  raw.edges = zoo::random_edges(kMixedVertices, 32 * kMixedVertices, 7);
  zoo::Dice dice(3);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 + dice.roll(9)));
  return raw;
}

Configuration bytes_per_vertex(std::size_t bytes) {
  Configuration c;
  c.cpu.threads = 1;
  c.cpu.devices = 1;
  c.cpu.device_memory = bytes * kMixedVertices;
  c.residency.kind = ResidencyOptions::Kind::Stream;
  c.residency.paging.page_bytes = 2048;
  c.residency.paging.strategy = Strategy::Performance;
  return c;
}

BetweennessOptions eight_sources() {
  BetweennessOptions options;
  for (VertexId s = 0; s < 8; ++s) options.sources.push_back(10 * s + 3);
  return options;
}

/// A run, as numbers that equal runs have in common.
struct MixedRun {
  const char* name;
  std::function<std::vector<double>(const Context&, const Graph&)> run;
};

template <class T>
std::vector<double> numbers(const Array<T>& a) {
  return {a.begin(), a.end()};
}

std::vector<MixedRun> mixed_runs() {
  const auto source = std::array<VertexId, 1>{5};
  return {
      {"bfs", [=](const Context& c, const Graph& g) { return numbers(bfs(c, g, source).depth); }},
      {"bc", [](const Context& c,
                const Graph& g) { return numbers(betweenness(c, g, eight_sources()).centrality); }},
      {"sssp", [](const Context& c, const Graph& g) { return numbers(sssp(c, g, 5).distance); }},
      {"radius",
       [](const Context& c, const Graph& g) {
         return numbers(estimate_radius(c, g, {}).effective_radius);
       }},
      {"pagerank", [](const Context& c, const Graph& g) { return numbers(pagerank(c, g).rank); }},
      {"cc",
       [](const Context& c, const Graph& g) { return numbers(connected_components(c, g).label); }},
      {"kcore", [](const Context& c, const Graph& g) { return numbers(kcore(c, g).core); }}};
}

TEST(MixedRuns, KeepTheBatchOfSourcesThatOneHasAlone) {
  const Configuration c = bytes_per_vertex(320);
  const auto batch_after = [&](const std::vector<const char*>& before) {
    const Context ctx = c.context();
    const Graph graph = testing::place(ctx, c, mixed_graph());
    for (const char* name : before)
      for (const MixedRun& run : mixed_runs())
        if (std::string(run.name) == name) run.run(ctx, graph);
    return betweenness(ctx, graph, eight_sources()).batch;
  };
  const int alone = batch_after({});
  EXPECT_EQ(alone, 4);
  EXPECT_EQ(batch_after({"bfs"}), alone);
  EXPECT_EQ(batch_after({"sssp", "pagerank"}), alone);
  EXPECT_EQ(batch_after({"radius", "bc", "bfs"}), alone);
}

TEST(MixedRuns, InAnyOrderAnswerAsTheyDoAloneInsideTheBudget) {
  const Configuration c = bytes_per_vertex(320);
  const std::vector<MixedRun> runs = mixed_runs();
  std::vector<std::vector<double>> alone;
  for (const MixedRun& run : runs) {
    const Context ctx = c.context();
    alone.push_back(run.run(ctx, testing::place(ctx, c, mixed_graph())));
  }
  const Context ctx = c.context();
  const Graph graph = testing::place(ctx, c, mixed_graph());
  const Graph other = testing::place(ctx, c, mixed_graph());  // of the same device
  const RandomStream random(20, 0);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const std::size_t i = random.at(round) % runs.size();
    SCOPED_TRACE(std::string(runs[i].name) + " in round " + std::to_string(round));
    const std::vector<double> found = runs[i].run(ctx, round % 3 == 2 ? other : graph);
    ASSERT_EQ(found.size(), alone[i].size());
    for (std::size_t v = 0; v < found.size(); ++v)
      ASSERT_TRUE(found[v] == alone[i][v] ||
                  std::abs(found[v] - alone[i][v]) <= 1e-5 * (1 + std::abs(alone[i][v])))
          << found[v] << " and alone " << alone[i][v] << " at " << v;
    ASSERT_LE(ctx.peak_device_bytes(), c.cpu.device_memory);
  }
}

// More than all tables of pages here: of lists that another run read, they do not give way.
constexpr std::size_t kTables = 4096;

/// Where there is little memory: of one device, or of the host.
struct TightPlace {
  const char* name;
  int devices;
  bool slotted;
  ResidencyOptions::Kind kind;
  Configuration with(std::size_t bytes) const {
    Configuration c;
    c.cpu.threads = 1;
    c.cpu.devices = devices;
    (devices > 0 ? c.cpu.device_memory : c.cpu.host_memory) = bytes;
    c.residency.kind = kind;
    c.residency.paging.page_bytes = 2048;
    c.slotted = slotted;
    return c;
  }
};

class InTheLeastBudget : public ::testing::TestWithParam<TightPlace> {
 protected:
  InTheLeastBudget() {
    zoo::RawGraph raw = mixed_graph();
    raw.directed = true;
    raw.edges.resize(4 * kMixedVertices);
    raw.weights.resize(raw.edges.size());
    lists_ = zoo::build(raw);
  }
  Graph place(const Context& ctx, const Configuration& c) const {
    const CsrView out = lists_.out.view(), in = lists_.in->view();
    return c.place(ctx, out, &in, true);
  }
  /// Why it does not fit; empty: it does.
  static std::string refusal(const Context& ctx, const Graph& graph,
                             const EveryAlgorithm& algorithm) {
    try {
      algorithm.run(ctx, graph, nullptr);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::DoesNotFit) << error.what();
      return error.what();
    }
  }
  bool fits(const Configuration& c, const EveryAlgorithm& algorithm) const {
    const Context ctx = c.context();
    return refusal(ctx, place(ctx, c), algorithm).empty();
  }
  /// The least budget in which it runs alone, to half a page.
  std::size_t least(const EveryAlgorithm& algorithm) const {
    std::size_t low = 0, high = std::size_t{1} << 22;
    while (high - low > 1024) {
      const std::size_t middle = (low + high) / 2;
      (fits(GetParam().with(middle), algorithm) ? high : low) = middle;
    }
    return high;
  }

  graph::BuiltGraph lists_;
};

TEST_P(InTheLeastBudget, OneAfterTheOtherRunsWhereEachDoesAlone) {
  std::vector<EveryAlgorithm> all;
  for (const EveryAlgorithm& algorithm : every_algorithm())
    if (!algorithm.name.starts_with("order_")) all.push_back(algorithm);
  std::vector<std::size_t> needs;
  for (const EveryAlgorithm& algorithm : all) needs.push_back(least(algorithm));
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      const std::size_t budget = std::max(needs[a], needs[b]) + kTables;
      const Configuration c = GetParam().with(budget);
      const Context ctx = c.context();
      const Graph graph = place(ctx, c);
      for (const std::size_t i : {a, b, a})
        EXPECT_EQ(refusal(ctx, graph, all[i]), "")
            << all[i].name << " of " << all[a].name << " and " << all[b].name << " in " << budget
            << " bytes";
    }
}

TEST_P(InTheLeastBudget, CertificatesLeaveNothingBehind) {
  const auto named = [](const std::string& name) {
    for (const EveryAlgorithm& algorithm : every_algorithm())
      if (algorithm.name == name) return algorithm;
    return EveryAlgorithm{};
  };
  const EveryAlgorithm counted = named("triangles_total"), ranked = named("pagerank");
  const std::size_t needs = std::max(least(counted), least(ranked)) + kTables;
  for (const char* const name : {"bfs", "components", "kcore", "degrees"}) {
    const EveryAlgorithm first = named(name);
    SCOPED_TRACE(name);
    // With the certificate on the same handle, which sweeps outside of any run.
    std::size_t enough = needs;
    const auto verified = [&](const Context& ctx, const Graph& graph) {
      try {
        const testing::Verifier here{ctx, graph};
        first.run(ctx, graph, &here);
        return true;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DoesNotFit) << error.what();
        return false;
      }
    };
    const auto verified_alone = [&] {
      const Configuration c = GetParam().with(enough);
      const Context ctx = c.context();
      return verified(ctx, place(ctx, c));
    };
    while (enough < std::size_t{1} << 22 && !verified_alone()) enough += 4096;
    const Configuration c = GetParam().with(enough + kTables);
    const Context ctx = c.context();
    const Graph graph = place(ctx, c);
    ASSERT_TRUE(verified(ctx, graph));
    EXPECT_EQ(refusal(ctx, graph, counted), "");
    ASSERT_TRUE(verified(ctx, graph));
    EXPECT_EQ(refusal(ctx, graph, ranked), "");
  }
}

// What a handle lets go is never more than there is, so that who sizes state by it gets it.
TEST_P(InTheLeastBudget, IsNotCountedTwice) {
  for (const std::size_t limit : {std::size_t{1} << 22, MemoryPool::kUnlimited}) {
    const Configuration c = GetParam().with(limit);
    const Context ctx = c.context();
    const Graph graph = place(ctx, c);
    MemoryPool& pool = *(c.cpu.devices > 0 ? ctx.devices()[0].memory() : ctx.host_memory());
    const int batch = betweenness(ctx, graph, eight_sources()).batch;
    EXPECT_EQ(batch, 8);
    for (int round = 0; round < 3; ++round) {
      count_triangles(ctx, graph);
      const std::size_t all = obtainable(pool);
      ASSERT_LE(all, pool.limit());
      if (limit != MemoryPool::kUnlimited) {
        EXPECT_NO_THROW(Array<std::byte>(
            all, c.cpu.devices > 0 ? ctx.devices()[0].memory() : ctx.host_memory()));
      }
      EXPECT_EQ(betweenness(ctx, graph, eight_sources()).batch, batch);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Places, InTheLeastBudget,
    ::testing::Values(TightPlace{"host", 0, false, ResidencyOptions::Kind::Auto},
                      TightPlace{"host_streamed", 0, false, ResidencyOptions::Kind::Stream},
                      TightPlace{"host_slotted", 0, true, ResidencyOptions::Kind::Auto},
                      TightPlace{"device", 1, false, ResidencyOptions::Kind::Stream},
                      TightPlace{"two_devices", 2, false, ResidencyOptions::Kind::Stream},
                      TightPlace{"device_slotted", 1, true, ResidencyOptions::Kind::Stream}),
    [](const auto& of) { return std::string(of.param.name); });

// A pass of a sweep outside of any run, in which runs on another graph of the memory begin and end.
TEST(MixedRuns, EndWithoutTheOffsetsOfASweepThatGoesOn) {
  zoo::RawGraph raw = mixed_graph();
  raw.edges.resize(2 * kMixedVertices);
  raw.weights.clear();
  const graph::BuiltGraph built = zoo::build(raw);
  std::size_t refused = 0;
  for (const int devices : {0, 1})
    for (std::size_t kib = 60; kib <= 160; kib += 10) {
      SCOPED_TRACE(std::to_string(kib) + " KiB of " + std::to_string(devices) + " devices");
      Configuration c =
          TightPlace{"", devices, false, ResidencyOptions::Kind::Stream}.with(kib << 10);
      c.residency.paging.frames = 2;
      const Context ctx = c.context();
      const Graph swept = testing::place(ctx, c, raw), other = testing::place(ctx, c, raw);
      EdgeSource& source = swept.out();
      Frontier all(ctx, raw.vertices);
      all.fill();
      EdgeId shown = 0;
      source.sweep(ctx, all, {}, [&](const Pass& pass) {
        for (int run = 0; run < 2; ++run) try {
            kcore(ctx, other);
          } catch (const Error& error) {
            ASSERT_EQ(error.code(), ErrorCode::DoesNotFit) << error.what();
            ++refused;
          }
        ASSERT_GE(source.split_edges()->held_on(pass.device),
                  (std::size_t{raw.vertices} + 1) * sizeof(EdgeId));
        const auto& view = std::get<PagedEdges>(pass.edges);
        ctx.launch(pass.device, [&] {
          for (VertexId v = pass.first; v < pass.last; ++v) {
            ASSERT_EQ(view.offset[v], built.out.view().offset[v]);
            auto cursor = view.begin(v);
            for (PagedEdges::Span span; view.next(cursor, span);) shown += span.size;
          }
        });
      });
      EXPECT_EQ(shown, built.out.view().edges);
    }
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace fathom
