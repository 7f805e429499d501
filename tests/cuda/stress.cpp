// Allocators, graphs that change, snapshots and algorithms on one GPU at the same time, with
// budgets that often do not do: stress_cuda SECONDS [SEED] [THREADS]. Every answer is compared with
// a model or with the host's, which its certificate has checked; a refusal (exit code 4 of the
// command) must leave everything as it was. Prints what it did; exits with 1 when anything was
// wrong.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "fathom/algorithms/betweenness.hpp"
#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/components.hpp"
#include "fathom/algorithms/kcore.hpp"
#include "fathom/algorithms/pagerank.hpp"
#include "fathom/algorithms/radius.hpp"
#include "fathom/algorithms/sssp.hpp"
#include "fathom/algorithms/triangles.hpp"
#include "fathom/fathom.hpp"
#include "tests/cuda/live_kernels.hpp"
#include "tests/cuda/memory_kernels.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/components.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

constexpr std::size_t kMi = std::size_t{1} << 20;

/// What was done, by name.
class Counts {
 public:
  void add(const std::string& what, std::uint64_t count = 1) {
    const std::lock_guard lock(mutex_);
    counts_[what] += count;
  }
  void print() const {
    for (const auto& [what, count] : counts_)
      std::printf("%-40s %12llu\n", what.c_str(), static_cast<unsigned long long>(count));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;
};

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void require(bool holds, const std::string& what) {
  if (!holds) throw Wrong(what);
}

template <class A, class B>
bool equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

/// Kernels that allocate from a heap of their own, mapped in part.
void allocate(zoo::Dice& dice, Counts& counts) {
  const auto variant = static_cast<MemoryVariantName>(dice.roll(6));
  const auto blocks = static_cast<MemoryBlocks>(dice.roll(3));
  const std::uint32_t threads = 100 + dice.roll(60000);
  const std::uint64_t most = std::uint64_t{16} << dice.roll(10);
  const MemoryRun run = exercise_on_device(variant, blocks, threads, most, 1 + dice.roll(5),
                                           512 * kMi, (std::uint64_t{1} + dice.roll(128)) * kMi);
  require(run.overlaps == 0, "pages of an allocator overlap");
  require(run.live_after == 0, "an allocator lost pages");
  require(run.broken == 0, "an allocator's invariants are broken");
  counts.add("allocations served", run.served);
}

using EdgeMap = std::map<std::pair<VertexId, VertexId>, Weight>;

/// A graph that changes, the obvious way.
struct Changing {
  bool directed = true, weighted = false, overwrite = false;
  VertexId vertices = 0;
  EdgeMap edges;

  void apply(const EdgeUpdate& e) {
    change(e.source, e.target, e);
    if (!directed && e.source != e.target) change(e.target, e.source, e);
  }
  void remove_vertex(VertexId v) {
    std::erase_if(edges, [&](const auto& e) { return e.first.first == v || e.first.second == v; });
  }

