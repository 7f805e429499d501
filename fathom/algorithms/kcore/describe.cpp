#include <fmt/format.h>

#include <map>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// Vertices by core number.
std::map<std::uint32_t, std::uint64_t> core_counts(const KcoreResult& result) {
  std::map<std::uint32_t, std::uint64_t> count;
  for (const std::uint32_t core : result.core) ++count[core];
  return count;
}

std::string core_table(const std::map<std::uint32_t, std::uint64_t>& counts) {
  constexpr std::size_t kShown = 12;  // the outermost and the innermost shells
  std::string table = fmt::format("  {:>10}  {:>15}\n", "core", "vertices");
  std::size_t row = 0;
  for (const auto& [core, vertices] : counts) {
    const bool left_out = row >= kShown && row + kShown < counts.size();
    if (!left_out) table += fmt::format("  {:>10}  {:>15}\n", core, format_count(vertices));
    if (left_out && row == kShown) table += fmt::format("  {:>10}  {:>15}\n", "...", "...");
    ++row;
  }
  return table;
}

Answer run_kcore(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const KcoreOptions options{static_cast<std::uint32_t>(values.count("k"))};
  const bool limited = options.limit != kUnpeeled;
  const auto kept = std::make_shared<const KcoreResult>(kcore(ctx, graph, options));
  const KcoreResult& result = *kept;
  const auto counts = core_counts(result);
  const std::uint64_t innermost = counts.empty() ? 0 : counts.rbegin()->second;
  Fact::Table shells{{"core", "vertices"}, {}};
  for (const auto& [core, vertices] : counts) shells.rows.push_back({core, vertices});
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const KcoreResult& its) {
        verify_kcore(on, of, options, its);
      });
  answer.facts = {{"degeneracy", std::uint64_t{result.degeneracy}},
                  {"innermost", innermost},
                  {"layers", std::uint64_t{result.layers}},
                  {"k", limited ? Fact::Value(std::uint64_t{options.limit}) : nullptr},
                  {"core_counts", std::move(shells)}};
  answer.columns = {{"core", result.core.span()}};
  if (values.flag("layers")) answer.columns.push_back({"layer", result.layer.span(), kUnpeeled});
  answer.summary =
      fmt::format("kcore: {} of {} vertices in the {}-core{}, {} layers\n", format_count(innermost),
                  format_count(result.core.size()), result.degeneracy,
                  limited ? "" : ", the innermost", format_count(result.layers)) +
      core_table(counts);
  return answer;
}

}  // namespace

const Algorithm& describe_kcore() {
  static const Algorithm algorithm{
      .name = "kcore",
      .purpose = "Core numbers: the largest k such that a vertex belongs to the k-core",
      .notes =
          "Degrees count edges in either direction, but no loops. Result columns: vertex, core; "
          "with\n"
          "--layers also layer (from 1 on; with --k, -1 for what was left).",
      .examples = {"graph.fg --top 10", "graph.fg --layers -o cores.tsv",
                   "graph.fg --k 3 -o members.tsv"},
      .options = {{.name = "k",
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "Only find the k-core: larger core numbers are given as N",
                   .most = kUnpeeled - 1,
                   .count = kUnpeeled},
                  {.name = "layers",
                   .meaning = "Also give the round in which each vertex was peeled off (onion "
                              "layers)"}},
      .columns = {{"core", "the largest k of a k-core that the vertex is in"},
                  {"layer", "the round, from 1 on, in which it was peeled off"}},
      .facts = {{.name = "degeneracy", .meaning = "the largest core number; with --k at most that"},
                {.name = "innermost", .meaning = "vertices of this core number"},
                {.name = "layers", .meaning = "rounds of peeling"},
                {.name = "k", .meaning = "of --k", .may_be_null = true},
                {.name = "core_counts",
                 .kind = FactInfo::Kind::Table,
                 .meaning = "ascending; only core numbers that occur",
                 .of = {{.name = "core"}, {.name = "vertices"}}}},
      .state =
          [](const Algorithm::Where& where, const OptionValues&) {
            return kcore_state(where.two_lists(), where.one_device, where.id_bytes);
          },
      // Once to count; once more as vertices are peeled, but for the core that stays.
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 1, .most = 2};
          },
      .run = run_kcore};
  return algorithm;
}

}  // namespace fathom
