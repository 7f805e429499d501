// Algorithms as their descriptions offer them: what they say is what they do.
#include "fathom/algorithms/described/algorithm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

Graph small_graph(const Context& ctx, bool directed) {
  zoo::RawGraph raw{"Described", 200, directed, zoo::random_edges(200, 900, 5), {}};
  return testing::place(ctx, {}, raw);
}

/// Whether it is of graphs of the other kind alone.
bool refuses(const Algorithm& algorithm, bool directed) {
  const auto is = [&](std::string_view name) { return algorithm.name == name; };
  if (!directed) return is("levels") || is("reciprocity");
  return is("msf") || is("biconnected") || is("matching") || is("similarity") || is("louvain") ||
         is("leiden");
}

/// What a caller has to choose: one vertex, or two.
OptionValues values_of(const Algorithm& algorithm) {
  using enum OptionInfo::Kind;
  OptionValues values(algorithm.options);
  for (const OptionInfo& option : algorithm.options) {
    if (!option.required) continue;
    if (option.kind == Vertex) values.set_vertices(option.name, {{"a"}, {3}});
    if (option.kind == Vertices) values.set_vertices(option.name, {{"a", "b"}, {3, 150}});
  }
  return values;
}

/// Values of columns that depend on the graph or on an option may be missing.
bool names_some_of(const std::vector<AnswerColumn>& columns, const std::vector<ColumnInfo>& infos) {
  auto at = infos.begin();
  for (const AnswerColumn& column : columns) {
    at = std::find_if(at, infos.end(), [&](const ColumnInfo& i) { return i.name == column.name; });
    if (at == infos.end()) return false;
    ++at;
  }
  return true;
}

/// Whether facts are those that the descriptions say, in their order.
void expect_facts(const Facts& facts, const std::vector<FactInfo>& infos, const Algorithm& its,
                  const OptionValues& values) {
  std::vector<const FactInfo*> said;
  const auto given = [&](std::string_view flag) { return !flag.empty() && values.flag(flag); };
  for (const FactInfo& info : infos)
    if ((info.with.empty() || given(info.with)) && !given(info.without)) said.push_back(&info);
  ASSERT_EQ(facts.size(), said.size()) << its.name;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const FactInfo& info = *said[i];
    const Fact::Value& value = facts[i].value;
    using enum FactInfo::Kind;
    EXPECT_EQ(facts[i].name, info.name);
    if (std::holds_alternative<std::nullptr_t>(value)) {
      EXPECT_TRUE(info.may_be_null) << info.name;
      continue;
    }
    const std::map<FactInfo::Kind, bool> is{
        {Count, std::holds_alternative<std::uint64_t>(value)},
        {Real, std::holds_alternative<double>(value)},
        {Flag, std::holds_alternative<bool>(value)},
        {Text, std::holds_alternative<std::string>(value)},
        {Mode, std::holds_alternative<std::string>(value)},
        {Texts, std::holds_alternative<std::vector<std::string>>(value)},
        {Counts, std::holds_alternative<std::vector<std::uint64_t>>(value)},
        {Reals, std::holds_alternative<std::vector<double>>(value)},
        {Table, std::holds_alternative<Fact::Table>(value)},
        {Group, std::holds_alternative<Facts>(value)},
        {Groups, std::holds_alternative<std::vector<Facts>>(value)}};
    EXPECT_TRUE(is.at(info.kind)) << info.name;
    if (const auto* const table = std::get_if<Fact::Table>(&value)) {
      EXPECT_TRUE(std::ranges::equal(table->columns, info.of, {}, {}, &FactInfo::name));
    }
    if (const auto* const group = std::get_if<Facts>(&value))
      expect_facts(*group, info.of, its, values);
    if (const auto* const groups = std::get_if<std::vector<Facts>>(&value))
      for (const Facts& group : *groups) expect_facts(group, info.of, its, values);
  }
}

