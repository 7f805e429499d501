// Every algorithm finds on a filtered graph what it finds on a file that has only the kept edges,
// wherever the lists are.
#include "fathom/residency/filtered/filtered_graph.hpp"

#include <gtest/gtest.h>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/filters/filtered_files.hpp"
#include "tests/suites/every_algorithm.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using testing::drawn_filters;
using testing::every_algorithm;
using testing::EveryAlgorithm;
using testing::expect_error;
using testing::FieldGraph;
using testing::two_threads;

struct FilteredPlace {
  std::string name;
  int devices;
  Kind kind;
  std::size_t page_bytes = 64;

  Context context(std::shared_ptr<ReplicaGroup> group = {}) const {
    CpuOptions cpu;
    cpu.threads = 2;
    cpu.devices = devices;
    if (devices > 0) cpu.device_memory = std::size_t{64} << 20;
    cpu.group = std::move(group);
    return Context::cpu(cpu);
  }
  ResidencyOptions residency() const {
    ResidencyOptions options;
    options.kind = kind;
    options.paging.page_bytes = page_bytes;
    return options;
  }
};

std::vector<FilteredPlace> filtered_places() {
  return {{"mapped", 0, Kind::Auto},
          {"resident", 0, Kind::Resident},
          {"streamed", 0, Kind::Stream},
          {"streamed_in_larger_pages", 0, Kind::Stream, 4096},
          {"on_two_devices", 2, Kind::Stream}};
}

std::vector<zoo::RawGraph> filtered_graphs() {
  std::vector<zoo::RawGraph> all;
  for (const bool directed : {true, false}) {
    const std::string kind = directed ? "Directed" : "Undirected";
    all.push_back({kind + "One", 1, directed, {{0, 0}, {0, 0}}, {}});
    all.push_back({kind + "Parallel", 5, directed, zoo::random_edges(5, 60, 3), {}});
    all.push_back({kind + "Sparse", 60, directed, zoo::random_edges(60, 70, 7), {}});
    all.push_back({kind + "Dense", 40, directed, zoo::random_edges(40, 700, 11), {}});
    zoo::RawGraph star{kind + "Star", 300, directed, zoo::random_edges(300, 200, 13), {}};
    for (VertexId v = 1; v < 300; ++v) star.edges.emplace_back(0, v);
    all.push_back(star);
  }
  return all;
}

class Filtered : public ::testing::TestWithParam<std::tuple<zoo::RawGraph, FilteredPlace>> {
 protected:
  Filtered() : graph_(std::get<0>(GetParam())) { graph_.save(path_); }

  const FilteredPlace& place() const { return std::get<1>(GetParam()); }

  store::TemporaryDirectory directory_;
  std::string path_ = directory_.file("all.fg"), kept_ = directory_.file("kept.fg");
  FieldGraph graph_;
};

