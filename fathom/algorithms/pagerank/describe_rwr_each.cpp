#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// A result, and what was asked, which certificates need after the run.
struct RwrEachAnswer {
  std::vector<VertexId> row, sources;
  RwrEachOptions options;
  RwrEachResult result;
  RunReport report;
};

}  // namespace

Answer rwr_from_each(const Context& ctx, const Graph& graph, const OptionValues& values,
                     const RwrOptions& options) {
  const ChosenVertices& sources = values.vertices("source");
  const auto made = std::make_shared<RwrEachAnswer>();
  made->row.assign(values.rows.begin(), values.rows.end());
  made->sources = sources.ids;
  made->options.walk = options;
  if (values.count("k") > 0) made->options.k = values.count("k");
  made->options.row = made->row;
  made->result = random_walks_from_each(ctx, graph, made->sources, made->options);
  made->report = made->result.report;
  const RwrEachResult& result = made->result;

  Answer answer = answer_of(std::shared_ptr<const RwrEachAnswer>(made),
                            [](const Context& on, const Graph& of, const RwrEachAnswer& its) {
                              verify_walks_from_each(on, of, its.sources, its.options, its.result);
                            });
  std::vector<Facts> each;
  answer.report.iterations = 0;
  double residual = 0;
  for (std::size_t i = 0; i < result.ends.size(); ++i) {
    const RwrEachResult::End& end = result.ends[i];
    each.push_back({{"source", sources.labels[i]},
                    {"iterations", std::uint64_t{end.iterations}},
                    {"residual", end.residual}});
    answer.report.iterations = std::max(answer.report.iterations, end.iterations);
    residual = std::max(residual, end.residual);
  }
  answer.facts = {
      {"sources", sources.labels},   {"batch", static_cast<std::uint64_t>(result.batch)},
      {"rows", result.rows},         {"each", std::move(each)},
      {"restart", options.restart},  {"tolerance", options.tolerance},
      {"weighted", options.weighted}};
  answer.pairs = {.u = result.source.span().first(result.rows),
                  .v = result.vertex.span().first(result.rows),
                  .name_of_u = "source",
                  .name_of_v = "vertex",
                  .ranked_by_u = true};
  answer.columns = {{"probability", result.probability.span().first(result.rows)}};
  answer.summary =
      fmt::format("rwr from each of {} sources, {} together: {}", format_count(sources.ids.size()),
                  result.batch, walk_end(answer.report, residual));
  return answer;
}

}  // namespace fathom
