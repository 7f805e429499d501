#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

static Answer run_triangles(const Context& ctx, const Graph& graph, const OptionValues& values) {
  TrianglesOptions options;
  options.per_vertex = values.flag("per-vertex") || values.columns;
  const auto result = std::make_shared<const TrianglesResult>(count_triangles(ctx, graph, options));
  Answer answer = answer_of(result, verify_triangles);
  answer.facts = {{"triangles", result->total}};
  // Counts are below 2^63, where signed and unsigned numbers look alike.
  if (options.per_vertex)
    answer.columns = {
        {"triangles", std::span<const std::int64_t>(
                          reinterpret_cast<const std::int64_t*>(result->per_vertex.data()),
                          result->per_vertex.size())}};
  answer.summary = fmt::format("tc: {} triangle{}\n", format_count(result->total),
                               result->total == 1 ? "" : "s");
  return answer;
}

const Algorithm& describe_triangles() {
  static const Algorithm algorithm{
      .name = "tc",
      .purpose =
          "Triangles, whatever the direction of the edges; loops and duplicates do not matter",
      .notes = "Result columns: vertex, triangles (those that contain the vertex).",
      .examples = {"graph.fg", "graph.fg --top 10 -o triangles.tsv"},
      .options = {{.name = "per-vertex",
                   .meaning = "Also count the triangles each vertex is in (implied by -o and "
                              "--top)",
                   .planned = true}},
      .columns = {{"triangles", "triangles that contain the vertex"}},
      .facts = {{.name = "triangles"}},
      .reads_oriented = true,
      .ranks_zero = false,
      .state =
          [](const Algorithm::Where&, const OptionValues& values) {
            return triangles_state(values.flag("per-vertex"));
          },
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 1, .most = 1};
          },
      .run = run_triangles};
  return algorithm;
}

}  // namespace fathom