 private:
  void change(VertexId u, VertexId v, const EdgeUpdate& e) {
    if (e.deletion) {
      edges.erase({u, v});
      return;
    }
    const Weight w = weighted ? e.weight : 1;
    if (!edges.emplace(std::pair{u, v}, w).second && overwrite) edges[{u, v}] = w;
  }
};

EdgeMap edges_of(EdgeSource& source, VertexId vertices, bool turned) {
  EdgeMap found;
  const auto lists = source.read_lists();
  for (VertexId v = 0; v < vertices; ++v)
    lists->read(v, [&](const PlainSpan& s) {
      for (std::uint32_t i = 0; i < s.size; ++i)
        require(found
                    .emplace(turned ? std::pair{s.target(i), v} : std::pair{v, s.target(i)},
                             s.weight(i))
                    .second,
                "an edge is there twice");
    });
  return found;
}

/// Lists in both directions, and a search and components on them.
void agrees(const Context& ctx, const Graph& graph, const Changing& model, zoo::Dice& dice,
            Counts& counts) {
  require(edges_of(graph.out(), graph.vertices(), false) == model.edges, "lists differ");
  if (model.directed && graph.has_in())
    require(edges_of(graph.in(), graph.vertices(), true) == model.edges, "in-lists differ");
  std::vector<reference::Edge> edges;
  for (const auto& [edge, w] : model.edges)
    if (model.directed || edge.first <= edge.second) edges.emplace_back(edge.first, edge.second, w);
  const reference::Graph oracle =
      reference::make_graph(graph.vertices(), std::move(edges), model.directed);
  const VertexId source = dice.roll(static_cast<std::uint32_t>(graph.vertices()));
  const auto depths = reference::bfs_depths(oracle, {source});
  const BfsResult search = bfs(ctx, graph, {{source}});
  for (VertexId v = 0; v < graph.vertices(); ++v)
    require(static_cast<std::int32_t>(search.depth[v]) == depths[v], "levels differ");
  require(equal(connected_components(ctx, graph).label, reference::components(oracle)),
          "components differ");
  counts.add("algorithms on graphs that change", 2);
}

std::vector<EdgeUpdate> draw_updates(zoo::Dice& dice, VertexId vertices, bool once) {
  std::vector<EdgeUpdate> updates;
  std::map<std::pair<VertexId, VertexId>, bool> taken;
  const std::uint32_t sources =
      dice.roll(3) == 0 ? 1 + dice.roll(4) : static_cast<std::uint32_t>(vertices);
  for (std::uint32_t i = dice.roll(6000); i > 0; --i) {
    EdgeUpdate e{dice.roll(std::min(sources, static_cast<std::uint32_t>(vertices))),
                 dice.roll(static_cast<std::uint32_t>(vertices)),
                 static_cast<Weight>(1 + dice.roll(9)), dice.roll(3) == 0};
    if (once && !taken.emplace(std::minmax(e.source, e.target), true).second) continue;
    updates.push_back(e);
  }
  return updates;
}

/// A phase of changes by kernels; whatever found no memory has not happened.
void live_phase(DynamicGraph& graph, Changing& model, zoo::Dice& dice, Counts& counts) {
  const auto updates = draw_updates(dice, graph.vertices(), true);
  LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << dice.roll(22)});
  const auto results =
      change_on_device(changing.lists(), updates, static_cast<LiveLanes>(dice.roll(4)));
  const LiveReport report = changing.finish();
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < updates.size(); ++i)
    if (results[i] == LiveResult::NoMemory)
      ++refused;
    else if (results[i] != LiveResult::NoVertex)
      model.apply(updates[i]);
  require(report.no_memory == refused, "refused changes are counted otherwise");
  counts.add("live changes", updates.size() - refused);
  counts.add("live changes refused", refused);
}

