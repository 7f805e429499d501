#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

constexpr std::size_t kShownOfCycle = 8;     // vertices, in the summary
constexpr std::size_t kNamedOfCycle = 1000;  // in the report

struct Range {
  double least = 0, most = 0;
};
/// The finite ones; the source's among them, unless a cycle goes through it.
template <class Length>
Range range_of(std::span<const Length> distance) {
  Range range;
  for (const Length d : distance) {
    if (!(d < kInfinity && d > -kInfinity)) continue;
    range.least = std::min(range.least, static_cast<double>(d));
    range.most = std::max(range.most, static_cast<double>(d));
  }
  return range;
}

bool in_double(const OptionValues& values) {
  return values.mode("precision") == "double";
}

std::string cycle_line(const std::vector<std::string>& names, const BellmanFordResult& result) {
  const std::size_t length = result.cycles[0].size();
  std::string line =
      fmt::format("  a cycle of {}, weight {}: ", format_count(length), result.cycle_weight);
  for (std::size_t i = 0; i < names.size() && i < kShownOfCycle; ++i)
    line += printable(names[i]) + " -> ";
  return line + (length > kShownOfCycle ? "... -> " : "") + printable(names[0]) + "\n";
}

std::string summary_of(const std::string& source, const BellmanFordResult& result, Range range,
                       const std::vector<std::string>& cycle) {
  std::string text = fmt::format("bellman-ford from {}: {} vertices reached, ", printable(source),
                                 format_count(result.reached));
  if (result.has_distances())
    return text + fmt::format("distances {} to {}\n", range.least, range.most);
  text +=
      fmt::format("{} of them on negative cycles or behind them\n", format_count(result.without));
  return text + cycle_line(cycle, result);
}

Answer run_bellman_ford(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const bool wide = in_double(values);
  const BellmanFordOptions options{wide ? SsspPrecision::Double : SsspPrecision::Float};
  const ChosenVertices& chosen = values.vertices("source");
  const VertexId source = chosen.ids.at(0);
  const auto kept =
      std::make_shared<const BellmanFordResult>(bellman_ford(ctx, graph, source, options));
  const BellmanFordResult& result = *kept;
  std::vector<std::string> cycle;
  if (!result.cycles.empty())
    for (const VertexId v : result.cycles[0]) {
      if (cycle.size() == kNamedOfCycle) break;
      cycle.push_back(values.label_of(v));
    }
  const Range range = wide ? range_of<double>(result.double_distance.span())
                           : range_of<Weight>(result.distance.span());
  Answer answer =
      answer_of(kept, [source](const Context& on, const Graph& of, const BellmanFordResult& its) {
        verify_bellman_ford(on, of, source, its);
      });
  answer.facts = {
      {"source", chosen.labels.at(0)},
      {"reached", std::uint64_t{result.reached}},
      {"min_distance", range.least},
      {"max_distance", range.most},
      {"precision", values.mode("precision")},
      {"without_distance", std::uint64_t{result.without}},
      {"cycle_length", std::uint64_t{result.cycles.empty() ? 0 : result.cycles[0].size()}},
      {"cycle_weight", result.cycle_weight},
      {"cycle", cycle}};
  if (wide)
    answer.columns = {{"distance", result.double_distance.span()}};
  else
    answer.columns = {{"distance", result.distance.span()}};
  answer.summary = summary_of(chosen.labels.at(0), result, range, cycle);
  return answer;
}

}  // namespace

const Algorithm& describe_bellman_ford() {
  using enum OptionInfo::Kind;
  static const Algorithm algorithm{
      .name = "bellman-ford",
      .purpose = "Shortest distances from a source by weights that may be negative, or a cycle",
      .notes =
          "Weights are followed along out-edges; without any every edge has length 1. Vertices on\n"
          "or behind a cycle of negative weight have no distance, and one such cycle is named; a\n"
          "negative undirected edge is one. Distances are sums in 32-bit floating point, the same\n"
          "everywhere; --precision double sums in 64 bits: a cycle whose weight is lost in "
          "rounding\n"
          "is not seen. Result columns: vertex, distance (inf: not reached, -inf: behind a "
          "negative\n"
          "cycle). --top K lists the K farthest.",
      .examples = {"gains.fg --source 17", "gains.fg --source 17 --precision double --verify"},
      .options = {{.name = "source",
                   .kind = Vertex,
                   .value = "LABEL",
                   .meaning = "The vertex to start from, by its label",
                   .required = true},
                  {.name = "precision",
                   .kind = Mode,
                   .meaning = "What distances are summed in (default float)",
                   .choices = {"float", "double"},
                   .mode = "float",
                   .planned = true}},
      .columns = {{"distance", "from the source; inf: not reached, -inf: behind a negative cycle"}},
      .facts = {{.name = "source", .kind = FactInfo::Kind::Text},
                {.name = "reached"},
                {.name = "min_distance", .kind = FactInfo::Kind::Real},
                {.name = "max_distance", .kind = FactInfo::Kind::Real},
                {.name = "precision", .kind = FactInfo::Kind::Mode, .choices = {"float", "double"}},
                {.name = "without_distance",
                 .meaning = "vertices on negative cycles or behind them"},
                {.name = "cycle_length", .meaning = "vertices of the cycle; 0: there is none"},
                {.name = "cycle_weight",
                 .kind = FactInfo::Kind::Real,
                 .meaning = "the sum of its lightest edges; 0: there is none"},
                {.name = "cycle",
                 .kind = FactInfo::Kind::Texts,
                 .meaning = "its vertices, along edges, by their labels; at most the first 1000"}},
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return bellman_ford_state(in_double(values) ? sizeof(double) : sizeof(Weight),
                                      where.id_bytes);
          },
      // Edges are relaxed as often as distances fall at their sources: measured where they are
      // positive.
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 0, .most = 5};
          },
      .run = run_bellman_ford};
  return algorithm;
}

}  // namespace fathom
