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
  std::vector<std::pair<std::string, std::string>> rows{{ranking.key, ranking.value}};
  for (const auto& [v, value] : ranking.best)
    rows.emplace_back(printable(graph.label(v)), human(value));
  std::size_t first = 0, second = 0;
  for (const auto& [key, value] : rows) {
    first = std::max(first, key.size());
    second = std::max(second, value.size());
  }
  std::string table;
  for (const auto& [key, value] : rows)
    table += fmt::format("  {:<{}}  {:>{}}\n", key, first, value, second);
  return table;
}

Json json_of(const Ranking& ranking, const LoadedGraph& graph) {
  Json rows = Json::array();
  for (const auto& [v, value] : ranking.best)
    rows.push_back({{ranking.key, graph.label(v)}, {ranking.value, value}});
  return rows;
}

}  // namespace fathom::cli