/// Batches, phases of changes by kernels and snapshots of one graph, in little memory.
void change(zoo::Dice& dice, Counts& counts) {
  CudaOptions card;
  card.device_memory = (8 + dice.roll(120)) * kMi;
  card.threads = 2;
  const Context ctx = Context::cuda(card);
  Changing model;
  DynamicGraphOptions options;
  options.layout = static_cast<DynamicLayoutKind>(dice.roll(3));
  options.allocator =
      dice.roll(2) == 0 ? PageAllocator::Pool : static_cast<PageAllocator>(dice.roll(7));
  options.directed = model.directed = dice.roll(2) == 0;
  options.edges = (model.weighted = dice.roll(2) == 0) ? EdgeKind::Weighted : EdgeKind::Simple;
  options.duplicates =
      (model.overwrite = dice.roll(2) == 0) ? DuplicatePolicy::Overwrite : DuplicatePolicy::Ignore;
  options.in_edges = dice.roll(2) == 0;
  options.structure_of_arrays = dice.roll(2) == 0;
  options.page_bytes = 16u << dice.roll(5);
  options.strategy = static_cast<UpdateStrategy>(dice.roll(5));
  options.memory = (1 + dice.roll(64)) * kMi;
  options.most_vertices = 1u << 16;
  DynamicGraph graph(ctx, options);
  std::vector<std::pair<Snapshot, Changing>> shots;
  for (std::uint32_t step = 10 + dice.roll(30); step > 0; --step) {
    const bool live =
        options.allocator == PageAllocator::Pool && graph.vertices() > 0 && dice.roll(4) == 0;
    try {
      if (live) {
        live_phase(graph, model, dice, counts);
      } else {
        Changing next = model;
        const VertexId fresh = graph.vertices() == 0 ? 500 : dice.roll(5) == 0 ? 300 : 0;
        for (const VertexId v : graph.next_vertices(fresh))
          next.vertices = std::max<VertexId>(next.vertices, v + 1);
        auto updates = draw_updates(dice, next.vertices, false);
        std::erase_if(updates, [&](const EdgeUpdate& e) {
          const auto there = [&](VertexId v) { return v >= graph.vertices() || graph.exists(v); };
          return !there(e.source) || !there(e.target);
        });
        std::vector<VertexId> gone;
        if (dice.roll(3) == 0)
          for (VertexId v = dice.roll(50); v < graph.vertices(); v += 60)
            if (graph.exists(v)) gone.push_back(v);
        for (const EdgeUpdate& e : updates) next.apply(e);
        for (const VertexId v : gone) next.remove_vertex(v);
        graph.apply({fresh, updates, gone});
        model = std::move(next);
        counts.add("batches");
        counts.add("updates in batches", updates.size());
      }
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      counts.add(live ? "live phases refused" : "batches refused");
    }
    require(graph.edges() == model.edges.size(), "the graph has another number of edges");
    try {
      if (dice.roll(3) == 0) {
        shots.emplace_back(graph.snapshot(), model);
        counts.add("snapshots");
      }
      if (dice.roll(4) == 0 && graph.vertices() > 0)
        agrees(ctx, graph.graph(), model, dice, counts);
      if (!shots.empty() && dice.roll(3) == 0) {
        const auto& [shot, known] = shots[dice.roll(static_cast<std::uint32_t>(shots.size()))];
        if (shot.vertices() > 0) agrees(ctx, shot.graph(), known, dice, counts);
        counts.add("snapshots compared");
      }
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      counts.add("analyses refused");
    }
    if (dice.roll(4) == 0) shots.clear();
  }
}

/// One algorithm on the handle, against the host's answer.
void analyse_once(std::uint32_t which, const Context& ctx, const Graph& graph, const Context& host,
                  const Graph& on_host, VertexId source, Counts& counts) {
  switch (which) {
    case 0: {
      const BfsResult result = bfs(ctx, graph, {{source}});
      require(equal(result.depth, bfs(host, on_host, {{source}}).depth), "levels differ");
      counts.add("bfs");
      break;
    }
    case 1: {
      const SsspResult result = sssp(ctx, graph, source);
      require(equal(result.distance, sssp(host, on_host, source).distance), "distances differ");
      counts.add("sssp");
      break;
    }
    case 2:
      require(
          equal(connected_components(ctx, graph).label, connected_components(host, on_host).label),
          "components differ");
      counts.add("cc");
      break;
    case 3: {
      PagerankOptions options;
      options.tolerance = 1e-8;
      options.max_iterations = 1000;
      const PagerankResult result = pagerank(ctx, graph, options);
      verify_pagerank(host, on_host, options, result);
      counts.add("pagerank");
      break;
    }
    case 4: {
      BetweennessOptions options;
      options.sources = {source};
      const auto found = betweenness(ctx, graph, options);
      const auto expected = betweenness(host, on_host, options);
      for (std::size_t v = 0; v < expected.centrality.size(); ++v)
        require(std::abs(found.centrality[v] - expected.centrality[v]) <=
                    1e-9 * (1 + std::abs(expected.centrality[v])),
                "centralities differ");
      counts.add("bc");
      break;
    }
    case 5:
      require(count_triangles(ctx, graph).total == count_triangles(host, on_host).total,
              "triangles differ");
      counts.add("tc");
      break;
    case 6:
      require(equal(kcore(ctx, graph).core, kcore(host, on_host).core), "cores differ");
      counts.add("kcore");
      break;
    default:
      require(equal(estimate_radius(ctx, graph).farthest, estimate_radius(host, on_host).farthest),
              "radii differ");
      counts.add("radius");
  }
}

