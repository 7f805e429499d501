// Page sizes, allocators, and analyses on snapshots while batches come.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <thread>

#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr double kRankSlack = 1e-4;  // over all vertices: orders of additions differ
constexpr int kShots = 20;           // snapshots that are taken to find out what one costs

/// Initialisation, footprint, and both kinds of updates in one configuration.
Json configured(const Part& p, const Subject& s, const DynamicGraphOptions& options,
                const std::string& what) {
  std::vector<double> init;
  for (int round = 0; round < p.c.trials; ++round) {
    p.check();
    const auto start = Clock::now();
    const DynamicGraph graph(p.context, s.view(), nullptr, options);
    p.context.wait();
    init.push_back(seconds_since(start));
    if (round == 0) Expected(s, {}, {}).check(graph, what + ", initialised");
  }
  DynamicGraph graph(p.context, s.view(), nullptr, options);
  const DynamicMemory memory = graph.memory();
  Json row{{"graph", s.name}};
  row["init_seconds"] = spread_json(init);
  row["page_bytes_used"] = memory.page_bytes;
  row["reserved_bytes"] = memory.reserved_bytes;
  row["to_csr"] = static_cast<double>(memory.page_bytes + memory.record_bytes) /
                  static_cast<double>(s.csr_bytes());
  const std::uint64_t batch = p.c.usual_batch();
  row["batch"] = batch;
  for (const char* sources : {"uniform", "focused"}) {
    const bool focused = std::string_view(sources) == "focused";
    row[sources] = nullptr;
    if (!too_large(s, batch, focused).empty()) continue;
    const Turns turns =
        insert_and_remove(p, s, graph, batch, focused, false, fmt::format("{}, {}", what, sources));
    row[sources] = {{"insert_seconds", spread_json(turns.insert)},
                    {"delete_seconds", spread_json(turns.remove)}};
  }
  row["reserved_bytes_after"] = graph.memory().reserved_bytes;
  return row;
}

/// Insertions and deletions of the same edges in turn.
class Batches {
 public:
  Batches(const Part& p, const Subject& s, DynamicGraph& graph)
      : p_(p),
        graph_(graph),
        pairs_(random_pairs(s, p.c.usual_batch(), false, p.c.seed + 3000)),
        insertions_(updates_of(pairs_, false)),
        deletions_(updates_of(pairs_, true)),
        expected_(s, pairs_, {}) {}

  void turn(std::vector<double>& seconds) {
    seconds.push_back(apply_seconds(p_, graph_, {0, insertions_, {}}));
    require_equal(graph_.edges(), expected_.edges(), "a batch beside a snapshot: edges");
    seconds.push_back(apply_seconds(p_, graph_, {0, deletions_, {}}));
    if (!expected_.known().empty()) graph_.apply({0, updates_of(expected_.known(), false), {}});
  }

 private:
  const Part& p_;
  DynamicGraph& graph_;
  std::vector<Pair> pairs_;
  std::vector<EdgeUpdate> insertions_, deletions_;
  Expected expected_;
};

/// Ranks a snapshot over and over in a thread of its own.
class Analyst {
 public:
  Analyst(const Part& p, const Subject& s, const Snapshot& snapshot,
          const std::vector<double>& expected)
      : thread_([this, &p, &s, graph = snapshot.graph(), &expected] {
          try {
            const Context mine = make_context(p.c.execution, s.csr.edges(), Task{});
            while (!finished_) analyse(p, mine, graph, expected);
          } catch (...) {
            failed_ = std::current_exception();
            done_ = true;  // so that nobody waits for it
          }
        }) {}
  Analyst(const Analyst&) = delete;
  Analyst& operator=(const Analyst&) = delete;
  ~Analyst() { finished_ = true; }  // the thread, the last member, is joined first

  bool done_one() const { return done_; }
  /// The seconds that each took. Rethrows what ended it.
  const std::vector<double>& finish() {
    finished_ = true;
    if (thread_.joinable()) thread_.join();
    if (failed_) std::rethrow_exception(failed_);
    return seconds_;
  }
  bool wrong() const { return wrong_; }

