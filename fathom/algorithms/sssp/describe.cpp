#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// The largest finite one.
template <class Length>
double farthest(std::span<const Length> distance) {
  Length largest = 0;
  for (const Length d : distance)
    if (d < kInfinity) largest = std::max(largest, d);
  return largest;
}

bool in_double(const OptionValues& values) {
  return values.mode("precision") == "double";
}

Answer run_sssp(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const bool wide = in_double(values);
  const SsspOptions options{.delta = values.real("delta"),
                            .precision = wide ? SsspPrecision::Double : SsspPrecision::Float};
  const ChosenVertices& chosen = values.vertices("source");
  const VertexId source = chosen.ids.at(0);
  const auto kept = std::make_shared<const SsspResult>(sssp(ctx, graph, source, options));
  const SsspResult& result = *kept;
  Answer answer =
      answer_of(kept, [source](const Context& on, const Graph& of, const SsspResult& its) {
        verify_sssp(on, of, source, its);
      });
  const double far = wide ? farthest<double>(result.double_distance.span())
                          : farthest<Weight>(result.distance.span());
  answer.facts = {{"source", chosen.labels.at(0)},
                  {"reached", std::uint64_t{result.reached}},
                  {"max_distance", far},
                  {"delta", result.delta},
                  {"precision", values.mode("precision")}};
  if (wide)
    answer.columns = {{"distance", result.double_distance.span()}};
  else
    answer.columns = {{"distance", result.distance.span()}};
  answer.summary =
      fmt::format("sssp from {}: {} of {} vertices reached, greatest distance {} (delta {})\n",
                  printable(chosen.labels.at(0)), format_count(result.reached),
                  format_count(graph.vertices()), far, result.delta);
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
          "off, and one longer than 3.4e38 counts as none. --precision double sums the same "
          "weights\n"
          "in 64 bits, so that integers are exact up to 2^53 instead of 2^24, at twice the "
          "memory.\n"
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
                   .meaning = "Width of a bucket of distances, on one GPU the least (default: "
                              "chosen from weights and degrees)",
                   .positive = true},
                  {.name = "precision",
                   .kind = Mode,
                   .meaning = "What distances are summed in (default float)",
                   .choices = {"float", "double"},
                   .mode = "float",
                   .planned = true}},
      .columns = {{"distance", "from the source; inf: not reached"}},
      .facts = {{.name = "source", .kind = FactInfo::Kind::Text},
                {.name = "reached"},
                {.name = "max_distance", .kind = FactInfo::Kind::Real},
                {.name = "delta", .kind = FactInfo::Kind::Real},
                {.name = "precision",
                 .kind = FactInfo::Kind::Mode,
                 .choices = {"float", "double"}}},
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return sssp_state(in_double(values) ? sizeof(double) : sizeof(Weight), where.id_bytes);
          },
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 0, .most = 2};
          },
      .run = run_sssp};
  return algorithm;
}

}  // namespace fathom
