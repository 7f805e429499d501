#include <fmt/format.h>

#include <map>

#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// A direction of the edges, and what there is to say of its degrees.
struct Side {
  std::string name;  // a column: "degree", "out_degree", "in_degree"
  std::span<const EdgeId> degrees;
  std::vector<DegreeFrequency> distribution;
  std::optional<PowerLaw> law;
};

Side side_of(std::string name, std::span<const EdgeId> degrees) {
  Side side{std::move(name), degrees, degree_distribution(degrees), std::nullopt};
  side.law = fit_power_law(side.distribution);
  return side;
}

std::uint64_t edges_of(const Side& side) {
  std::uint64_t sum = 0;
  for (const auto& [degree, vertices] : side.distribution) sum += degree * vertices;
  return sum;
}

double mean_of(const Side& side) {
  return side.degrees.empty()
             ? 0
             : static_cast<double>(edges_of(side)) / static_cast<double>(side.degrees.size());
}

std::uint64_t largest_of(const Side& side) {
  return side.distribution.empty() ? 0 : side.distribution.back().degree;
}

Fact::Value law_fact(const std::optional<PowerLaw>& law) {
  if (!law) return nullptr;
  return Facts{{"alpha", law->alpha},
               {"error", law->error},
               {"minimum", law->minimum},
               {"tail", law->tail},
               {"distance", law->distance}};
}

Facts side_facts(const Side& side) {
  Fact::Table histogram{{"degree", "vertices"}, {}};
  for (const auto& [degree, vertices] : side.distribution)
    histogram.rows.push_back({degree, vertices});
  return {{"mean", mean_of(side)},
          {"maximum", largest_of(side)},
          {"power_law", law_fact(side.law)},
          {"histogram", std::move(histogram)}};
}

FactInfo side_info(std::string_view name, std::string_view meaning = {}, bool may_be_null = false) {
  using enum FactInfo::Kind;
  FactInfo law{.name = "power_law", .kind = Group, .may_be_null = true};
  law.of = {{.name = "alpha", .kind = Real},
            {.name = "error", .kind = Real, .meaning = "standard error of alpha"},
            {.name = "minimum", .meaning = "where the tail begins"},
            {.name = "tail", .meaning = "vertices in it"},
            {.name = "distance", .kind = Real, .meaning = "Kolmogorov-Smirnov"}};
  FactInfo histogram{
      .name = "histogram", .kind = Table, .meaning = "ascending; only degrees that occur"};
  histogram.of = {{.name = "degree"}, {.name = "vertices"}};
  return {.name = name,
          .kind = Group,
          .meaning = meaning,
          .may_be_null = may_be_null,
          .of = {{.name = "mean", .kind = Real}, {.name = "maximum"}, law, histogram}};
}

std::string law_text(const std::string& name, const PowerLaw& law) {
  return fmt::format(
      "  {}: power law with alpha {:.3f} +- {:.3f} from {} on ({} vertices, distance {:.3f})\n",
      name, law.alpha, law.error, format_count(law.minimum), format_count(law.tail), law.distance);
}

/// Rows of one degree, then of powers of two.
std::string degree_table(const std::vector<Side>& sides) {
  constexpr std::uint64_t kSingle = 4;
  std::map<std::uint64_t, std::vector<std::uint64_t>> rows;  // by the first degree
  for (std::size_t s = 0; s < sides.size(); ++s)
    for (const auto& [degree, vertices] : sides[s].distribution) {
      std::uint64_t first = degree;
      if (degree >= kSingle)
        for (first = kSingle; first * 2 <= degree; first *= 2) {
        }
      auto& counts = rows[first];
      counts.resize(sides.size());
      counts[s] += vertices;
    }
  std::string text = fmt::format("  {:>15}", "degree");
  for (const Side& side : sides) text += fmt::format("  {:>15}", side.name);
  text += "\n";
  for (const auto& [first, counts] : rows) {
    text += fmt::format("  {:>15}", first < kSingle ? format_count(first)
                                                    : fmt::format("{} to {}", format_count(first),
                                                                  format_count(2 * first - 1)));
    for (const std::uint64_t count : counts) text += fmt::format("  {:>15}", format_count(count));
    text += "\n";
  }
  return text;
}

