#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/radius/parts.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// [r]: vertices of effective radius r.
std::vector<std::uint64_t> radius_counts(const RadiusResult& result) {
  std::vector<std::uint64_t> count(result.farthest.empty() ? 0 : result.diameter + std::size_t{1});
  for (const std::uint32_t radius : result.effective_radius) ++count[radius];
  while (!count.empty() && count.back() == 0) count.pop_back();
  return count;
}

std::string hop_table(const RadiusResult& result) {
  const auto counts = radius_counts(result);
  constexpr std::size_t kShown = 24;  // long paths: the first and the last hops
  std::string table =
      fmt::format("  {:>6}  {:>20}  {:>20}\n", "hops", "pairs within", "vertices of radius");
  for (std::size_t h = 0; h < result.pairs.size(); ++h) {
    if (result.pairs.size() > 2 * kShown && h == kShown) {
      table += fmt::format("  {:>6}  {:>20}  {:>20}\n", "...", "...", "...");
      h = result.pairs.size() - kShown;
    }
    table += fmt::format("  {:>6}  {:>20.6g}  {:>20}\n", h, result.pairs[h],
                         format_count(h < counts.size() ? counts[h] : 0));
  }
  return table;
}

RadiusOptions options_of(const OptionValues& values) {
  RadiusOptions options;
  options.sketches = static_cast<std::uint32_t>(values.count("sketches"));
  options.seed = values.count("seed");
  options.quantile = values.real("quantile");
  options.max_hops = static_cast<std::uint32_t>(values.count("max-iter"));
  options.checkpoint = values.checkpoint;
  return options;
}

Answer run_radius(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const RadiusOptions options = options_of(values);
  const auto kept = std::make_shared<const RadiusResult>(estimate_radius(ctx, graph, options));
  const RadiusResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const RadiusResult& its) {
        verify_radius(on, of, options, its);
      });
  answer.facts = {{"effective_diameter", result.effective_diameter},
                  {"diameter", std::uint64_t{result.diameter}},
                  {"sketches", std::uint64_t{options.sketches}},
                  {"seed", options.seed},
                  {"quantile", options.quantile},
                  {"pairs", result.pairs},
                  {"radius_counts", radius_counts(result)}};
  answer.columns = {{"effective_radius", result.effective_radius.span()},
                    {"farthest", result.farthest.span()}};
  answer.summary = fmt::format(
                       "radius: effective diameter {:.2f}, diameter at least {} (estimated with "
                       "{} sketches)\n",
                       result.effective_diameter, format_count(result.diameter), options.sketches) +
                   hop_table(result);
  return answer;
}

}  // namespace

const Algorithm& describe_radius() {
  using enum OptionInfo::Kind;
  static const RadiusOptions standard;
  static const Algorithm algorithm{
      .name = "radius",
      .purpose = "Effective radius of every vertex and effective diameter, estimated (HADI)",
      .notes =
          "Along out-edges. Result columns: vertex, effective_radius (hops within which 90 % of "
          "what\n"
          "the vertex reaches is), farthest (at most its eccentricity).",
      .examples = {"graph.fg", "web.fg --sketches 128 -o radii.tsv"},
      .options = {{.name = "sketches",
                   .kind = Count,
                   .value = "K",
                   .meaning = "Sketches per vertex, an even number: 32 estimate within 14 %, 128 "
                              "within 7 %",
                   .most = ~std::uint32_t{0},
                   .count = standard.sketches,
                   .shows_default = true,
                   .planned = true},
                  {.name = "seed",
                   .kind = Count,
                   .value = "S",
                   .meaning = "The same seed gives the same result everywhere",
                   .count = standard.seed,
                   .shows_default = true},
                  {.name = "quantile",
                   .kind = Real,
                   .value = "X",
                   .meaning = "What share of the reachable vertices \"effective\" means, 0 to 1",
                   .shows_default = true,
                   .real = standard.quantile,
                   .planned = true},
                  {.name = "max-iter",
                   .kind = Count,
                   .value = "N",
                   .meaning = "Give up after so many hops (exit status 7)",
                   .most = OptionInfo::kMost32,
                   .positive = true,
                   .count = standard.max_hops}},
      .columns = {{"effective_radius", "hops within which 90 % of what the vertex reaches is"},
                  {"farthest", "hops to the farthest; at most its eccentricity"}},
      .facts = {{.name = "effective_diameter", .kind = FactInfo::Kind::Real},
                {.name = "diameter", .meaning = "a lower bound"},
                {.name = "sketches"},
                {.name = "seed"},
                {.name = "quantile", .kind = FactInfo::Kind::Real},
                {.name = "pairs",
                 .kind = FactInfo::Kind::Reals,
                 .meaning = "[h]: estimated pairs of vertices within h hops"},
                {.name = "radius_counts",
                 .kind = FactInfo::Kind::Counts,
                 .meaning = "[r]: vertices of effective radius r"}},
      .checkpoints = true,
      .state =
          [](const Algorithm::Where&, const OptionValues& values) {
            const RadiusOptions options = options_of(values);
            return radius_state(options.sketches, score_slack(options) + 1);
          },
      // Those whose neighbours have changed read again: measured on R-MAT and uniform graphs; of
      // long paths as often as of graphs that are alike.
      .reads =
          [](const Algorithm::Where&, const OptionValues& values) {
            const double work = static_cast<double>(values.count("sketches")) / standard.sketches;
            return Reads{.kind = Reads::Kind::Traversal,
                         .least = 1,
                         .most = 6,
                         .least_work = work,
                         .most_work = work};
          },
      .run = run_radius};
  return algorithm;
}

}  // namespace fathom
