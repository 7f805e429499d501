// Algorithms as their descriptions offer them: what they say is what they do.
#include "fathom/algorithms/described/algorithm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
      OptionValues values(its->options);
      for (const OptionInfo& option : its->options)
        if (option.kind == OptionInfo::Kind::Flag) values.set_flag(option.name);
      const Answer answer = its->run(ctx, graph, values);
      ASSERT_EQ(answer.columns.size(), its->columns.size());
      for (std::size_t i = 0; i < answer.columns.size(); ++i) {
        EXPECT_EQ(answer.columns[i].name, its->columns[i].name);
        std::visit([&](auto column) { EXPECT_EQ(column.size(), graph.vertices()); },
                   answer.columns[i].values);
      }
      EXPECT_FALSE(answer.facts.empty());
      EXPECT_TRUE(answer.summary.starts_with(std::string(its->name) + ":")) << answer.summary;
      EXPECT_NO_THROW(answer.verify(ctx, graph));
    }
}

// The certificate is of the answer, and not a run that always agrees.
TEST(Described, AnswersAreRefutedByAnotherGraph) {
  const Context ctx = Context::cpu();
  for (const Algorithm* its : described_algorithms()) {
    SCOPED_TRACE(std::string(its->name));
    OptionValues values(its->options);
    const Answer answer = its->run(ctx, small_graph(ctx, false), values);
    zoo::RawGraph path{"Path", 200, false, {}, {}};
    for (std::uint32_t v = 0; v + 1 < 200; ++v) path.edges.emplace_back(v, v + 1);
    expect_error(ErrorCode::VerificationFailed,
                 [&] { answer.verify(ctx, testing::place(ctx, {}, path)); });
  }
}

TEST(Described, OptionsKeepTheirDefaultsAndKinds) {
  const std::vector<OptionInfo> infos{{.name = "f"},
                                      {.name = "n", .kind = OptionInfo::Kind::Count, .count = 7},
                                      {.name = "x", .kind = OptionInfo::Kind::Real, .real = .5}};
  OptionValues values(infos);
  EXPECT_FALSE(values.flag("f"));
  EXPECT_EQ(values.count("n"), 7u);
  EXPECT_EQ(values.real("x"), .5);
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