/// How many vertices have each degree, in a column for each direction.
Fact::Table histogram_of(const std::vector<Side>& sides) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> rows;
  for (std::size_t s = 0; s < sides.size(); ++s)
    for (const auto& [degree, vertices] : sides[s].distribution) {
      auto& row = rows[degree];
      row.resize(1 + sides.size());
      row[0] = degree;
      row[1 + s] = vertices;
    }
  Fact::Table table{{"degree"}, {}};
  for (const Side& side : sides)
    table.columns.push_back(side.name == "degree" ? "vertices" : "by_" + side.name);
  for (auto& [degree, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

/// What columns show.
struct Kept {
  DegreesResult result;
  std::vector<EdgeId> both;  // of directed graphs
};

Answer run_degrees(const Context& ctx, const Graph& graph, const OptionValues&) {
  const auto kept = std::make_shared<Kept>();
  kept->result = degrees(ctx, graph);
  const DegreesResult& result = kept->result;
  std::vector<Side> sides;
  if (graph.directed()) {
    for (VertexId v = 0; v < result.out.size(); ++v) kept->both.push_back(result.degree(v));
    sides = {side_of("degree", kept->both), side_of("out_degree", result.out.span()),
             side_of("in_degree", result.in.span())};
  } else {
    sides = {side_of("degree", result.out.span())};
  }
  Answer answer = answer_of(std::shared_ptr<const DegreesResult>(kept, &result), verify_degrees);
  answer.summary = fmt::format("degrees: {} vertices, {} edges\n", format_count(graph.vertices()),
                               format_count(graph.edges()));
  for (const Side& side : sides) {
    // Degrees are below 2^63, where signed and unsigned numbers look alike.
    answer.columns.push_back(
        {side.name,
         std::span<const std::int64_t>(reinterpret_cast<const std::int64_t*>(side.degrees.data()),
                                       side.degrees.size())});
    answer.facts.push_back({side.name, side_facts(side)});
    answer.summary += fmt::format("  {}: mean {:.4g}, largest {}\n", side.name, mean_of(side),
                                  format_count(largest_of(side)));
    if (side.law) answer.summary += law_text(side.name, *side.law);
  }
  if (!graph.directed())
    for (const char* name : {"out_degree", "in_degree"}) answer.facts.push_back({name, nullptr});
  answer.summary += degree_table(sides);
  answer.tables["histogram"] = histogram_of(sides);
  return answer;
}

}  // namespace

const Algorithm& describe_degrees() {
  static const Algorithm algorithm{
      .name = "degrees",
      .purpose = "Degrees and their distribution, with the power law that fits it best",
      .notes =
          "Result columns: vertex, degree; for directed graphs also out_degree and in_degree, "
          "whose\n"
          "sum degree is. A loop of an undirected graph counts once.",
      .examples = {"graph.fg --top 10", "graph.fg --histogram degrees.tsv"},
      .options = {{.name = "histogram",
                   .kind = OptionInfo::Kind::Table,
                   .value = "FILE",
                   .meaning = "Write how many vertices have each degree; the name ends in .tsv or "
                              ".csv"}},
      .columns = {{"degree", "edges of the vertex, in both directions"},
                  {"out_degree", "edges from the vertex, where they are directed"},
                  {"in_degree", "edges to the vertex, where they are directed"}},
      .facts = {side_info("degree"), side_info("out_degree", "of directed graphs", true),
                side_info("in_degree", "of directed graphs", true)},
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return degrees_state(where.directed); },
      // Offsets say all, but for in-edges that were not stored. It takes what it takes to map them,
      // which rates of lists say nothing of.
      .reads =
          [](const Algorithm::Where& where, const OptionValues&) {
            return Reads{.out_lists = where.directed && !where.has_in,
                         .in_offsets = where.two_lists()};
          },
      .run = run_degrees};
  return algorithm;
}

}  // namespace fathom