/// A random graph, somewhere, in little memory: algorithms in any order on one handle.
void analyse(zoo::Dice& dice, Counts& counts) {
  zoo::RawGraph raw{"Random", 1 + dice.roll(20000), dice.roll(2) == 0, {}, {}};
  raw.edges = zoo::random_edges(raw.vertices, dice.roll(150000), dice.roll(1u << 30));
  if (dice.roll(3) == 0)  // a hub
    for (std::uint32_t v = 0; v < raw.vertices; v += 2) raw.edges.emplace_back(raw.vertices / 2, v);
  if (dice.roll(2) == 0)
    for (std::size_t i = 0; i < raw.edges.size(); ++i)
      raw.weights.push_back(static_cast<float>(dice.roll(64)));
  const graph::BuiltGraph built = zoo::build(raw);
  std::optional<CsrView> in;
  if (built.in) in = built.in->view();
  CpuOptions one;
  one.threads = 1;
  const Context host = Context::cpu(one);
  const Graph on_host =
      make_graph(host, built.out.view(), in ? &*in : nullptr, raw.directed, ResidencyOptions{});
  CudaOptions card;
  card.threads = 2;
  card.device_memory = (std::size_t{64} << 10) << dice.roll(12);
  if (dice.roll(3) == 0) card.devices.assign(1 + dice.roll(3), 0);
  ResidencyOptions where;
  using Kind = ResidencyOptions::Kind;
  constexpr Kind kKinds[] = {Kind::Auto, Kind::Resident, Kind::ZeroCopy, Kind::Stream};
  where.kind = card.devices.size() > 1 ? Kind::Stream : kKinds[dice.roll(4)];
  where.paging.page_bytes = std::size_t{1024} << dice.roll(8);
  where.paging.from_disk = dice.roll(2) == 0;
  where.gpu.cache = static_cast<CachePolicy>(dice.roll(6));
  std::optional<Context> ctx;
  std::optional<Graph> graph;
  try {
    ctx.emplace(Context::cuda(card));
    graph.emplace(make_graph(*ctx, built.out.view(), in ? &*in : nullptr, raw.directed, where));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    counts.add("placements refused");
    return;
  }
  for (std::uint32_t runs = 1 + dice.roll(12); runs > 0; --runs) {
    try {
      analyse_once(dice.roll(8), *ctx, *graph, host, on_host, dice.roll(raw.vertices), counts);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      counts.add("runs refused");
    }
    require(ctx->peak_device_bytes() <= card.device_memory, "the budget was exceeded");
  }
}

int run(int seconds, std::uint64_t seed, int threads) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  Counts counts;
  std::atomic<int> wrong{0};
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      for (std::uint64_t round = 0; Clock::now() < end && wrong < 10; ++round) {
        const std::uint64_t mine = seed + 1000003 * round + 7919 * static_cast<std::uint64_t>(t);
        zoo::Dice dice(mine);
        const std::uint32_t what = dice.roll(5);
        const char* const name = what == 0 ? "allocate" : what < 3 ? "change" : "analyse";
        try {
          what == 0  ? allocate(dice, counts)
          : what < 3 ? change(dice, counts)
                     : analyse(dice, counts);
          counts.add(std::string("rounds of ") + name);
        } catch (const std::exception& e) {
          ++wrong;
          std::fprintf(stderr, "WRONG: %s with seed %llu: %s\n", name,
                       static_cast<unsigned long long>(mine), e.what());
        }
      }
    });
  team.clear();
  counts.print();
  std::printf("%d threads, %d s, seed %llu: %d wrong\n", threads, seconds,
              static_cast<unsigned long long>(seed), wrong.load());
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fathom::testing

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: stress_cuda SECONDS [SEED] [THREADS]\n");
    return 2;
  }
  const auto number = [&](int i, long otherwise) {
    return argc > i ? std::strtol(argv[i], nullptr, 10) : otherwise;
  };
  return fathom::testing::run(static_cast<int>(number(1, 60)),
                              static_cast<std::uint64_t>(number(2, 1)),
                              static_cast<int>(number(3, 6)));
}
