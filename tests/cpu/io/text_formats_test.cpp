#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cpu/io/io_testing.hpp"

namespace fathom::io {
namespace {

using Edges = Loaded::Edges;

TEST(MatrixMarket, GeneralRealMatrixIsADirectedWeightedGraph) {
  const Loaded got =
      read_text("%%MatrixMarket matrix coordinate real general\n% c\n\n3 3 2\n1 2 0.5\n3 1 2\n");
  EXPECT_EQ(got.traits.format, Format::MatrixMarket);
  EXPECT_EQ(got.traits.directed, true);
  EXPECT_FALSE(got.traits.half_stored);
  EXPECT_EQ(got.traits.declared_vertices, 3U);
  EXPECT_EQ(got.traits.first_id, 1U);
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 0.5F}, {"3", "1", 2}}));
}

TEST(MatrixMarket, SymmetricPatternMatrixIsHalfStored) {
  const Loaded got =
      read_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n");
  EXPECT_EQ(got.traits.directed, false);
  EXPECT_TRUE(got.traits.half_stored);
  EXPECT_FALSE(got.traits.weighted);
  EXPECT_EQ(got.edges, (Edges{{"2", "1", 1}, {"3", "3", 1}}));
}

TEST(MatrixMarket, SkewSymmetricEntryIsAnEdgeInItsPositiveDirection) {
  const Loaded got =
      read_text("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -4\n");
  EXPECT_EQ(got.traits.directed, true);
  EXPECT_EQ(got.edges, (Edges{{"2", "1", 5}, {"1", "3", 4}}));
}

TEST(MatrixMarket, EntriesOfAGeneralMatrixKeepTheirSign) {
  const Loaded got =
      read_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 -5\n1 2 -0\n");
  EXPECT_EQ(got.edges, (Edges{{"2", "1", -5}, {"1", "2", 0}}));
}

TEST(MatrixMarket, ValuesCanBeIgnored) {
  ReadOptions options;
  options.third_column = ThirdColumn::Ignore;
  const Loaded got =
      read_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -3\n", options);
  EXPECT_FALSE(got.traits.weighted);
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 1}}));
}

TEST(MatrixMarket, UnsupportedMatricesAreRefused) {
  const auto banner = [](const std::string& rest) {
    return refusal("%%MatrixMarket " + rest + "\n2 2 1\n1 2 1\n");
  };
  EXPECT_EQ(banner("matrix array real general"),
            "f:1: expected a sparse matrix (coordinate), found 'array'");
  EXPECT_EQ(banner("matrix coordinate complex general"),
            "f:1: expected values of kind pattern, real or integer, found 'complex'");
  EXPECT_EQ(banner("matrix coordinate real hermitian"),
            "f:1: expected a general, symmetric or skew-symmetric matrix, found 'hermitian'");
  EXPECT_EQ(banner("vector coordinate real general"), "f:1: expected a matrix, found 'vector'");
  EXPECT_EQ(banner("matrix coordinate pattern skew-symmetric"),
            "f:1: expected values in a skew-symmetric matrix, found 'pattern'");
}

TEST(MatrixMarket, ContradictionsAreRefused) {
  const auto body = [](const std::string& rest) {
    return refusal("%%MatrixMarket matrix coordinate real general\n" + rest);
  };
  EXPECT_EQ(body("2 3 1\n1 2 1\n"), "f:2: expected a square matrix, found '2 3 1'");
  EXPECT_EQ(body("2 2 2\n1 2 1\n"), "f: expected 2 entries as the header says, found 1");
  EXPECT_EQ(body("2 2 1\n1 2 1\n2 1 1\n"), "f: expected 1 entries as the header says, found 2");
  EXPECT_EQ(body("2 2 1\n1 3 1\n"), "f:3: expected a vertex id in 1..2, found '3'");
  EXPECT_EQ(body("2 2 1\n0 1 1\n"), "f:3: expected a vertex id in 1..2, found '0'");
  EXPECT_EQ(body("2 2 1\n1 2\n"), "f:3: expected row, column and value, found '1 2'");
  EXPECT_EQ(body("2 2 1\n1 2 inf\n"),
            "f:3: expected a finite weight that a 32-bit float can hold, found 'inf' "
            "(--third-column ignore reads the structure alone)");
  EXPECT_EQ(body("% c\n"), "f:3: expected rows, columns and entries, found ''");
  EXPECT_EQ(body("2 2\n"), "f:2: expected rows, columns and entries, found '2 2'");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n"),
            "f:3: expected zero on the diagonal of a skew-symmetric matrix, found '1 1 1'");
}

