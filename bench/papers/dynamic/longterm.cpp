// Graphs in use for long: the Uniform, Random and Sweep tests (Winter's thesis, section 4.3.2).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/dynamic/updates/update_rounds.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

/// What a graph held after each round, and how long the rounds took.
struct Rounds {
  std::vector<double> seconds;
  std::vector<std::uint64_t> page_bytes;
  std::uint64_t updates = 0;
};

/// Rounds as asked for, and on until the graph is the subject again.
Rounds run_rounds(const Part& p, const Subject& s, DynamicGraph& graph, dynamic::RoundKind kind) {
  dynamic::UpdateRounds updates(kind, p.c.usual_batch(), p.c.seed);
  Rounds run;
  EdgeId edges = s.csr.edges();
  for (int round = 0; round < p.c.rounds || !updates.back_to_start(); ++round) {
    const std::vector<EdgeUpdate> batch = updates.next(graph);
    run.seconds.push_back(apply_seconds(p, graph, {0, batch, {}}));
    run.updates += batch.size();
    // A round has each edge once, and inserts what is not there or deletes what is.
    for (const EdgeUpdate& e : batch) edges = e.deletion ? edges - 1 : edges + 1;
    require_equal(graph.edges(), edges, fmt::format("{}: edges after round {}", s.name, round));
    run.page_bytes.push_back(graph.memory().page_bytes);
  }
  return run;
}

}  // namespace

void longterm_part(const Part& p, const Subject& s) {
  if (!too_large(s, p.c.usual_batch(), false).empty()) return;
  for (const std::string& layout : p.c.layouts)
    for (const char* test : {"uniform", "random", "sweep"}) {
      DynamicGraph graph(p.context, s.view(), nullptr, one_way(layout));
      const DynamicMemory before = graph.memory();
      const Rounds run = run_rounds(p, s, graph, dynamic::round_kind(test));
      Expected(s, {}, {}).check(graph, fmt::format("{}, {}, after {}", s.name, layout, test));
      const DynamicMemory after = graph.memory();
      double seconds = 0;
      for (const double round : run.seconds) seconds += round;
      Json row{{"graph", s.name}, {"layout", layout}, {"test", test}};
      row["batch"] = p.c.usual_batch();
      row["rounds"] = run.seconds.size();
      row["seconds"] = spread_json(run.seconds);
      row["rate"] = seconds > 0 ? static_cast<double>(run.updates) / seconds : 0;
      row["page_bytes_before"] = before.page_bytes;
      row["page_bytes"] = run.page_bytes;
      row["page_bytes_most"] = *std::ranges::max_element(run.page_bytes);
      row["reserved_bytes_before"] = before.reserved_bytes;
      row["reserved_bytes_after"] = after.reserved_bytes;
      p.report["longterm"].push_back(row);
    }
}

}  // namespace fathom::cli::dynamic_bench
