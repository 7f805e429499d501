#include "cli/commands/algorithms/shared/facts_json.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace fathom::cli {
namespace {

struct ToJson {
  Json operator()(const Fact::Table& table) const {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
      Json object;
      for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = row[i];
      rows.push_back(std::move(object));
    }
    return rows;
  }
  Json operator()(const Facts& facts) const { return json_of(facts); }
  Json operator()(const std::vector<Facts>& groups) const {
    Json rows = Json::array();
    for (const Facts& facts : groups) rows.push_back(json_of(facts));
    return rows;
  }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as facts nest
Json json_of(const Facts& facts) {
  Json json = Json::object();
  for (const Fact& fact : facts) json[fact.name] = std::visit(ToJson(), fact.value);
  return json;
}

}  // namespace fathom::cli
