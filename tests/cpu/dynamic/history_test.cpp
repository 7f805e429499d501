// A history of batches from several threads and of analyses beside them: each analysis has found
// what a model finds that applied, one after the other, the batches that its snapshot names.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/core/error.hpp"
#include "fathom/dynamic/views/analysis_queue.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kFirst = 60;  // vertices in the beginning
constexpr int kWriters = 3, kBatchesEach = 400;

struct Recorded {
  VertexId new_vertices = 0;
  std::vector<EdgeUpdate> updates;
  std::vector<VertexId> gone;
};

/// What an analysis says of the graph.
struct Findings {
  VertexId vertices = 0;
  EdgeId edges = 0;
  std::size_t components = 0;
  std::vector<std::uint32_t> depth;  // from vertex 0
  std::vector<std::vector<std::pair<VertexId, Weight>>> lists;
  friend bool operator==(const Findings&, const Findings&) = default;
};

Findings analyse(const Context& ctx, const Snapshot& shot) {
  const Graph graph = shot.graph();
  Findings f{shot.vertices(), shot.edges(), connected_components(ctx, graph).components, {}, {}};
  const std::vector<VertexId> source{0};
  const BfsResult search = bfs(ctx, graph, source);
  f.depth.assign(search.depth.begin(), search.depth.end());
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    f.lists.push_back(list_of(graph.out(), v));
    std::sort(f.lists.back().begin(), f.lists.back().end());
  }
  return f;
}

/// The model, which names vertices as the graph does: freed indices first, the last one freed
/// first.
class Replay {
 public:
  explicit Replay(bool directed) { model_.directed = directed, model_.kind = EdgeKind::Weighted; }

  void apply(const Recorded& batch) {
    for (VertexId i = 0; i < batch.new_vertices; ++i) {
      VertexId v = vertices_;
      if (free_.empty())
        ++vertices_;
      else
        v = free_.back(), free_.pop_back();
      model_.vertices.insert(v);
    }
    for (const EdgeUpdate& e : batch.updates)
      if (e.deletion)
        model_.remove(e.source, e.target);
      else
        model_.insert(e.source, e.target, e.weight);
    for (const VertexId v : batch.gone) {
      model_.remove_vertex(v);
      free_.push_back(v);
    }
  }

  Findings findings() const {
    Findings f{vertices_, model_.size(), 0, {}, {}};
    for (VertexId v = 0; v < vertices_; ++v) f.lists.push_back(model_.list(v));
    std::vector<std::vector<VertexId>> near(vertices_);
    for (const auto& [edge, weights] : model_.edges) {
      near[edge.first].push_back(edge.second);
      near[edge.second].push_back(edge.first);
    }
    std::vector<bool> seen(vertices_, false);
    for (VertexId v = 0; v < vertices_; ++v) f.components += spread(near, seen, v) ? 1 : 0;
    f.depth.assign(vertices_, kUnreached);
    std::vector<VertexId> level{0};
    f.depth[0] = 0;
    for (std::uint32_t d = 1; !level.empty(); ++d) {
      std::vector<VertexId> next;
      for (const VertexId u : level)
        for (const auto& [v, w] : f.lists[u])
          if (f.depth[v] == kUnreached) f.depth[v] = d, next.push_back(v);
      level = next;
    }
    return f;
  }

 private:
  static bool spread(const std::vector<std::vector<VertexId>>& near, std::vector<bool>& seen,
                     VertexId v) {
    if (seen[v]) return false;
    seen[v] = true;
    for (const VertexId w : near[v]) spread(near, seen, w);
    return true;
  }

  Model model_;
  VertexId vertices_ = 0;
  std::vector<VertexId> free_;
};

/// A batch of a writer, who does not know what the others do: it may name a vertex that is not
/// there any more, and is then refused.
Recorded random_batch(zoo::Dice& dice) {
  Recorded batch;
  const auto draw = [&] { return VertexId{1} + dice.roll(kFirst + 2); };
  for (std::uint32_t i = dice.roll(6) + 1; i > 0; --i) {
    EdgeUpdate e{draw(), draw(), static_cast<Weight>(dice.roll(9) + 1), dice.roll(2) == 0};
    if (dice.roll(3) == 0) e.source = 0;
    batch.updates.push_back(e);
  }
  if (dice.roll(12) == 0) batch.gone.push_back(draw());
  if (dice.roll(6) == 0) batch.new_vertices = 1;
  return batch;
}

