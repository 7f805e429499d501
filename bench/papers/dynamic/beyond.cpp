// Graphs that change and do not fit a GPU: budgets that have room for all pages, half and a quarter
// of them, beside one without a limit.
#include <fmt/format.h>

#include <algorithm>

#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr double kMostApart = 1e-6;  // ranks, in all: sums are in another order

/// What algorithms say of the subject.
struct Results {
  Array<std::uint32_t> depth;
  std::vector<double> rank;
};

VertexId vertex_of_most(const Subject& s) {
  const CsrView lists = s.view();
  VertexId best = 0;
  for (VertexId v = 1; v < lists.vertices; ++v)
    if (lists.degree(v) > lists.degree(best)) best = v;
  return best;
}

/// Runs on the graph as it is, warm. What they say is compared with `expected`, or is it.
void run_algorithms(const Part& p, const Subject& s, const DynamicGraph& graph, Results& expected,
                    Json& row) {
  std::vector<double> levels, ranks;
  BfsResult found;
  PagerankResult ranked;
  const VertexId source = vertex_of_most(s);
  const Graph as_it_is = graph.graph();
  for (int round = 0; round <= p.c.trials; ++round) {
    p.check();
    levels.push_back(seconds_of([&] { found = bfs(p.context, as_it_is, {&source, 1}); }));
    ranks.push_back(
        seconds_of([&] { ranked = pagerank(p.context, as_it_is, fixed_iterations(p)); }));
  }
  levels.erase(levels.begin());
  ranks.erase(ranks.begin());
  row["bfs_seconds"] = spread_json(levels);
  row["pagerank_seconds"] = spread_json(ranks);
  if (expected.depth.empty()) {
    expected.depth = std::move(found.depth);
    expected.rank.assign(ranked.rank.begin(), ranked.rank.end());
    return;
  }
  const double apart = difference(expected.rank, ranked.rank.span());
  if (!std::ranges::equal(found.depth, expected.depth) || !(apart <= kMostApart))
    throw Error(ErrorCode::VerificationFailed,
                fmt::format("{}: results differ from those in the GPU's memory", s.name));
}

/// Of which so many bytes are for pages: beside vertices, and what is kept for batches and
/// algorithms (half of it at most, and a quarter at least).
std::size_t budget_for(const Subject& s, std::size_t pages) {
  constexpr std::size_t kRecordBytes = 2 * sizeof(DynamicRecord);  // at most
  constexpr std::size_t kOfVertex = kRecordBytes + 48;
  const std::size_t vertices = s.csr.vertices();
  return std::max({pages + vertices * kOfVertex, (pages + vertices * kRecordBytes) / 3 * 4}) +
         (std::size_t{16} << 20);
}

Json measure_in(const Part& p, const Subject& s, const std::string& layout, int times,
                Results& expected) {
  const auto start = Clock::now();
  DynamicGraph graph(p.context, s.view(), nullptr, one_way(layout));
  p.context.wait();
  Json row{{"graph", s.name}, {"layout", layout}, {"times", times}};
  row["init_seconds"] = seconds_since(start);
  row["budget"] = p.context.devices()[0].memory()->limit();
  const DynamicMemory memory = graph.memory();
  row["page_bytes"] = memory.page_bytes;
  row["device_bytes"] = memory.reserved_bytes - memory.host_bytes;
  row["host_bytes"] = memory.host_bytes;
  run_algorithms(p, s, graph, expected, row);
  row["batch"] = p.c.usual_batch();
  const Turns turns = insert_and_remove(p, s, graph, p.c.usual_batch(), false, false,
                                        fmt::format("{}, {}, {} times", s.name, layout, times));
  row["insert_seconds"] = spread_json(turns.insert);
  row["delete_seconds"] = spread_json(turns.remove);
  return row;
}

}  // namespace

void beyond_part(const Part& p, const Subject& s) {
  if (!p.context.on_gpu() || p.dealt())
    return p.leave_out(s.name + ": beyond is of graphs on one GPU");
  if (!too_large(s, p.c.usual_batch(), false).empty()) return;
  for (const std::string& layout : p.c.layouts) {
    Results expected;
    const Json whole = measure_in(p, s, layout, 0, expected);
    p.report["beyond"].push_back(whole);
    for (const int times : {1, 2, 4}) {
      ExecutionOptions execution = p.c.execution;
      execution.device_memory =
          budget_for(s, whole["page_bytes"].get<std::size_t>() / static_cast<std::size_t>(times));
      try {
        const Context tight = make_context(execution, EdgeId{1} << 40, p.task);
        p.report["beyond"].push_back(
            measure_in({p.c, tight, p.report, p.task}, s, layout, times, expected));
      } catch (const Error& e) {
        if (e.code() != ErrorCode::DoesNotFit) throw;
        p.leave_out(
            fmt::format("{}, {}, {} times the budget: {}", s.name, layout, times, e.what()));
      }
    }
  }
}

}  // namespace fathom::cli::dynamic_bench
