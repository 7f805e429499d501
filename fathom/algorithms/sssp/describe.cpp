#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// The largest finite distance.
Weight farthest(const SsspResult& result) {
  Weight largest = 0;
  for (const Weight d : result.distance)
    if (d < kInfinity) largest = std::max(largest, d);
  return largest;
}

Answer run_sssp(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const SsspOptions options{static_cast<Weight>(values.real("delta"))};
  const ChosenVertices& chosen = values.vertices("source");
  const VertexId source = chosen.ids.at(0);
  const auto kept = std::make_shared<const SsspResult>(sssp(ctx, graph, source, options));
  const SsspResult& result = *kept;
  Answer answer =
      answer_of(kept, [source](const Context& on, const Graph& of, const SsspResult& its) {
        verify_sssp(on, of, source, its);
      });
  const Weight far = farthest(result);
  answer.facts = {{"source", chosen.labels.at(0)},
                  {"reached", std::uint64_t{result.reached}},
                  {"max_distance", far},
                  {"delta", result.delta}};
  answer.columns = {{"distance", result.distance.span()}};
  answer.summary =
      fmt::format("sssp from {}: {} of {} vertices reached, greatest distance {} (delta {})\n",
                  printable(chosen.labels.at(0)), format_count(result.reached),
                  format_count(result.distance.size()), far, result.delta);
  return answer;
}

}  // namespace

const Algorithm& describe_sssp() {
  using enum OptionInfo::Kind;
  static const Algorithm algorithm{
      .name = "sssp",
      .purpose = "Shortest distances by weight from a source (delta-stepping along out-edges)",
      .notes =
          "Weights are at least 0; in a graph without weights every edge has length 1. Distances "
          "are\n"
          "sums in 32-bit floating point, the same everywhere: a path of a million edges may be 1 "
          "%\n"
          "off, and one longer than 3.4e38 counts as none.\n"
          "Result columns: vertex, distance (inf: not reached). --top K lists the K farthest.",
      .examples = {"roads.fg --source 17",
                   "roads.fg --source 17 -o distances.npy --trials 5 --verify"},
      .options = {{.name = "source",
                   .kind = Vertex,
                   .value = "LABEL",
                   .meaning = "The vertex to start from, by its label",
                   .required = true},
                  {.name = "delta",
                   .kind = Real,
                   .value = "X",
                   .meaning = "Width of a bucket of distances (default: chosen from weights and "
                              "degrees)",
                   .positive = true}},
      .columns = {{"distance", "from the source; inf: not reached"}},
      .facts = {{.name = "source", .kind = FactInfo::Kind::Text},
                {.name = "reached"},
                {.name = "max_distance", .kind = FactInfo::Kind::Real},
                {.name = "delta", .kind = FactInfo::Kind::Real}},
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return sssp_state(where.id_bytes); },
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 0, .most = 2};
          },
      .run = run_sssp};
  return algorithm;
}

}  // namespace fathom
