// Snapshots of graphs that change on a GPU, read through other contexts while batches are applied:
// each is the graph after so many batches as a set of edges on the host has it. Skipped without a
// device.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/fathom.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kPeople = 1u << 12;
constexpr std::size_t kBatches = 60;

CudaOptions a_gpu() {
  CudaOptions options;
  options.device_memory = std::size_t{2} << 30;
  return options;
}

/// Batches, and the edges that there are after each, without duplicates: found one update after the
/// other, before there is any graph.
class KnownHistory {
 public:
  using Edges = std::vector<std::pair<VertexId, VertexId>>;  // ascending

  explicit KnownHistory(std::uint64_t seed) : dice_(seed) {
    for (std::size_t b = 0; b <= kBatches; ++b) {
      batch_.push_back(some_updates(b == 0 ? 30000 : 2000));
      for (const EdgeUpdate& u : batch_.back()) {
        if (u.deletion)
          now_.erase({u.source, u.target});
        else
          now_.insert({u.source, u.target});
      }
      known_.emplace_back(now_.begin(), now_.end());
    }
  }
  const std::vector<EdgeUpdate>& batch(std::size_t b) const { return batch_[b]; }
  /// After so many batches, the first of which makes the vertices.
  const Edges& after(std::uint64_t batches) const { return known_[batches - 1]; }
  reference::Graph graph_after(std::uint64_t batches) const {
    std::vector<reference::Edge> edges;
    for (const auto& [u, v] : after(batches)) edges.emplace_back(u, v, 1.0f);
    return reference::make_graph(kPeople, std::move(edges), true);
  }

 private:
  std::vector<EdgeUpdate> some_updates(std::size_t count) {
    std::vector<EdgeUpdate> updates;
    for (std::size_t i = 0; i < count; ++i) {
      const VertexId u = i % 8 == 0 ? dice_.roll(4) : dice_.roll(kPeople);
      updates.push_back({u, dice_.roll(kPeople), 1, dice_.roll(3) == 0});
    }
    return updates;
  }

  zoo::Dice dice_;
  std::set<std::pair<VertexId, VertexId>> now_;
  std::vector<std::vector<EdgeUpdate>> batch_;
  std::vector<Edges> known_;
};

class GpuSnapshots : public ::testing::TestWithParam<DynamicLayoutKind> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Levels and ranks of a snapshot, by a context of the reader's own.
void expect_results_of(const Context& mine, const Snapshot& shot, const KnownHistory& history) {
  SCOPED_TRACE(shot.batches());
  const reference::Graph known = history.graph_after(shot.batches());
  ASSERT_EQ(shot.vertices(), kPeople);
  ASSERT_EQ(shot.edges(), history.after(shot.batches()).size());
  const Graph lists = shot.graph();
  const BfsResult search = bfs(mine, lists, {{VertexId{0}}});
  const std::vector<std::int32_t> depth = reference::bfs_depths(known, {0});
  for (VertexId v = 0; v < kPeople; ++v)
    ASSERT_EQ(search.depth[v], static_cast<std::uint32_t>(depth[v])) << "vertex " << v;
  PagerankOptions exact;
  exact.tolerance = 1e-10;
  exact.max_iterations = 1000;
  const PagerankResult found = pagerank(mine, lists, exact);
  const reference::PagerankResult ranks = reference::pagerank(known);
  double off = 0;
  for (VertexId v = 0; v < kPeople; ++v) off += std::abs(found.rank[v] - ranks.rank[v]);
  ASSERT_LT(off, 1e-6);
}

/// Every list of a snapshot.
void expect_edges_of(const Snapshot& shot, const KnownHistory& history) {
  const Graph lists = shot.graph();
  for (const bool in : {false, true}) {
    KnownHistory::Edges found;
    const auto reader = (in ? lists.in() : lists.out()).read_lists();
    for (VertexId u = 0; u < shot.vertices(); ++u)
      reader->read(u, [&](const PlainSpan& s) {
        for (std::uint32_t i = 0; i < s.size; ++i)
          found.emplace_back(in ? s.target(i) : u, in ? u : s.target(i));
      });
    std::sort(found.begin(), found.end());
    ASSERT_TRUE(found == history.after(shot.batches()))
        << (in ? "in" : "out") << " lists after " << shot.batches() << " batches";
  }
}

TEST_P(GpuSnapshots, AreTheGraphAfterTheirBatchesWhileOthersAreApplied) {
  const KnownHistory history(11);
  const Context writer = Context::cuda(a_gpu());
  DynamicGraphOptions options;
  options.layout = GetParam();
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 1u << 20;
  DynamicGraph graph(writer, options);
  graph.apply({kPeople, history.batch(0), {}});
  std::vector<Snapshot> kept;
  std::atomic<bool> enough{false};
  std::atomic<int> analyses{0};
  std::vector<std::jthread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      const Context mine = Context::cuda(a_gpu());
      while (!enough || analyses < 6) {
        expect_results_of(mine, graph.snapshot(), history);
        ++analyses;
        if (::testing::Test::HasFailure()) return;
      }
    });
  for (std::size_t b = 1; b <= kBatches; ++b) {
    if (b % 12 == 5) kept.push_back(graph.snapshot());
    graph.apply({0, history.batch(b), {}});
  }
  enough = true;
  readers.clear();
  kept.push_back(graph.snapshot());
  for (const Snapshot& shot : kept) expect_edges_of(shot, history);
  EXPECT_GT(graph.memory().snapshot_bytes, 0u);
  kept.clear();
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Layouts, GpuSnapshots,
                         ::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                           DynamicLayoutKind::Aim));

}  // namespace
}  // namespace fathom::testing
