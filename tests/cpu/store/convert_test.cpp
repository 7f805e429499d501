#include "fathom/store/make/convert.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/cpu/store/convert_fixture.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

using LabelledEdge = std::tuple<std::string, std::string, Weight>;

// The out- or in-lists with the caller's labels, source first.
std::vector<LabelledEdge> edges_of(Store& store, bool in) {
  const CsrView g = in ? *store.in() : store.out();
  std::vector<LabelledEdge> edges;
  for (VertexId v = 0; v < g.vertices; ++v)
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e) {
      const std::string a = store.label(v), b = store.label(g.target[e]);
      const Weight w = g.weight ? g.weight[e] : 1;
      edges.emplace_back(in ? LabelledEdge(b, a, w) : LabelledEdge(a, b, w));
    }
  std::sort(edges.begin(), edges.end());
  return edges;
}

TEST_F(Convert, keeps_integer_ids_that_cover_zero_to_n) {
  const std::string input = write("a.txt", "# a comment\n0 1\n1 2\n2 2\n0 1\n");
  ConvertOptions options;
  options.provenance = "test";
  const Header header = convert({input}, path("a.fg"), options);
  EXPECT_EQ(header.labels, LabelKind::Identity);
  EXPECT_EQ(header.vertices, 3u);
  EXPECT_EQ(header.edges, 3u);
  EXPECT_TRUE(header.directed);
  EXPECT_TRUE(header.has_in_edges);
  EXPECT_EQ(header.report.input_edges, 4u);
  EXPECT_EQ(header.report.duplicates_merged, 1u);
  EXPECT_EQ(header.report.loops_seen, 1u);
  auto store = open_verified(path("a.fg"));
  const std::vector<LabelledEdge> expected = {{"0", "1", 1}, {"1", "2", 1}, {"2", "2", 1}};
  EXPECT_EQ(edges_of(*store, false), expected);
  EXPECT_EQ(edges_of(*store, true), expected);
  EXPECT_EQ(store->header().provenance, "test");
  EXPECT_EQ(files(), 2u);
}

TEST_F(Convert, stores_ids_that_begin_elsewhere_as_an_offset) {
  const Header header = convert({write("a.txt", "5 6\n6 7\n")}, path("a.fg"), {});
  EXPECT_EQ(header.labels, LabelKind::Offset);
  EXPECT_EQ(header.label_base, 5u);
  auto store = open_verified(path("a.fg"));
  EXPECT_EQ(edges_of(*store, false), (std::vector<LabelledEdge>{{"5", "6", 1}, {"6", "7", 1}}));
}

TEST_F(Convert, numbers_sparse_and_huge_ids_in_numeric_order) {
  const std::vector<LabelledEdge> small = {{"10", "9", 1}, {"9", "700", 1}};
  convert({write("a.txt", "10 9\n9 700\n")}, path("a.fg"), {});
  auto store = open_verified(path("a.fg"));
  EXPECT_EQ(store->header().labels, LabelKind::Integers);
  EXPECT_EQ(edges_of(*store, false), small);
  EXPECT_EQ(store->find("9"), VertexId{0});
  const std::vector<LabelledEdge> huge = {{"10", "9", 1}, {"9", "18446744073709551614", 1}};
  convert({write("b.txt", "10 9\n9 18446744073709551614\n")}, path("b.fg"), {});
  store = open_verified(path("b.fg"));
  EXPECT_EQ(store->header().labels, LabelKind::Integers);
  EXPECT_EQ(edges_of(*store, false), huge);
  EXPECT_EQ(store->find("18446744073709551614"), VertexId{2});
}

TEST_F(Convert, numbers_strings_in_bytewise_order) {
  convert({write("a.txt", "zsh libc6\nbash libc6\nbash a\n")}, path("a.fg"), {});
  auto store = open_verified(path("a.fg"));
  EXPECT_EQ(store->header().labels, LabelKind::Strings);
  EXPECT_EQ(store->find("a"), VertexId{0});
  EXPECT_EQ(store->find("zsh"), VertexId{3});
  EXPECT_EQ(
      edges_of(*store, false),
      (std::vector<LabelledEdge>{{"bash", "a", 1}, {"bash", "libc6", 1}, {"zsh", "libc6", 1}}));
}

