// Analyses on snapshots while batches are applied: each sees the graph as it was after some batch,
// by a history that was recorded without them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fathom/fathom.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kSharedVertices = 300;
constexpr int kBatches = 1000;

std::vector<EdgeUpdate> batch_number(int b) {
  zoo::Dice dice(static_cast<std::uint64_t>(b) + 1);
  std::vector<EdgeUpdate> updates;
  for (int i = 0; i < 20; ++i) {
    EdgeUpdate e{dice.roll(kSharedVertices), dice.roll(kSharedVertices), 1, dice.roll(2) == 0};
    if (i % 5 == 0) e.source = 0;  // a hub
    updates.push_back(e);
  }
  return updates;
}

struct Seen {
  EdgeId edges = 0;
  VertexId components = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen look_at(const Context& ctx, const Graph& graph) {
  return {graph.edges(), static_cast<VertexId>(connected_components(ctx, graph).components)};
}

class ConcurrentSnapshots : public ::testing::TestWithParam<DynamicLayoutKind> {};

TEST_P(ConcurrentSnapshots, see_the_graph_as_it_was_between_two_batches) {
  DynamicGraphOptions options;
  options.layout = GetParam();
  options.directed = false;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = kSharedVertices;
  CpuOptions cpu;
  cpu.threads = 1;
  const Context ctx = Context::cpu(cpu);
  std::vector<Seen> history;
  {
    DynamicGraph alone(ctx, options);
    for (int b = 0; b < kBatches; ++b) {
      alone.apply({b == 0 ? kSharedVertices : 0, batch_number(b), {}});
      history.push_back(look_at(ctx, alone.graph()));
    }
  }
  DynamicGraph graph(ctx, options);
  graph.apply({kSharedVertices, batch_number(0), {}});
  std::atomic<bool> finished{false};
  std::atomic<int> looks{0};
  {
    std::vector<std::jthread> analysts;
    for (int a = 0; a < 2; ++a)
      analysts.emplace_back([&] {
        const Context mine = Context::cpu(cpu);
        while (!finished) {
          const Snapshot shot = graph.snapshot();
          const Seen seen = look_at(mine, shot.graph());
          EXPECT_EQ(seen, history[shot.batches() - 1]) << "after batch " << shot.batches();
          ++looks;
        }
      });
    for (int b = 1; b < kBatches; ++b) graph.apply({0, batch_number(b), {}});
    while (looks < 4) std::this_thread::yield();
    finished = true;
  }
  EXPECT_EQ(look_at(ctx, graph.graph()), history.back());
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ConcurrentSnapshots,
                         ::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                           DynamicLayoutKind::Aim),
                         [](const auto& param) {
                           return std::string(param.param == DynamicLayoutKind::Ouro   ? "ouro"
                                              : param.param == DynamicLayoutKind::Faim ? "faim"
                                                                                       : "aim");
                         });

}  // namespace
}  // namespace fathom::testing