TEST(Described, HaveNamesOfTheirOwnAndSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const Algorithm* its : described_algorithms()) {
    SCOPED_TRACE(std::string(its->name));
    EXPECT_TRUE(names.insert(its->name).second);
    EXPECT_EQ(find_algorithm(its->name), its);
    EXPECT_FALSE(its->purpose.empty());
    EXPECT_FALSE(its->examples.empty());
    EXPECT_FALSE(its->columns.empty());
    for (const ColumnInfo& column : its->columns)
      EXPECT_NE(its->notes.find(column.name), std::string_view::npos) << column.name;
    std::set<std::string_view> options;
    for (const OptionInfo& option : its->options) {
      EXPECT_TRUE(options.insert(option.name).second) << option.name;
      EXPECT_FALSE(option.meaning.empty()) << option.name;
      EXPECT_LE(option.least, option.most) << option.name;
      EXPECT_EQ(option.kind == OptionInfo::Kind::Mode, !option.choices.empty()) << option.name;
      if (!option.mode.empty()) {
        EXPECT_EQ(std::count(option.choices.begin(), option.choices.end(), option.mode), 1);
      }
      if (!option.excludes.empty()) {
        EXPECT_TRUE(options.contains(option.excludes));
      }
    }
  }
  EXPECT_EQ(find_algorithm("no such algorithm"), nullptr);
  EXPECT_GE(names.size(), 4u);
}

TEST(Described, RunAndGiveTheColumnsThatTheyName) {
  const Context ctx = Context::cpu();
  for (const bool directed : {false, true})
    for (const Algorithm* its : described_algorithms()) {
      SCOPED_TRACE(std::string(its->name));
      const Graph graph = small_graph(ctx, directed);
      OptionValues values = values_of(*its);
      for (const OptionInfo& option : its->options)
        if (option.kind == OptionInfo::Kind::Flag && !option.many_columns &&
            option.name != its->other_rows && !(directed && option.name == "rich-club"))
          values.set_flag(option.name);
      if (refuses(*its, directed)) {
        expect_error(ErrorCode::Usage, [&] { its->run(ctx, graph, values); });
        continue;
      }
      const Answer answer = its->run(ctx, graph, values);
      ASSERT_FALSE(answer.columns.empty());
      EXPECT_EQ(answer.columns[0].name, its->columns[0].name);
      EXPECT_TRUE(names_some_of(answer.columns, its->columns));
      if (directed || refuses(*its, true)) {
        EXPECT_EQ(answer.columns.size(), its->columns.size());
      }
      EXPECT_EQ(answer.pairs.has_value(), its->pairs);
      const std::size_t rows = answer.pairs ? answer.pairs->u.size() : graph.vertices();
      for (const AnswerColumn& column : answer.columns)
        std::visit([&](auto of) { EXPECT_EQ(of.size(), rows); }, column.values);
      for (const OptionInfo& option : its->options)
        EXPECT_EQ(answer.tables.contains(option.name), option.kind == OptionInfo::Kind::Table);
      expect_facts(answer.facts, its->facts, *its, values);
      EXPECT_TRUE(answer.summary.starts_with(std::string(its->name))) << answer.summary;
      EXPECT_NO_THROW(answer.verify(ctx, graph));
    }
}

TEST(Described, GiveOtherRowsWithTheFlagThatTheyName) {
  const Context ctx = Context::cpu();
  const Graph graph = small_graph(ctx, true);
  std::size_t several = 0;
  for (const Algorithm* its : described_algorithms()) {
    if (its->other_rows.empty()) continue;
    SCOPED_TRACE(std::string(its->name));
    ++several;
    OptionValues values = values_of(*its);
    values.set_flag(its->other_rows);
    const Answer answer = its->run(ctx, graph, values);
    EXPECT_NE(answer.pairs.has_value(), its->pairs);
    const std::size_t rows = answer.pairs ? answer.pairs->u.size() : graph.vertices();
    for (const AnswerColumn& column : answer.columns)
      std::visit([&](auto of) { EXPECT_EQ(of.size(), rows); }, column.values);
    EXPECT_TRUE(names_some_of(answer.columns, its->columns));
    expect_facts(answer.facts, its->facts, *its, values);
    EXPECT_NO_THROW(answer.verify(ctx, graph));
  }
  EXPECT_GE(several, 2u);
}

