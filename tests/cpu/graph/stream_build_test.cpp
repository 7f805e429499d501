#include "fathom/graph/stream_build.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tests/cpu/graph/model.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::graph {
namespace {

using testing::expect_error;

struct Collected final : ListSink {
  std::vector<EdgeId> offset;
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  bool finished = false;

  CsrView view() const {
    return {static_cast<VertexId>(offset.size() - 1), target.size(), offset.data(), target.data(),
            weight.empty() ? nullptr : weight.data()};
  }
  void offsets(std::span<const EdgeId> piece) override {
    offset.insert(offset.end(), piece.begin(), piece.end());
  }
  void edges(std::span<const VertexId> targets, std::span<const Weight> weights) override {
    target.insert(target.end(), targets.begin(), targets.end());
    weight.insert(weight.end(), weights.begin(), weights.end());
  }
  void finish() override { finished = true; }
};

RC_GTEST_PROP(StreamBuilder, equals_the_serial_model_for_every_policy_and_memory_bound, ()) {
  const auto vertices = *rc::gen::element<VertexId>(1, 3, 40, 3000, 70000);
  const auto vertex = rc::gen::inRange<VertexId>(0, vertices);
  const auto edges = *rc::gen::scale(5, rc::gen::container<std::vector<Edge>>(
                                            rc::gen::map(rc::gen::pair(vertex, vertex), [](auto p) {
                                              return Edge{p.first, p.second};
                                            })));
  BuildOptions options;
  options.undirected = *rc::gen::arbitrary<bool>();
  options.half_stored = *rc::gen::arbitrary<bool>();
  const bool want_in = *rc::gen::arbitrary<bool>();
  options.weighted = *rc::gen::arbitrary<bool>();
  options.duplicates = *rc::gen::element(Duplicates::Min, Duplicates::Max, Duplicates::Sum,
                                         Duplicates::First, Duplicates::Keep);
  options.loops = *rc::gen::element(Loops::Keep, Loops::Drop);
  options.threads = *rc::gen::inRange(1, 3);
  options.memory = *rc::gen::element<std::size_t>(1, 2000, 100000);  // 16 records at least
  std::vector<Weight> weights;
  if (*rc::gen::arbitrary<bool>())
    for (std::size_t i = 0; i < edges.size(); ++i)
      weights.push_back(static_cast<Weight>(*rc::gen::inRange(-3, 4)) * 0.1f);
  const auto model = test::model_build(edges, weights, options);
  StreamBuilder builder(options);
  builder.push(edges, weights);
  Collected out, in;
  const BuildReport report = builder.finish(vertices, out, want_in ? &in : nullptr);
  RC_ASSERT(out.offset.size() == vertices + std::size_t{1});
  RC_ASSERT(test::triples(out.view()) == model.edges);
  RC_ASSERT(test::as_tuple(report) == test::as_tuple(model.report));
  RC_ASSERT(out.finished);
  RC_ASSERT(in.finished == want_in);
  if (in.finished) RC_ASSERT(test::triples(in.view()) == test::reversed(model.edges));
}

TEST(StreamBuilder, equals_the_build_in_memory_when_runs_need_several_merge_levels) {
  const auto edges = test::random_edges(20'000, 600'000);
  BuildOptions options;
  options.threads = 2;
  options.memory = 600'000;  // 37,500 edges a run, three runs at a time
  StreamBuilder builder(options);
  builder.push(edges, {});
  Collected out, in;
  const BuildReport report = builder.finish(20'000, out, &in);
  const BuiltGraph built = build(
      20'000, [&](const auto& consume) { consume(edges, {}); }, options);
  EXPECT_EQ(test::triples(out.view()), test::triples(built.out.view()));
  EXPECT_EQ(test::triples(in.view()), test::triples(built.in->view()));
  EXPECT_EQ(test::as_tuple(report), test::as_tuple(built.report));
}

// Enough edges for several windows of several pieces; of one pair there are more than a window.
struct Windows : ::testing::TestWithParam<Duplicates> {
  static constexpr VertexId kVertices = 3000;

  static std::vector<Edge> edges() {
    std::vector<Edge> edges = test::random_edges(kVertices, 300'000);
    edges.insert(edges.begin() + 1000, 100'000, Edge{1500, 7});
    for (VertexId v = 0; v < kVertices; v += 3) edges.push_back({v, v});
    return edges;
  }

  static void expect_the_build_in_memory(std::span<const Edge> edges, BuildOptions options) {
    std::vector<Weight> weights(options.weighted ? edges.size() : 0);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<Weight>(i * 7919 % 1009) - 500;
    options.duplicates = GetParam();
    options.threads = 3;
    options.memory = std::size_t{48} << 20;
    StreamBuilder builder(options);
    for (std::size_t at = 0; at < edges.size();) {  // in unequal batches
      const std::size_t n = std::min(edges.size() - at, 1 + at % 100'000);
      builder.push(edges.subspan(at, n), std::span<const Weight>(weights).subspan(
                                             weights.empty() ? 0 : at, weights.empty() ? 0 : n));
      at += n;
    }
    Collected out, in;
    const BuildReport report = builder.finish(kVertices, out, &in);
    options.undirected = options.undirected || options.half_stored;
    const BuiltGraph built = build(
        kVertices, [&](const auto& consume) { consume(edges, weights); }, options);
    EXPECT_TRUE(test::triples(out.view()) == test::triples(built.out.view()));
    EXPECT_TRUE(test::triples(in.view()) ==
                test::triples(built.in ? built.in->view() : built.out.view()));
    EXPECT_EQ(test::as_tuple(report), test::as_tuple(built.report));
  }
};

TEST_P(Windows, make_the_lists_of_the_build_in_memory) {
  BuildOptions options;
  expect_the_build_in_memory(edges(), options);
  options.weighted = true;
  expect_the_build_in_memory(edges(), options);
  options.undirected = true;
  options.loops = Loops::Drop;
  expect_the_build_in_memory(edges(), options);
}

TEST_P(Windows, of_edges_that_come_sorted) {
  std::vector<Edge> sorted = edges();
  std::stable_sort(sorted.begin(), sorted.end(), [](Edge a, Edge b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  });
  BuildOptions options;
  expect_the_build_in_memory(sorted, options);
  options.weighted = true;
  expect_the_build_in_memory(sorted, options);
}

INSTANTIATE_TEST_SUITE_P(All, Windows,
                         ::testing::Values(Duplicates::Min, Duplicates::Max, Duplicates::Sum,
                                           Duplicates::First, Duplicates::Keep));

TEST(StreamBuilder, gives_one_offset_for_a_graph_without_vertices) {
  Collected out, in;
  StreamBuilder builder({});
  builder.finish(0, out, &in);
  EXPECT_EQ(out.offset, std::vector<EdgeId>{0});
  EXPECT_EQ(in.offset, std::vector<EdgeId>{0});
}

TEST(StreamBuilder, applies_a_monotone_relabelling_to_both_sides) {
  const std::vector<Edge> edges = {{10, 30}, {30, 20}};
  StreamBuilder builder({});
  builder.push(edges, {});
  Collected out, in;
  builder.finish(3, out, &in, [](std::span<VertexId> ids) {
    for (VertexId& id : ids) id = id / 10 - 1;
  });
  EXPECT_EQ(test::triples(out.view()), (std::vector<test::Triple>{{0, 2, 1}, {2, 1, 1}}));
  EXPECT_EQ(test::triples(in.view()), (std::vector<test::Triple>{{1, 2, 1}, {2, 0, 1}}));
}

TEST(StreamBuilder, refuses_endpoints_that_are_out_of_range) {
  const std::vector<Edge> edges = {{1, 3}};
  StreamBuilder builder({});
  builder.push(edges, {});
  Collected out, in;
  EXPECT_THROW(builder.finish(3, out, &in), Error);
}

TEST(StreamBuilder, stops_when_asked_to) {
  std::stop_source stop;
  BuildOptions options;
  options.task.stop = stop.get_token();
  StreamBuilder builder(options);
  const auto edges = test::random_edges(100, 1000);
  builder.push(edges, {});
  stop.request_stop();
  Collected out, in;
  expect_error(ErrorCode::Interrupted, [&] { builder.finish(100, out, &in); });
}

// A child that may write no file larger than 64 KiB: what a full disk looks like from inside.
TEST(StreamBuilder, reports_an_io_error_when_the_disk_is_full) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{65536, 65536};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    BuildOptions options;
    options.threads = 1;
    options.memory = 100'000;
    try {
      StreamBuilder builder(options);
      builder.push(test::random_edges(1000, 100'000), {});
    } catch (const Error& e) {
      ::_exit(e.code() == ErrorCode::Io ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(TempFile, throws_an_io_error_when_the_directory_is_missing) {
  BuildOptions options;
  options.memory = 1;
  options.temp_directory = "/nonexistent";
  StreamBuilder builder(options);
  EXPECT_THROW(builder.push(test::random_edges(10, 100), {}), Error);
}

}  // namespace
}  // namespace fathom::graph
