#include "fathom/graph/range_build.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/cpu/graph/model.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::graph {
namespace {

using testing::expect_error;

RangeBuilder::Fill replay(const std::vector<Edge>& edges) {
  return [&edges](EdgeId first, std::span<Edge> into) {
    std::copy_n(edges.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  };
}

// The lists as they are delivered, read back in parts of an awkward size.
struct Lists {
  std::vector<test::Triple> edges;
  std::vector<EdgeId> ends;
  std::size_t ranges = 0;

  void take(const SortedRange& range) {
    ++ranges;
    ends.insert(ends.end(), range.ends().begin(), range.ends().end());
    constexpr EdgeId kPart = 777;
    for (EdgeId first = 0; first < range.edges(); first += kPart) {
      const auto n = static_cast<std::size_t>(std::min(kPart, range.edges() - first));
      std::size_t expected = 0;
      range.each(first, n, [&](std::size_t i, VertexId u, VertexId v) {
        expected += i == expected ? 1 : kPart;
        edges.emplace_back(u, v, 1);
      });
      EXPECT_EQ(expected, n) << "edges were counted in another order";
    }
  }
  // Whether ends say which source each edge has.
  bool numbered(VertexId vertices) const {
    if (ends.size() != vertices) return false;
    EdgeId at = 0;
    for (VertexId v = 0; v < vertices; ++v)
      for (; at < ends[v]; ++at)
        if (at >= edges.size() || std::get<0>(edges[at]) != v) return false;
    return at == edges.size();
  }
};

struct Built {
  Lists out, in;
  BuildReport report;
  std::size_t passes = 0;
};

Built build_all(VertexId vertices, const std::vector<Edge>& edges, const BuildOptions& options) {
  RangeBuilder builder(vertices, edges.size(), replay(edges), options);
  Built built;
  built.passes = builder.passes();
  if (built.passes == 0) return built;
  builder.out_lists([&](const SortedRange& r) { built.out.take(r); });
  if (!options.undirected && options.in_edges)
    builder.in_lists([&](const SortedRange& r) { built.in.take(r); });
  built.report = builder.report();
  return built;
}

void expect_model(VertexId vertices, const std::vector<Edge>& edges, const BuildOptions& options,
                  const Built& built) {
  const auto model = test::model_build(edges, {}, options);
  EXPECT_EQ(built.out.edges, model.edges);
  EXPECT_TRUE(built.out.numbered(vertices));
  EXPECT_EQ(test::as_tuple(built.report), test::as_tuple(model.report));
  EXPECT_EQ(built.passes, built.out.ranges + built.in.ranges);
  if (options.undirected || !options.in_edges) return;
  EXPECT_EQ(built.in.edges, test::reversed(model.edges));
  EXPECT_TRUE(built.in.numbered(vertices));
}

// What a builder needs beside the lists: blocks of edges and counts of a thousand buckets.
constexpr std::size_t kFixed = 238'000 + (std::size_t{1} << 18);

RC_GTEST_PROP(RangeBuilder, equals_the_serial_model_for_every_policy_and_memory_bound, ()) {
  const auto vertices = *rc::gen::element<VertexId>(1, 3, 40, 3000, 70000);
  const auto vertex = rc::gen::inRange<VertexId>(0, vertices);
  const auto edges = *rc::gen::scale(5, rc::gen::container<std::vector<Edge>>(
                                            rc::gen::map(rc::gen::pair(vertex, vertex), [](auto p) {
                                              return Edge{p.first, p.second};
                                            })));
  BuildOptions options;
  options.undirected = *rc::gen::arbitrary<bool>();
  options.half_stored = *rc::gen::arbitrary<bool>();
  options.in_edges = *rc::gen::arbitrary<bool>();
  options.duplicates = *rc::gen::element(Duplicates::Min, Duplicates::First, Duplicates::Keep);
  options.loops = *rc::gen::element(Loops::Keep, Loops::Drop);
  options.threads = *rc::gen::inRange(1, 4);
  options.memory = *rc::gen::element<std::size_t>(1'500'000, 1'000'000'000);
  expect_model(vertices, edges, options, build_all(vertices, edges, options));
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(RangeBuilder, equals_the_serial_model_when_lists_need_several_ranges) {
  const auto edges = test::random_edges(20'000, 200'000);
  for (const bool undirected : {false, true})
    for (const int threads : {1, 3}) {
      BuildOptions options;
      options.undirected = undirected;
      options.threads = threads;
      options.duplicates = Duplicates::Keep;
      options.memory = static_cast<std::size_t>(threads) * kFixed + 200'000;
      const Built built = build_all(20'000, edges, options);
      EXPECT_GE(built.out.ranges, 3u);
      expect_model(20'000, edges, options, built);
    }
}

TEST(RangeBuilder, sorts_hubs_with_all_threads_like_other_lists) {
  auto edges = test::random_edges(1'000'000, 400'000);
  for (std::size_t i = 0; i < edges.size(); i += 3) edges[i].source = 654'321;  // 133,334 edges
  for (std::size_t i = 1; i < edges.size(); i += 3) edges[i].target = 7;
  for (const Duplicates duplicates : {Duplicates::Keep, Duplicates::Min}) {
    BuildOptions options;
    options.threads = 2;
    options.duplicates = duplicates;
    expect_model(1'000'000, edges, options, build_all(1'000'000, edges, options));
  }
}

TEST(RangeBuilder, finds_that_a_directed_graph_is_symmetric_whatever_the_ranges) {
  auto edges = test::random_edges(5'000, 100'000);
  for (std::size_t i = 0; i < 100'000; ++i) edges.push_back({edges[i].target, edges[i].source});
  BuildOptions options;
  options.threads = 2;
  options.duplicates = Duplicates::Keep;
  options.memory = 2 * kFixed + 500'000;
  const Built symmetric = build_all(5'000, edges, options);
  EXPECT_GT(symmetric.out.ranges, 1u);
  EXPECT_TRUE(symmetric.report.happens_symmetric);
  edges.push_back({1, 2});
  EXPECT_FALSE(build_all(5'000, edges, options).report.happens_symmetric);
}

TEST(RangeBuilder, says_when_one_bucket_is_too_large_for_the_memory) {
  std::vector<Edge> edges(200'000, Edge{3, 4});
  BuildOptions options;
  options.threads = 1;
  options.memory = kFixed + 200'000 * 8;
  EXPECT_EQ(build_all(10, edges, options).passes, 0u);  // the hub needs as much again to be sorted
  options.memory = kFixed + 200'000 * 16;
  EXPECT_EQ(build_all(10, edges, options).passes, 2u);
}

TEST(RangeBuilder, gives_empty_lists_for_no_vertices_and_for_no_edges) {
  BuildOptions options;
  const Built none = build_all(0, {}, options);
  EXPECT_EQ(none.passes, 2u);
  EXPECT_TRUE(none.out.ends.empty());
  const Built isolated = build_all(5, {}, options);
  EXPECT_EQ(isolated.out.ends, std::vector<EdgeId>(5, 0));
  EXPECT_EQ(isolated.in.ends, std::vector<EdgeId>(5, 0));
}

TEST(RangeBuilder, stops_when_asked_to) {
  const auto edges = test::random_edges(100, 1000);
  std::stop_source stop;
  BuildOptions options;
  options.task.stop = stop.get_token();
  RangeBuilder builder(100, edges.size(), replay(edges), options);
  stop.request_stop();
  expect_error(ErrorCode::Interrupted, [&] { builder.out_lists([](const SortedRange&) {}); });
}

}  // namespace
}  // namespace fathom::graph