// With a flag that gives many columns, none of which --top could rank by.
TEST(Described, GiveColumnsOfEachSourceAndTheFactsOfIt) {
  const Context ctx = Context::cpu();
  const Graph graph = small_graph(ctx, true);
  for (const Algorithm* its : described_algorithms())
    for (const OptionInfo& option : its->options) {
      if (!option.many_columns) continue;
      OptionValues values = values_of(*its);
      values.set_flag(option.name);
      const Answer answer = its->run(ctx, graph, values);
      expect_facts(answer.facts, its->facts, *its, values);
      EXPECT_EQ(answer.columns.size(), 2u);
      EXPECT_NO_THROW(answer.verify(ctx, graph));
    }
}

// The certificate is of the answer, and not a run that always agrees.
TEST(Described, AnswersAreRefutedByAnotherGraph) {
  const Context ctx = Context::cpu();
  for (const Algorithm* its : described_algorithms()) {
    SCOPED_TRACE(std::string(its->name));
    const OptionValues values = values_of(*its);
    const bool directed = refuses(*its, false);
    const Answer answer = its->run(ctx, small_graph(ctx, directed), values);
    zoo::RawGraph path{"Path", 200, directed, {}, {}};
    for (std::uint32_t v = 0; v + 1 < 100; ++v) path.edges.emplace_back(v, v + 1);
    expect_error(ErrorCode::VerificationFailed,
                 [&] { answer.verify(ctx, testing::place(ctx, {}, path)); });
  }
}

TEST(Described, OptionsKeepTheirDefaultsAndKinds) {
  const std::vector<OptionInfo> infos{
      {.name = "f"},
      {.name = "n", .kind = OptionInfo::Kind::Count, .count = 7},
      {.name = "x", .kind = OptionInfo::Kind::Real, .real = .5},
      {.name = "m", .kind = OptionInfo::Kind::Mode, .choices = {"in", "out"}, .mode = "out"},
      {.name = "v", .kind = OptionInfo::Kind::Vertices},
      {.name = "w", .kind = OptionInfo::Kind::Masses},
      {.name = "p", .kind = OptionInfo::Kind::Pairs},
      {.name = "t", .kind = OptionInfo::Kind::Table}};
  OptionValues values(infos);
  EXPECT_FALSE(values.flag("f"));
  EXPECT_EQ(values.count("n"), 7u);
  EXPECT_EQ(values.real("x"), .5);
  EXPECT_EQ(values.mode("m"), "out");
  EXPECT_TRUE(values.vertices("v").ids.empty());
  EXPECT_TRUE(values.masses("w").empty());
  EXPECT_FALSE(values.given("p"));
  EXPECT_TRUE(values.pairs("p").empty());
  values.set_pairs("p", {{0, 1}});
  EXPECT_TRUE(values.given("p"));
  EXPECT_EQ(values.pairs("p"), (VertexPairs{{0, 1}}));
  values.set_mode("m", "in");
  values.set_vertices("v", {{"a", "b"}, {0, 1}});
  values.set_masses("w", {1, 0});
  EXPECT_EQ(values.mode("m"), "in");
  EXPECT_EQ(values.vertices("v").labels[1], "b");
  EXPECT_EQ(values.masses("w").size(), 2u);
  expect_error(ErrorCode::Internal, [&] { values.mode("t"); });  // its caller writes the file
  values.set_flag("f");
  values.set_count("n", 9);
  values.set_real("x", 2);
  EXPECT_TRUE(values.flag("f"));
  EXPECT_EQ(values.count("n"), 9u);
  EXPECT_EQ(values.real("x"), 2);
  expect_error(ErrorCode::Internal, [&] { values.set_count("x", 1); });
  expect_error(ErrorCode::Internal, [&] { values.flag("g"); });
}

}  // namespace
}  // namespace fathom