TEST_F(Convert, expands_a_symmetric_matrix_and_keeps_isolated_vertices) {
  const std::string input = write("a.mtx",
                                  "%%MatrixMarket matrix coordinate real symmetric\n"
                                  "4 4 3\n1 1 5\n2 1 0.5\n3 2 2\n");
  const Header header = convert({input}, path("a.fg"), {});
  EXPECT_FALSE(header.directed);
  EXPECT_TRUE(header.symmetric);
  EXPECT_EQ(header.vertices, 4u);
  EXPECT_EQ(header.report.reverse_edges_added, 2u);
  auto store = open_verified(path("a.fg"));
  const std::vector<LabelledEdge> expected = {
      {"1", "1", 5}, {"1", "2", .5f}, {"2", "1", .5f}, {"2", "3", 2}, {"3", "2", 2}};
  EXPECT_EQ(edges_of(*store, false), expected);
  ConvertOptions directed;
  directed.undirected = false;
  EXPECT_TRUE(convert({input}, path("b.fg"), directed).directed);
  EXPECT_EQ(edges_of(*open_verified(path("b.fg")), true), expected);
}

TEST_F(Convert, makes_an_edge_list_undirected_only_when_asked) {
  const std::string input = write("a.txt", "0 1\n1 2\n");
  EXPECT_FALSE(convert({input}, path("a.fg"), {}).symmetric);
  ConvertOptions options;
  options.undirected = true;
  const Header header = convert({input}, path("a.fg"), options);
  EXPECT_FALSE(header.directed);
  EXPECT_EQ(header.edges, 4u);
  EXPECT_FALSE(header.has_in_edges);
  const Header found = convert({write("b.txt", "0 1\n1 0\n")}, path("b.fg"), {});
  EXPECT_TRUE(found.directed);
  EXPECT_TRUE(found.symmetric);
}

TEST_F(Convert, does_not_double_the_edges_of_a_file_that_has_both_directions) {
  ConvertOptions options;
  options.read.format = io::Format::Metis;
  options.build.duplicates = graph::Duplicates::Keep;
  const Header header = convert({write("a.graph", "3 2\n2\n1 3\n2\n")}, path("a.fg"), options);
  EXPECT_FALSE(header.directed);
  EXPECT_EQ(header.edges, 4u);
}

TEST_F(Convert, makes_empty_graphs_of_empty_files) {
  const Header header = convert({write("a.txt", "")}, path("a.fg"), {});
  EXPECT_EQ(header.vertices, 0u);
  EXPECT_EQ(header.edges, 0u);
  open_verified(path("a.fg"));
}

TEST_F(Convert, leaves_nothing_behind_when_it_fails) {
  const std::string input = write("a.txt", "0 1\n1 oops\n");
  ConvertOptions options;
  options.read.labels = io::LabelMode::None;
  expect_error(ErrorCode::BadInput, [&] { convert({input}, path("a.fg"), options); });
  const std::string good = write("a.txt", "0 1\n");
  std::stop_source stop;
  stop.request_stop();
  options.build.task.stop = stop.get_token();
  expect_error(ErrorCode::Interrupted, [&] { convert({good}, path("a.fg"), options); });
  options = {};
  options.build.memory = 1000;
  expect_error(ErrorCode::DoesNotFit, [&] { convert({good}, path("a.fg"), options); });
  options = {};
  options.interleave_weights = true;
  expect_error(ErrorCode::Usage, [&] { convert({good}, path("a.fg"), options); });
  EXPECT_EQ(files(), 1u);
}

TEST_F(Convert, writes_interleaved_weights_and_oriented_lists_when_asked) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("{} {} {}\n", random() % 200, random() % 200, i % 50);
  for (const bool undirected : {false, true}) {
    ConvertOptions options;
    options.read.third_column = io::ThirdColumn::Weight;
    options.undirected = undirected;
    options.build.in_edges = false;
    options.interleave_weights = true;
    options.triangle_lists = true;
    convert({write("a.txt", text)}, path("a.fg"), options);
    auto store = open_verified(path("a.fg"));
    const CsrView out = store->out();
    const auto pairs = store->interleaved();
    ASSERT_EQ(pairs.size(), out.edges);
    for (EdgeId e = 0; e < out.edges; ++e) {
      EXPECT_EQ(pairs[e].target, out.target[e]);
      EXPECT_EQ(pairs[e].weight, out.weight[e]);
    }
    const Csr in = graph::transpose(out);
    const CsrView in_view = in.view();
    const Csr expected = graph::orient_by_degree(out, &in_view);
    const CsrView oriented = *store->oriented();
    EXPECT_TRUE(std::equal(expected.offset.begin(), expected.offset.end(), oriented.offset));
    ASSERT_EQ(oriented.edges, expected.edges());
    EXPECT_TRUE(std::equal(expected.target.begin(), expected.target.end(), oriented.target));
  }
}

}  // namespace
}  // namespace fathom::store
