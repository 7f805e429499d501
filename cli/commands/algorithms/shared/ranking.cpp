#include "cli/commands/algorithms/shared/ranking.hpp"

#include <fmt/format.h>

#include "cli/shared/console.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {

std::string human(const Json& number) {
  if (number.is_number_integer() && number >= 0) return format_count(number.get<std::uint64_t>());
  if (number.is_number_integer()) return fmt::format("{}", number.get<std::int64_t>());
  return fmt::format("{:.6g}", number.get<double>());
}

std::string table_of(const Ranking& ranking, const LoadedGraph& graph) {
  using Row = std::vector<std::string>;  // names, and a number
  const auto label = [&](std::size_t v) {
    return printable(graph.label(static_cast<VertexId>(v)));
  };
  const auto& pairs = ranking.pairs;
  std::vector<Row> rows{pairs ? Row{pairs->name_of_u, pairs->name_of_v, ranking.value}
                              : Row{ranking.key, ranking.value}};
  for (const auto& [at, value] : ranking.best)
    rows.push_back(pairs ? Row{label(pairs->u[at]), label(pairs->v[at]), human(value)}
                         : Row{label(at), human(value)});
  std::vector<std::size_t> width(rows[0].size(), 0);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  std::string table;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      table += fmt::format("  {:<{}}", row[i], width[i]);
    table += fmt::format("  {:>{}}\n", row.back(), width.back());
  }
  return table;
}

Json json_of(const Ranking& ranking, const LoadedGraph& graph) {
  Json rows = Json::array();
  const auto label = [&](std::size_t v) { return graph.label(static_cast<VertexId>(v)); };
  for (const auto& [at, value] : ranking.best) {
    if (const auto& pairs = ranking.pairs)
      rows.push_back({{pairs->name_of_u, label(pairs->u[at])},
                      {pairs->name_of_v, label(pairs->v[at])},
                      {ranking.value, value}});
    else
      rows.push_back({{ranking.key, label(at)}, {ranking.value, value}});
  }
  return rows;
}

}  // namespace fathom::cli
