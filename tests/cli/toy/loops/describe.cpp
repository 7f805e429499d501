#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "tests/cli/toy/loops/loops.hpp"

namespace fathom {

static Answer run_loops(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const std::uint64_t most = values.count("most");
  const auto kept = std::make_shared<const LoopsResult>(count_loops(ctx, graph, most));
  const LoopsResult& result = *kept;
  Answer answer = answer_of(kept, [most](const Context&, const Graph& of, const LoopsResult& its) {
    verify_loops(of, most, its);
  });
  answer.facts = {{"loops", result.total}};
  answer.columns = {{"loops", result.loops.span()}};
  answer.summary = fmt::format("loops: {}\n", result.total);
  return answer;
}

const Algorithm& describe_loops() {
  static const Algorithm algorithm{.name = "loops",
                                   .purpose = "Edges that lead back to their vertex",
                                   .notes = "Result columns: vertex, loops.",
                                   .examples = {"graph.fg --top 10"},
                                   .options = {{.name = "most",
                                                .kind = OptionInfo::Kind::Count,
                                                .value = "N",
                                                .meaning = "Count no more than N of a vertex",
                                                .least = 1,
                                                .count = OptionInfo::kMost}},
                                   .columns = {{"loops", "edges from the vertex to itself"}},
                                   .facts = {{.name = "loops"}},
                                   .ranks_zero = false,
                                   .state =
                                       [](const Algorithm::Where&, const OptionValues&) {
                                         StateSize size{"loops"};
                                         size.whole = size.result = size.merged = 8;
                                         return size;
                                       },
                                   .run = run_loops};
  return algorithm;
}

}  // namespace fathom