class History : public ::testing::TestWithParam<std::pair<DynamicLayoutKind, PageAllocator>> {};

TEST_P(History, of_batches_and_analyses_beside_each_other_is_serialisable) {
  CpuOptions cpu;
  cpu.threads = 1;
  const Context ctx = Context::cpu(cpu);
  DynamicGraphOptions options;
  options.layout = GetParam().first;
  options.allocator = GetParam().second;
  options.page_bytes = 32;
  options.directed = options.layout == DynamicLayoutKind::Aim;
  options.edges = EdgeKind::Weighted;
  options.memory = std::size_t{1} << 25;
  options.most_vertices = 5000;
  DynamicGraph graph(ctx, options);
  std::mutex mutex;
  std::map<std::uint64_t, Recorded> history;                // by the number of the batch
  std::vector<std::pair<std::uint64_t, Findings>> results;  // by how many its snapshot has
  std::atomic<int> refused{0}, writing{kWriters}, analyses{0};
  history[graph.apply({kFirst, {}, {}}).number] = {kFirst, {}, {}};
  {
    AnalysisQueue queue({.workers = 3});
    std::vector<std::jthread> threads;
    for (int w = 0; w < kWriters; ++w)
      threads.emplace_back([&, w] {
        zoo::Dice dice(static_cast<std::uint64_t>(w) + 1);
        for (int b = 0; b < kBatchesEach; ++b) {
          while (analyses < b / 4) std::this_thread::yield();
          Recorded batch = random_batch(dice);
          try {
            const auto report = graph.apply({batch.new_vertices, batch.updates, batch.gone});
            const std::lock_guard lock(mutex);
            history[report.number] = std::move(batch);
          } catch (const Error&) {
            ++refused;
          }
        }
        --writing;
      });
    threads.emplace_back([&] {  // asks for analyses for as long as batches come
      for (int number = 0; writing > 0; ++number) {
        queue.submit(graph.snapshot(), number % 3, [&](const Context& mine, const Snapshot& shot) {
          // Some batches pass it by first, so that what it reads is not what there is.
          for (int i = 0; i < 500 && graph.batches() < shot.batches() + 4; ++i)
            std::this_thread::yield();
          Findings found = analyse(mine, shot);
          const std::lock_guard lock(mutex);
          results.emplace_back(shot.batches(), std::move(found));
          ++analyses;
        });
        while (queue.waiting() > 8) std::this_thread::yield();
      }
    });
    threads.clear();
    queue.wait_for_all();
  }
  EXPECT_GE(history.size() + results.size(), 1000u);
  EXPECT_EQ(history.size() + static_cast<std::size_t>(refused), kWriters * kBatchesEach + 1u);
  EXPECT_GE(results.size(), kBatchesEach / 4 - 1u);
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
  std::sort(results.begin(), results.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Replay replay(options.directed);
  auto result = results.begin();
  std::uint64_t number = 0;
  for (const auto& [its, batch] : history) {
    ASSERT_EQ(its, ++number);  // each batch has one, and none is left out
    replay.apply(batch);
    for (; result != results.end() && result->first == number; ++result)
      ASSERT_EQ(result->second, replay.findings()) << "after batch " << number;
  }
  EXPECT_EQ(result, results.end());
  EXPECT_EQ(analyse(ctx, graph.snapshot()), replay.findings());
}

INSTANTIATE_TEST_SUITE_P(Layouts, History,
                         ::testing::Values(std::pair(DynamicLayoutKind::Ouro, PageAllocator::Pool),
                                           std::pair(DynamicLayoutKind::Ouro, PageAllocator::VLC),
                                           std::pair(DynamicLayoutKind::Faim, PageAllocator::SP),
                                           std::pair(DynamicLayoutKind::Aim, PageAllocator::VAC)),
                         [](const auto& param) {
                           std::string name(name_of(param.param.second));
                           std::erase(name, '-');
                           return (param.param.first == DynamicLayoutKind::Ouro   ? "ouro_"
                                   : param.param.first == DynamicLayoutKind::Faim ? "faim_"
                                                                                  : "aim_") +
                                  name;
                         });

}  // namespace
}  // namespace fathom::testing
