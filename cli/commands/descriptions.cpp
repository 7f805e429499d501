// fathom descriptions: what algorithms say of themselves, as JSON. No help shows it: the man page
// and the schema of reports are written from it (scripts/make_reference.py).
#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::cli {
namespace {

const char* name_of(OptionInfo::Kind kind) {
  using enum OptionInfo::Kind;
  switch (kind) {
    case Flag:
      return "flag";
    case Count:
      return "count";
    case Real:
      return "real";
    case Mode:
      return "mode";
    case Vertex:
      return "vertex";
    case Vertices:
      return "vertices";
    case Masses:
      return "masses";
    case Pairs:
      return "pairs";
    case Table:
      return "table";
  }
  return "";
}

const char* name_of(FactInfo::Kind kind) {
  using enum FactInfo::Kind;
  switch (kind) {
    case Count:
      return "count";
    case Real:
      return "real";
    case Flag:
      return "flag";
    case Text:
      return "text";
    case Mode:
      return "mode";
    case Texts:
      return "texts";
    case Counts:
      return "counts";
    case Reals:
      return "reals";
    case Table:
      return "table";
    case Group:
      return "group";
    case Groups:
      return "groups";
  }
  return "";
}

Json default_of(const OptionInfo& option) {
  if (!option.shows_default) return nullptr;
  return option.kind == OptionInfo::Kind::Real ? fmt::format("{}", option.real)
                                               : fmt::format("{}", option.count);
}

Json description_of(const OptionInfo& option) {
  return {{"name", option.name},         {"kind", name_of(option.kind)},
          {"value", option.value},       {"meaning", option.meaning},
          {"choices", option.choices},   {"default", default_of(option)},
          {"required", option.required}, {"planned", option.planned}};
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as facts nest
Json description_of(const FactInfo& fact) {
  Json of = Json::array();
  for (const FactInfo& inner : fact.of) of.push_back(description_of(inner));
  return {{"name", fact.name},   {"kind", name_of(fact.kind)}, {"meaning", fact.meaning},
          {"least", fact.least}, {"null", fact.may_be_null},   {"choices", fact.choices},
          {"of", std::move(of)}, {"with", fact.with},          {"without", fact.without}};
}

Json description_of(const Algorithm& algorithm) {
  Json options = Json::array(), columns = Json::array(), facts = Json::array();
  for (const OptionInfo& option : algorithm.options) options.push_back(description_of(option));
  for (const FactInfo& fact : algorithm.facts) facts.push_back(description_of(fact));
  for (const ColumnInfo& column : algorithm.columns)
    columns.push_back({{"name", column.name}, {"meaning", column.meaning}});
  return {{"name", algorithm.name},        {"purpose", algorithm.purpose},
          {"notes", algorithm.notes},      {"options", std::move(options)},
          {"columns", std::move(columns)}, {"facts", std::move(facts)},
          {"pairs", algorithm.pairs},      {"other_rows", algorithm.other_rows}};
}

}  // namespace

void add_descriptions(CLI::App& program, Session& session) {
  program.add_subcommand("descriptions", "What algorithms say of themselves, as JSON")
      ->group("")
      ->callback([&session] {
        session.command = [] {
          Json all = Json::array();
          for (const Algorithm* its : described_algorithms()) all.push_back(description_of(*its));
          write_out(to_text(all));
        };
      });
}

}  // namespace fathom::cli
