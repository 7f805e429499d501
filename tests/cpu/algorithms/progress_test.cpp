// Long algorithms say how far they are.
#include <gtest/gtest.h>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

class Heard final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t total, std::string_view unit) override {
    total_ = total;
    unit_ = unit;
  }
  void at(std::uint64_t done) override {
    EXPECT_GT(done, done_);
    EXPECT_LE(done, total_);
    done_ = done;
  }
  void end() override { ended_ = true; }

  std::uint64_t total_ = 0, done_ = 0;
  std::string unit_;
  bool ended_ = false;
};

class ProgressOf : public ::testing::Test {
 protected:
  Context context() {
    CpuOptions options;
    options.task.progress = &heard_;
    return Context::cpu(options);
  }
  Heard heard_;
  graph::BuiltGraph built_ = zoo::build(zoo::grid());
};

TEST_F(ProgressOf, BetweennessCountsItsSources) {
  const Context ctx = context();
  const Graph graph = make_graph(ctx, built_.out.view(), nullptr, false);
  betweenness(ctx, graph, {});
  EXPECT_EQ(heard_.unit_, "sources");
  EXPECT_EQ(heard_.done_, graph.vertices());
  EXPECT_TRUE(heard_.ended_);
}

TEST_F(ProgressOf, PagerankCountsItsIterations) {
  const Context ctx = context();
  const Graph graph = make_graph(ctx, built_.out.view(), nullptr, false);
  const PagerankResult result = pagerank(ctx, graph, {});
  EXPECT_EQ(heard_.unit_, "iterations");
  EXPECT_EQ(heard_.done_, result.iterations);
  EXPECT_TRUE(heard_.ended_);
}

}  // namespace
}  // namespace fathom
