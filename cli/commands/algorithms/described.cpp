// The command of an algorithm that describes itself (fathom/algorithms/described).
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::cli {
namespace {

struct DescribedCommand {
  explicit DescribedCommand(const Algorithm& its) : algorithm(its), values(its.options) {}

  const Algorithm& algorithm;
  AlgorithmOptions common;
  OptionValues values;  // that were given; the others have their defaults
};

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
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

Json json_of(const std::vector<Fact>& facts) {
  Json json = Json::object();
  for (const Fact& fact : facts) json[fact.name] = std::visit(ToJson(), fact.value);
  return json;
}

Ranking best_of(const Algorithm& algorithm, const Answer& answer, std::uint64_t k,
                std::span<const VertexId> rows) {
  if (answer.columns.empty()) return {};
  const io::ResultColumn& column = answer.columns.front();
  return std::visit(
      [&](auto values) {
        const auto eligible = [&](auto value) { return algorithm.ranks_zero || value > 0; };
        return Ranking{"vertex", column.name, largest(values, k, eligible, rows)};
      },
      column.values);
}

void run_described(const DescribedCommand& c, Session& session) {
  const Algorithm& algorithm = c.algorithm;
  AlgorithmRun run(
      std::string(algorithm.name), c.common, session,
      algorithm.reads_oriented ? LoadedGraph::Opens::Nothing : LoadedGraph::Opens::OutLists);
  OptionValues values = c.values;
  values.columns = !c.common.output.result.empty() || run.top() > 0 || algorithm.shows_best;
  const Answer answer = run.measure(
      [&] { return algorithm.run(run.context(), run.graph(), values); },
      [&](const Answer& its) { its.verify(run.checking_context(), run.checking_graph()); });
  std::string summary = answer.summary;
  if (algorithm.shows_best && run.top() == 0)
    summary += table_of(best_of(algorithm, answer, kShownVertices, run.rows()), run.loaded());
  run.finish(answer.report, json_of(answer.facts), answer.columns,
             best_of(algorithm, answer, run.top(), run.rows()), summary);
}

template <class T>
void add_number(CLI::App& command, const OptionInfo& info, T standard,
                std::function<void(const T&)> set) {
  CLI::Option* const option = command.add_option_function<T>(
      fmt::format("--{}", info.name), std::move(set), std::string(info.meaning));
  option->type_name(std::string(info.value));
  if (info.shows_default) option->default_str(fmt::format("{}", standard));
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (info.least == 1) option->check(greater_than_zero());
    if (info.least > 1 || info.most < OptionInfo::kMost)
      option->check(CLI::Range(info.least, info.most));
  }
}

void add_option(CLI::App& command, const OptionInfo& info, OptionValues& values) {
  const std::string_view name = info.name;
  switch (info.kind) {
    case OptionInfo::Kind::Flag:
      command.add_flag_function(
          fmt::format("--{}", name),
          [&values, name](std::int64_t times) { values.set_flag(name, times > 0); },
          std::string(info.meaning));
      return;
    case OptionInfo::Kind::Real:
      return add_number<double>(command, info, info.real, [&values, name](const double& value) {
        values.set_real(name, value);
      });
    case OptionInfo::Kind::Count:
      return add_number<std::uint64_t>(
          command, info, info.count,
          [&values, name](const std::uint64_t& value) { values.set_count(name, value); });
  }
}

}  // namespace

void add_described(CLI::App& program, Session& session, const Algorithm& algorithm) {
  CLI::App* const command =
      program.add_subcommand(std::string(algorithm.name), std::string(algorithm.purpose));
  const auto c = std::make_shared<DescribedCommand>(algorithm);
  for (const OptionInfo& info : algorithm.options) add_option(*command, info, c->values);
  add_algorithm_options(*command, c->common);
  std::string footer = fmt::format("{}\n\nExamples:", algorithm.notes);
  for (const std::string_view example : algorithm.examples)
    footer += fmt::format("\n  fathom {} {}", algorithm.name, example);
  command->footer(footer);
  command->callback(
      [c, &session] { session.command = [c, &session] { run_described(*c, session); }; });
}

}  // namespace fathom::cli