TEST(Dimacs, ArcsAreReadWithWeights) {
  const Loaded got = read_text("c comment\nc\np sp 4 2\na 1 2 7\nc x\na 4 1 0\n");
  EXPECT_EQ(got.traits.format, Format::Dimacs);
  EXPECT_EQ(got.traits.declared_vertices, 4U);
  EXPECT_EQ(got.traits.first_id, 1U);
  EXPECT_EQ(got.traits.directed, true);
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 7}, {"4", "1", 0}}));
  EXPECT_EQ(read_text("p sp 4 1\na 1 2 -7\n").edges, (Edges{{"1", "2", -7}}));
}

TEST(Dimacs, ContradictionsAreRefused) {
  EXPECT_EQ(refusal("p sp 4 2\na 1 2 7\n"), "f: expected 2 entries as the header says, found 1");
  EXPECT_EQ(refusal("p sp 4 1\na 1 5 7\n"), "f:2: expected a vertex id in 1..4, found '5'");
  EXPECT_EQ(refusal("p sp 4 1\na 1 2\n"),
            "f:2: expected an arc (a TAIL HEAD WEIGHT), found 'a 1 2'");
  EXPECT_EQ(refusal("p sp 4 1\ne 1 2 3\n"),
            "f:2: expected an arc (a TAIL HEAD WEIGHT), found 'e 1 2 3'");
  EXPECT_EQ(refusal("p max 4 1\na 1 2 3\n"),
            "f:1: expected a problem line (p sp VERTICES ARCS), found 'p max 4 1'");
  EXPECT_EQ(refusal("p sp 4 1\na 1 2 nan\n"),
            "f:2: expected a finite weight that a 32-bit float can hold, found 'nan'");
  EXPECT_EQ(refusal("c x\n", as(Format::Dimacs)),
            "f:2: expected a problem line (p sp VERTICES ARCS), found ''");
}

TEST(Metis, NeighbourListsAreEdgesInBothDirections) {
  const Loaded got = read_text("% c\n4 3\n2 3\n1\n% d\n1 4\n3\n");
  EXPECT_EQ(got.traits.format, Format::Metis);
  EXPECT_EQ(got.traits.directed, false);
  EXPECT_FALSE(got.traits.half_stored);
  EXPECT_EQ(got.traits.declared_vertices, 4U);
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 1},
                              {"1", "3", 1},
                              {"2", "1", 1},
                              {"3", "1", 1},
                              {"3", "4", 1},
                              {"4", "3", 1}}));
}

TEST(Metis, EmptyLinesAreIsolatedVertices) {
  const Loaded got = read_text("5 1\n\n3\n2\n\n\n");
  EXPECT_EQ(got.edges, (Edges{{"2", "3", 1}, {"3", "2", 1}}));
  EXPECT_EQ(got.traits.declared_vertices, 5U);
}

TEST(Metis, VertexAndEdgeWeightsFollowTheFormatFlags) {
  const Edges wanted = {{"1", "2", 5}, {"2", "1", 5}};
  EXPECT_EQ(read_text("3 1 1\n2 5\n1 5\n\n", as(Format::Metis)).edges, wanted);
  EXPECT_EQ(read_text("2 1 011\n9 2 5\n9 1 5\n", as(Format::Metis)).edges, wanted);
  EXPECT_EQ(read_text("2 1 111 2\n7 9 9 2 5\n7 9 9 1 5\n").edges, wanted);
  EXPECT_FALSE(read_text("2 1 10\n9 2\n9 1\n", as(Format::Metis)).traits.weighted);
}

TEST(Metis, FileThatCouldBeAnEdgeListIsRefusedWithTheOption) {
  const std::string cycle = "4 4\n2 4\n1 3\n2 4\n3 1\n";
  EXPECT_EQ(refusal(cycle),
            "f: expected content that is only one format, found lines that could be METIS or an "
            "edge list (--format metis|edgelist settles it)");
  EXPECT_EQ(read_text(cycle, as(Format::Metis)).edges.size(), 8U);
  EXPECT_EQ(read_text(cycle, as(Format::EdgeList)).edges.size(), 5U);
}

TEST(Metis, EdgeListThatIsNoSymmetricMetisIsAnEdgeList) {
  EXPECT_EQ(read_text("4 4\n2 4\n1 3\n2 4\n3 2\n").traits.format, Format::EdgeList);
  EXPECT_EQ(read_text("100 200\n3 5\n5 7\n").traits.format, Format::EdgeList);
}

TEST(Metis, LinesLongerThanTheBufferAreRead) {
  std::string text = "20001 20000\n";
  for (int v = 2; v <= 20001; ++v) text += fmt::format("{} ", v);
  for (int v = 2; v <= 20001; ++v) text += "\n1";
  ReadOptions options = as(Format::Metis);
  options.buffer_bytes = 12 << 10;
  const Loaded got = read_text(text + "\n", options);
  ASSERT_EQ(got.edges.size(), 40000U);
  EXPECT_EQ(got.edges[19999], std::make_tuple("1", "20001", 1.0F));
}