TEST_P(Filtered, EveryAlgorithmFindsWhatItFindsInAFileOfTheKeptEdges) {
  const Context alone = two_threads(), ctx = place().context();
  const Graph all = load(ctx, path_, place().residency()), mapped = load(alone, path_);
  for (const EdgeFilter& filter : drawn_filters()) {
    SCOPED_TRACE(to_string(filter));
    graph_.save_kept(kept_, filter);
    const Graph file = load(alone, kept_), some = filtered(all, filter),
                checked = filtered(mapped, filter);
    ASSERT_EQ(some.vertices(), file.vertices());
    ASSERT_EQ(some.edges(), file.edges());
    const testing::Verifier verifier{alone, checked};
    for (const EveryAlgorithm& algorithm : every_algorithm()) {
      SCOPED_TRACE(algorithm.name);
      try {
        EXPECT_EQ(difference(algorithm, algorithm.run(ctx, some, &verifier),
                             algorithm.run(alone, file, nullptr)),
                  "");
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, Filtered,
                         ::testing::Combine(::testing::ValuesIn(filtered_graphs()),
                                            ::testing::ValuesIn(filtered_places())),
                         [](const auto& its) {
                           return std::get<0>(its.param).name + "_" + std::get<1>(its.param).name;
                         });

/// A graph of which lists cross many pages, and pages many blocks of what is read at once.
FieldGraph large_graph(bool directed) {
  return FieldGraph({"Large", 3000, directed, zoo::random_edges(3000, 400000, 17), {}});
}

TEST(FilteredGraph, OfAFileOfManyBlocksIsTheSameWhereverItIs) {
  store::TemporaryDirectory directory;
  const std::string path = directory.file("all.fg"), kept = directory.file("kept.fg");
  for (const bool directed : {true, false}) {
    const FieldGraph graph = large_graph(directed);
    graph.save(path);
    for (const EdgeFilter& filter : {EdgeFilter{5, 15, {}, {}}, EdgeFilter{19, {}, {}, {{2, 2}}}}) {
      graph.save_kept(kept, filter);
      const Context alone = two_threads();
      const Graph file = load(alone, kept);
      for (FilteredPlace place : filtered_places()) {
        SCOPED_TRACE(place.name);
        place.page_bytes = std::max<std::size_t>(place.page_bytes, 4096);
        const Context ctx = place.context();
        const Graph some = filtered(load(ctx, path, place.residency()), filter);
        for (const EveryAlgorithm& algorithm : every_algorithm()) {
          if (algorithm.name != "bfs" && algorithm.name != "pagerank" &&
              algorithm.name != "components" && algorithm.name != "sssp" &&
              algorithm.name != "triangles")
            continue;
          SCOPED_TRACE(algorithm.name);
          EXPECT_EQ(difference(algorithm, algorithm.run(ctx, some, nullptr),
                               algorithm.run(alone, file, nullptr)),
                    "");
        }
      }
    }
  }
}

TEST(FilteredGraph, ThatIsStreamedThroughLittleMemoryReadsABlockForManyPages) {
  store::TemporaryDirectory directory;
  const FieldGraph graph(
      {"Larger", 3000, true, zoo::random_edges(3000, 1'000'000, 17), {}});  // 4 blocks of targets
  graph.save(directory.file("all.fg"));
  const FilteredPlace place{"streamed", 0, Kind::Stream, 4096};
  PagerankOptions options;
  options.max_iterations = 4;
  options.tolerance = 0;
  options.in_place = false;
  for (std::size_t budget = std::size_t{1} << 20;; budget += std::size_t{1} << 18) {
    ASSERT_LT(budget, std::size_t{8} << 20);
    try {
      const Context ctx = two_threads(budget);
      const Graph some =
          filtered(load(ctx, directory.file("all.fg"), place.residency()), {{}, {}, {}, {{0, 2}}});
      const PagerankResult ranks = pagerank(ctx, some, options);
      EXPECT_EQ(ranks.iterations, 4u);
      // Each block twice at most, where the pages of one end and those of the next begin.
      EXPECT_LT(some.traffic().disk.bytes, (std::uint64_t{5 * 2 * 5} << 20) * sizeof(VertexId) / 4);
      return;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::DoesNotFit);
    }
  }
}

TEST(FilteredGraph, OfAllItsEdgesIsTheGraphItself) {
  store::TemporaryDirectory directory;
  const FieldGraph graph = large_graph(true);
  graph.save(directory.file("all.fg"));
  const Context ctx = Context::cpu();
  const Graph all = load(ctx, directory.file("all.fg"));
  EXPECT_EQ(filtered(all, {}).state(), all.state());
  EXPECT_EQ(filtered(all, {0, 20, {}, {{0, 3}}}).state(), all.state());
  EXPECT_NE(filtered(all, {1, {}, {}, {}}).state(), all.state());
}

TEST(FilteredGraph, OfSeveralRanksIsTheSame) {
  store::TemporaryDirectory directory;
  const std::string path = directory.file("all.fg"), kept = directory.file("kept.fg");
  const FieldGraph graph({"Dense", 40, true, zoo::random_edges(40, 700, 11), {}});
  const EdgeFilter filter{5, 15, {}, {}};
  graph.save(path);
  graph.save_kept(kept, filter);
  const Context alone = Context::cpu();
  const Graph file = load(alone, kept);
  for (const FilteredPlace& place : filtered_places())
    for (const EveryAlgorithm& algorithm : every_algorithm()) {
      SCOPED_TRACE(place.name + " " + algorithm.name);
      const testing::Answer expected = algorithm.run(alone, file, nullptr);
      std::vector<testing::Answer> found(2);
      run_thread_ranks(2, [&](const std::shared_ptr<ReplicaGroup>& group) {
        const Context ctx = place.context(group);
        const Graph some = filtered(load(ctx, path, place.residency()), filter);
        found[static_cast<std::size_t>(group->rank())] = algorithm.run(ctx, some, nullptr);
      });
      for (const testing::Answer& its : found) EXPECT_EQ(difference(algorithm, its, expected), "");
    }
}

TEST(FilteredGraph, OfAGraphThatChangesIsThatOfItsEdgesNow) {
  store::TemporaryDirectory directory;
  const std::string kept = directory.file("kept.fg");
  const Context ctx = two_threads();
  for (const bool directed : {true, false}) {
    const FieldGraph graph({"Dense", 40, directed, zoo::random_edges(40, 700, 11), {}});
    DynamicGraphOptions options;
    options.directed = directed;
    options.edges = EdgeKind::Semantic;
    DynamicGraph changing(ctx, graph.built.out.view(), nullptr, options, {graph.fields, {}});
    for (const EdgeFilter& filter : drawn_filters()) {
      SCOPED_TRACE(to_string(filter));
      graph.save_kept(kept, filter);
      const Graph file = load(ctx, kept), some = filtered(changing.graph(), filter);
      EXPECT_EQ(some.edges(), file.edges());
      const Graph of_snapshot = filtered(changing.snapshot().graph(), filter);
      for (const EveryAlgorithm& algorithm : every_algorithm()) {
        SCOPED_TRACE(algorithm.name);
        const testing::Answer expected = algorithm.run(ctx, file, nullptr);
        // Orders and the like may go by that of a list's entries.
        EXPECT_EQ(difference(algorithm, algorithm.run(ctx, some, nullptr), expected), "");
        EXPECT_EQ(difference(algorithm, algorithm.run(ctx, of_snapshot, nullptr), expected), "");
      }
    }
    const Graph before = filtered(changing.graph(), {5, {}, {}, {}});
    const EdgeUpdate update = EdgeUpdate::insert(0, 1);
    changing.apply({0, {&update, 1}});
    expect_error(
        ErrorCode::Usage, [&] { connected_components(ctx, before); }, "has changed");
  }
}

TEST(FilteredGraph, WithoutTypesAndTimestampsIsRefused) {
  store::TemporaryDirectory directory;
  const FieldGraph graph({"Dense", 40, true, zoo::random_edges(40, 700, 11), {}});
  graph.save_kept(directory.file("plain.fg"), {});
  const Context ctx = Context::cpu();
  const Graph plain = load(ctx, directory.file("plain.fg"));
  expect_error(
      ErrorCode::Usage,
      [&] {
        filtered(plain, {5, {}, {}, {}});
      },
      "types and timestamps");
  EXPECT_EQ(filtered(plain, {}).edges(), plain.edges());
}

TEST(FilteredGraph, OfADamagedFileIsRefusedByTheBytes) {
  store::TemporaryDirectory directory;
  const std::string path = directory.file("all.fg");
  large_graph(true).save(path);
  const Context ctx = Context::cpu();
  std::uint64_t offset = 0;
  const auto file = store::Store::open(path);
  for (const store::SectionInfo& section : file->sections())
    if (section.name == "out.times") offset = section.offset;
  {
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(offset + (std::uint64_t{3} << 20) + 5));
    bytes.put('\x7f');
  }
  const Graph all = load(ctx, path);
  EXPECT_NO_THROW(filtered(all, {{}, {}, {}, {{1, 1}}}));
  expect_error(
      ErrorCode::BadInput,
      [&] {
        filtered(all, {5, {}, {}, {}});
      },
      "out.times");
}

TEST(FilteredGraph, ThatDoesNotFitIsRefused) {
  store::TemporaryDirectory directory;
  const std::string path = directory.file("all.fg");
  large_graph(true).save(path);
  const Context ctx = two_threads(40000);
  const Graph all = load(ctx, path);
  expect_error(ErrorCode::DoesNotFit, [&] { filtered(all, {5, {}, {}, {}}); });
}

}  // namespace
}  // namespace fathom