 private:
  void analyse(const Part& p, const Context& context, const Graph& graph,
               const std::vector<double>& expected) {
    PagerankResult result;
    seconds_.push_back(seconds_of([&] { result = pagerank(context, graph, fixed_iterations(p)); }));
    double off = 0;
    for (std::size_t v = 0; v < expected.size(); ++v) off += std::abs(result.rank[v] - expected[v]);
    if (off > kRankSlack) wrong_ = true;
    done_ = true;
  }

  std::vector<double> seconds_;
  std::atomic<bool> finished_{false}, wrong_{false}, done_{false};
  std::exception_ptr failed_;
  std::jthread thread_;
};

}  // namespace

PagerankOptions fixed_iterations(const Part& p) {
  PagerankOptions options;
  options.max_iterations = static_cast<std::uint32_t>(p.c.iterations);
  options.in_place = false;  // which on a GPU differs from run to run
  return options;
}

void pages_part(const Part& p, const Subject& s) {
  for (const std::uint32_t bytes : p.c.page_bytes) {
    DynamicGraphOptions options = one_way("faim");
    options.page_bytes = bytes;
    const std::string what = fmt::format("{}, faim with pages of {} bytes", s.name, bytes);
    Json row = configured(p, s, options, what);
    row["page_bytes"] = bytes;
    options.directed = false;
    const DynamicGraph graph(p.context, s.view(), nullptr, options);
    std::vector<double> seconds(static_cast<std::size_t>(p.c.trials));
    for (double& trial : seconds)
      trial = seconds_of([&] { pagerank(p.context, graph.graph(), fixed_iterations(p)); });
    row["pagerank_seconds"] = spread_json(seconds);
    p.report["pages"].push_back(row);
  }
}

void allocators_part(const Part& p, const Subject& s) {
  for (const std::string& name : p.c.allocators) {
    DynamicGraphOptions options = one_way("ouro");
    options.allocator = page_allocator(name);
    try {
      Json row = configured(p, s, options, fmt::format("{}, pages from {}", s.name, name));
      row["allocator"] = name;
      p.report["allocators"].push_back(row);
    } catch (const Error& e) {
      // An allocator that this device does not have, or that cannot hold the graph.
      if (e.code() != ErrorCode::Usage && e.code() != ErrorCode::DoesNotFit) throw;
      p.leave_out(fmt::format("{}, pages from {}: {}", s.name, name, e.what()));
    }
  }
}

void snapshots_part(const Part& p, const Subject& s) {
  if (const std::string why = too_large(s, p.c.usual_batch(), false); !why.empty()) return;
  for (const std::string& layout : p.c.layouts) {
    DynamicGraphOptions options = one_way(layout);
    DynamicGraph graph(p.context, s.view(), nullptr, options);
    Batches batches(p, s, graph);
    std::vector<double> take, alone, beside;
    take.reserve(kShots);
    for (int shot = 0; shot < kShots; ++shot)
      take.push_back(seconds_of([&] {
        const Snapshot taken = graph.snapshot();
        p.context.wait();
      }));
    for (int round = 0; round < p.c.trials; ++round) batches.turn(alone);
    std::vector<double> first;  // ranks on the subject, which every snapshot between turns is
    {
      const PagerankResult result = pagerank(p.context, graph.graph(), fixed_iterations(p));
      first.assign(result.rank.begin(), result.rank.end());
    }
    Analyst analyst(p, s, graph.snapshot(), first);
    for (int round = 0; round < p.c.trials || !analyst.done_one(); ++round) batches.turn(beside);
    const std::vector<double> analyses = analyst.finish();
    if (analyst.wrong())
      throw Error(ErrorCode::VerificationFailed,
                  fmt::format("{}, {}: ranks on a snapshot changed with batches", s.name, layout));
    Expected(s, {}, {}).check(graph, fmt::format("{}, {}, after snapshots", s.name, layout));
    Json row{{"graph", s.name}, {"layout", layout}, {"batch", p.c.usual_batch()}};
    row["take_seconds"] = spread_json(take);
    row["alone_seconds"] = spread_json(alone);
    row["beside_seconds"] = spread_json(beside);
    row["slowdown"] = median_of(beside) / median_of(alone);
    row["analyses"] = analyses.size();
    row["analysis_seconds"] = spread_json(analyses);
    p.report["snapshots"].push_back(row);
  }
}

}  // namespace fathom::cli::dynamic_bench
