#include "tests/cli/toy/loops/loops.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fathom/core/atomic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

struct CountLoops {
  std::uint64_t* loops;

  bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) AtomicRef(loops[u]).fetch_add(std::uint64_t{1});
    return false;
  }
};

}  // namespace

LoopsResult count_loops(const Context& ctx, const Graph& graph, std::uint64_t most) {
  StateSize state{"loops"};
  state.whole = sizeof(std::uint64_t);
  const RunLists lists(ctx, state, {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  VertexArray<std::uint64_t, MergeSum> loops(ctx, graph.vertices(), 0);
  Frontier all(ctx, graph.vertices());
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) { return CountLoops{loops.on(d)}; });
  merge(loops);
  record.step(graph.vertices(), graph.edges(), "push", graph.traffic());
  LoopsResult result;
  result.report = record.finish();
  result.loops = std::move(loops).take();
  for (std::uint64_t& count : result.loops) {
    count = std::min(count, most);
    result.total += count;
  }
  return result;
}

void verify_loops(const Graph& graph, std::uint64_t most, const LoopsResult& result) {
  const auto lists = graph.out().read_lists();
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    std::uint64_t loops = 0;
    lists->read(v, [&](const PlainSpan& span) {
      loops +=
          static_cast<std::uint64_t>(std::count(span.target_at, span.target_at + span.size, v));
    });
    if (std::min(loops, most) != result.loops[v])
      throw Error(ErrorCode::VerificationFailed,
                  "loops: vertex " + std::to_string(v) + " has another number of them");
  }
}

}  // namespace fathom
