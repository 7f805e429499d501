// fathom degrees: how many edges the vertices have, and how that is distributed.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/table_writer.hpp"

namespace fathom::cli {
namespace {

struct DegreesCommand {
  AlgorithmOptions common;
  std::string histogram;
};

using Distribution = std::vector<DegreeFrequency>;

/// A direction of the edges, and what there is to say of its degrees.
struct Side {
  std::string name;  // a column: "degree", "out_degree", "in_degree"
  std::span<const EdgeId> degrees;
  Distribution distribution;
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

Json law_json(const std::optional<PowerLaw>& law) {
  if (!law) return nullptr;
  return {{"alpha", law->alpha},
          {"error", law->error},
          {"minimum", law->minimum},
          {"tail", law->tail},
          {"distance", law->distance}};
}

Json side_json(const Side& side) {
  Json histogram = Json::array();
  for (const auto& [degree, vertices] : side.distribution)
    histogram.push_back({{"degree", degree}, {"vertices", vertices}});
  return {{"mean", mean_of(side)},
          {"maximum", largest_of(side)},
          {"power_law", law_json(side.law)},
          {"histogram", histogram}};
}

std::string law_text(const std::string& name, const PowerLaw& law) {
  return fmt::format(
      "  {}: power law with alpha {:.3f} +- {:.3f} from {} on ({} vertices, distance {:.3f})\n",
      name, law.alpha, law.error, format_count(law.minimum), format_count(law.tail), law.distance);
}

/// Rows of one degree, then of powers of two.
std::string table(const std::vector<Side>& sides) {
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

void write_histogram(const std::string& path, const std::vector<Side>& sides) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> rows;
  for (std::size_t s = 0; s < sides.size(); ++s)
    for (const auto& [degree, vertices] : sides[s].distribution) {
      auto& counts = rows[degree];
      counts.resize(sides.size());
      counts[s] = vertices;
    }
  io::TableWriter file(path);
  file.field("degree");
  for (const Side& side : sides) file.field(side.name == "degree" ? "vertices" : "by_" + side.name);
  file.end_row();
  for (const auto& [degree, counts] : rows) {
    file.field(degree);
    for (const std::uint64_t count : counts) file.field(count);
    file.end_row();
  }
  file.commit();
}

void run_degrees(const DegreesCommand& c, Session& session) {
  if (!c.histogram.empty()) io::table_separator(c.histogram);
  check_writable(c.histogram);
  AlgorithmRun run("degrees", c.common, session);
  const DegreesResult result =
      run.measure([&] { return degrees(run.context(), run.graph()); },
                  [&](const DegreesResult& r) {
                    verify_degrees(run.checking_context(), run.checking_graph(), r);
                  });
  const bool directed = run.graph().directed();
  std::vector<EdgeId> both;
  if (directed)
    for (VertexId v = 0; v < result.out.size(); ++v) both.push_back(result.degree(v));
  std::vector<Side> sides{
      side_of("degree", directed ? std::span<const EdgeId>(both) : result.out.span())};
  if (directed) {
    sides.push_back(side_of("out_degree", result.out.span()));
    sides.push_back(side_of("in_degree", result.in.span()));
  }
  std::vector<io::ResultColumn> columns;
  std::string summary;
  Json json;
  for (const Side& side : sides) {
    // Degrees are below 2^63, where signed and unsigned numbers look alike.
    columns.push_back({side.name, std::span<const std::int64_t>(
                                      reinterpret_cast<const std::int64_t*>(side.degrees.data()),
                                      side.degrees.size())});
    json[side.name] = side_json(side);
    summary += fmt::format("  {}: mean {:.4g}, largest {}\n", side.name, mean_of(side),
                           format_count(largest_of(side)));
    if (side.law) summary += law_text(side.name, *side.law);
  }
  for (const char* name : {"out_degree", "in_degree"})
    if (!directed) json[name] = nullptr;
  const Ranking ranking{"vertex", "degree",
                        largest(
                            sides[0].degrees, run.top(), [](auto) { return true; }, run.rows())};
  if (!c.histogram.empty()) write_histogram(c.histogram, sides);
  run.finish(result.report, std::move(json), columns, ranking,
             fmt::format("degrees: {} vertices, {} edges\n", format_count(run.graph().vertices()),
                         format_count(run.graph().edges())) +
                 summary + table(sides));
}

}  // namespace

void add_degrees(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "degrees", "Degrees and their distribution, with the power law that fits it best");
  auto c = std::make_shared<DegreesCommand>();
  command
      ->add_option("--histogram", c->histogram,
                   "Write how many vertices have each degree; the name ends in .tsv or .csv")
      ->type_name("FILE");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Result columns: vertex, degree; for directed graphs also out_degree and in_degree, whose\n"
      "sum degree is. A loop of an undirected graph counts once.\n\n"
      "Examples:\n"
      "  fathom degrees graph.fg --top 10\n"
      "  fathom degrees graph.fg --histogram degrees.tsv");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_degrees(*c, session); }; });
}

}  // namespace fathom::cli
