#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/eccentricity/eccentricity.hpp"
#include "fathom/algorithms/multi_search/describe_parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

static Answer run_eccentricity(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const EccentricityOptions options{values.flag("diameter") && !values.columns};
  const auto kept = std::make_shared<const EccentricityResult>(eccentricities(ctx, graph, options));
  const EccentricityResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const EccentricityResult& its) {
        verify_eccentricities(on, of, options, its);
      });
  const auto count = [](VertexId vertices) {
    return vertices == kNoVertex ? Fact::Value(nullptr) : Fact::Value(std::uint64_t{vertices});
  };
  answer.facts = {{"diameter", std::uint64_t{result.diameter}},
                  {"radius", std::uint64_t{result.radius}},
                  {"center", count(result.center)},
                  {"periphery", count(result.periphery)},
                  {"searches", result.searches}};
  if (!options.diameter_only) answer.columns = {{"eccentricity", result.eccentricity.span()}};
  const auto vertices = [](VertexId its) {
    return its == kNoVertex
               ? ""
               : fmt::format(" ({} vert{})", format_count(its), its == 1 ? "ex" : "ices");
  };
  answer.summary = fmt::format("eccentricity: diameter {}{}, radius {}{}, {} search{}\n",
                               format_count(result.diameter), vertices(result.periphery),
                               format_count(result.radius), vertices(result.center),
                               format_count(result.searches), result.searches == 1 ? "" : "es");
  return answer;
}

constexpr std::string_view kDiameterRate = "eccentricity --diameter";

/// How many searches bounds take depends on the graph: as many as in graphs that are alike.
/// Measured on R-MAT and uniform graphs and grids.
static Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  if (where.directed) return reads_in_batches(where, 0);
  Reads reads{.kind = Reads::Kind::Traversal, .least = 1, .most = 200};
  if (values.flag("diameter")) reads.rate = kDiameterRate;
  return reads;
}

const Algorithm& describe_eccentricity() {
  static const Algorithm algorithm{
      .name = "eccentricity",
      .purpose = "Distance to the farthest vertex from each, exact; diameter and radius",
      .notes =
          "In edges, along out-edges, to vertices that are reached: within its component where a\n"
          "graph has several. Diameter, radius, center and periphery are those of the largest\n"
          "component. Undirected graphs take few searches (bounding, Takes and Kosters). Of a\n"
          "directed graph every vertex is searched from, and what is said of the whole is of all\n"
          "vertices: for small ones. Result columns: vertex, eccentricity.",
      .examples = {"graph.fg --diameter", "graph.fg -o eccentricities.tsv"},
      .options = {{.name = "diameter",
                   .meaning = "Stop when diameter and radius are known (-o and --top ask for all)",
                   .planned = true}},
      .columns = {{"eccentricity", "edges to the farthest vertex that it reaches"}},
      .facts =
          {{.name = "diameter", .meaning = "the largest eccentricity"},
           {.name = "radius", .meaning = "the smallest"},
           {.name = "center", .meaning = "vertices that have the smallest", .may_be_null = true},
           {.name = "periphery", .meaning = "vertices that have the largest", .may_be_null = true},
           {.name = "searches", .meaning = "vertices that were searched from"}},
      .state =
          [](const Algorithm::Where& where, const OptionValues&) {
            return eccentricity_state(where.directed, where.id_bytes);
          },
      .reads = reads_of,
      .measured = {{"eccentricity"},
                   {kDiameterRate, [](OptionValues& values) { values.set_flag("diameter"); }}},
      .run = run_eccentricity};
  return algorithm;
}

}  // namespace fathom