TEST(Metis, ContradictionsAreRefused) {
  const auto metis = [](const std::string& text) { return refusal(text, as(Format::Metis)); };
  EXPECT_EQ(metis("3 1\n2\n1\n"), "f: expected 3 vertex lines, found 2");
  EXPECT_EQ(metis("2 1\n2\n1\n1\n"), "f:4: expected the end after 2 vertex lines, found '1'");
  EXPECT_EQ(metis("2 2\n2\n1\n"), "f: expected 4 entries as the header says, found 2");
  EXPECT_EQ(metis("2 1\n3\n1\n"), "f:2: expected a vertex id in 1..2, found '3'");
  EXPECT_EQ(metis("2 1\nx\n1\n"), "f:2: expected a vertex id in 1..2, found 'x'");
  EXPECT_EQ(metis("2 1 1\n2\n1 5\n"), "f:2: expected an edge weight, found 'the end of the line'");
  EXPECT_EQ(metis("2 1 7\n2\n1\n"),
            "f:1: expected a METIS format of up to three digits 0 or 1, found '7'");
  EXPECT_EQ(metis("2\n"), "f:1: expected METIS counts (VERTICES EDGES [FMT [NCON]]), found '2'");
}

TEST(Graphalytics, PairIsReadInAnyOrder) {
  const TempDir dir;
  const std::string v = dir.write("g.v", "1\n5\n9\n"), e = dir.write("g.e", "1 5 0.5\n9 1 2\n");
  for (const auto& paths : {std::vector{v, e}, std::vector{e, v}}) {
    const Loaded got = read_all(paths);
    EXPECT_EQ(got.traits.format, Format::Graphalytics);
    EXPECT_EQ(got.vertices, (std::vector<std::string>{"1", "5", "9"}));
    EXPECT_EQ(got.edges, (Edges{{"1", "5", 0.5F}, {"9", "1", 2}}));
  }
}

TEST(Graphalytics, EdgelessAndStringGraphsAreRead) {
  const TempDir dir;
  const std::string v = dir.write("g.v", "a\nb\n"), e = dir.write("g.e", "");
  const Loaded got = read_all({v, e});
  EXPECT_TRUE(got.traits.string_labels);
  EXPECT_EQ(got.vertices, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(got.edges.empty());
}

TEST(Detection, ExplicitFormatThatContradictsTheContentIsRefused) {
  EXPECT_EQ(
      refusal("%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", as(Format::EdgeList)),
      "f: expected the format edgelist, found matrixmarket");
  EXPECT_EQ(refusal("1 2\n", as(Format::MatrixMarket)), "f:1: expected %%MatrixMarket, found '1'");
}

TEST(Detection, EveryTextFormatIsReadCompressed) {
  const std::vector<std::pair<std::string, Format>> contents = {
      {"1 2\n3 4\n", Format::EdgeList},
      {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n", Format::MatrixMarket},
      {"p sp 2 1\na 1 2 3\n", Format::Dimacs},
      {"3 2\n2 3\n1\n1\n", Format::Metis}};
  for (const auto& [text, format] : contents) {
    const Loaded plain = read_text(text), gz = read_text(gzipped(text)),
                 zst = read_text(zstandard(text));
    EXPECT_EQ(plain.traits.format, format);
    EXPECT_EQ(gz.traits.format, format);
    EXPECT_EQ(gz.traits.compression, "gzip");
    EXPECT_EQ(zst.traits.compression, "zstd");
    EXPECT_EQ(gz.edges, plain.edges);
    EXPECT_EQ(zst.edges, plain.edges);
  }
}

TEST(Detection, SeveralMembersAndFramesAreOneStream) {
  const Edges wanted = {{"1", "2", 1}, {"3", "4", 1}};
  EXPECT_EQ(read_text(gzipped("1 2\n3") + gzipped(" 4\n")).edges, wanted);
  EXPECT_EQ(read_text(zstandard("1 2\n3") + zstandard(" 4\n")).edges, wanted);
  EXPECT_EQ(read_text(gzipped("1 2\n3 4\n") + std::string(512, '\0')).edges, wanted);
}

TEST(Detection, TruncatedAndDamagedStreamsAreRefused) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{} {}\n", i * 7919 % 1000, i);
  for (const std::string& whole : {gzipped(text), zstandard(text)}) {
    for (const std::size_t keep : {whole.size() - 1, whole.size() / 2, std::size_t{12}}) {
      const std::string message = refusal(whole.substr(0, keep));
      EXPECT_NE(message.find("found the end of the file"), std::string::npos) << message;
    }
    std::string damaged = whole;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    EXPECT_NE(refusal(damaged), "");
    EXPECT_NE(refusal(whole + "junk"), "");
  }
}

TEST(Detection, NamesOfFormatsGoBothWays) {
  for (int i = 0; i <= static_cast<int>(Format::Npz); ++i) {
    const auto format = static_cast<Format>(i);
    EXPECT_EQ(format_named(name_of(format)), format);
  }
  EXPECT_EQ(format_named("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace fathom::io
