#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cpu/io/io_testing.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::io {
namespace {

using testing::expect_error;
using Edges = Loaded::Edges;

TEST(EdgeList, SeparatorsAreBlanksTabsCommasOrSemicolons) {
  const Edges wanted = {{"1", "2", 1}, {"3", "40", 1}};
  for (const char* text : {"1 2\n3 40\n", "1\t2\n3\t40\n", "1,2\n3,40\n", "1;2\n3;40\n",
                           "  1   2 \n3\t 40\t\n", "1 , 2\n3,  40\n", "1 2\n3\t40\n"})
    EXPECT_EQ(read_text(text).edges, wanted) << text;
}

TEST(EdgeList, CommentsBlankLinesAndLineEndsAreSkipped) {
  const Edges wanted = {{"1", "2", 1}, {"3", "4", 1}};
  for (const char* text : {"# a b c\n1 2\n3 4", "% x\n\n1 2\n  \n3 4\n",
                           "// c\r\n1 2\r\n# d\r\n3 4\r\n", "\xef\xbb\xbf# bom\n1 2\n3 4\n",
                           "\xef\xbb\xbf"
                           "1 2\n3 4\n",
                           "1 2\n3 4\n\n\n"})
    EXPECT_EQ(read_text(text).edges, wanted) << text;
}

TEST(EdgeList, WeightColumnIsRead) {
  const Loaded got = read_text("1 2 0.5\n2 3 1e3\n3 4 7\n5 6 +2.25\n7 8 33554432\n");
  EXPECT_TRUE(got.traits.weighted);
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 0.5F},
                              {"2", "3", 1000},
                              {"3", "4", 7},
                              {"5", "6", 2.25F},
                              {"7", "8", 33554432.0F}}));
}

TEST(EdgeList, HeaderLineIsSkippedWhenItNamesColumns) {
  const Edges wanted = {{"1", "2", 1}};
  for (const char* text : {"src,dst\n1,2\n", "FromNodeId\tToNodeId\n1\t2\n", "foo bar\n1 2\n",
                           "# c\nSource,Target\n1,2\n"})
    EXPECT_EQ(read_text(text).edges, wanted) << text;
  EXPECT_EQ(read_text("source,target,weight\na,b,2\n").edges, (Edges{{"a", "b", 2}}));
  EXPECT_EQ(read_text("name1,name2,strength\na,b,2\nc,d,3\n").edges,
            (Edges{{"a", "b", 2}, {"c", "d", 3}}));
  EXPECT_TRUE(read_text("source,target\n").edges.empty());
}

TEST(EdgeList, HeaderOptionOverridesTheGuess) {
  ReadOptions options;
  options.header = true;
  EXPECT_EQ(read_text("1 2\n3 4\n", options).edges, (Edges{{"3", "4", 1}}));
  options.header = false;
  EXPECT_EQ(read_text("source target\na b\n", options).edges,
            (Edges{{"source", "target", 1}, {"a", "b", 1}}));
}

TEST(EdgeList, LabelsAreStringsWhenTheFirstBlockHasOne) {
  const Loaded got = read_text("1 2\nalice b\xc3\xb6rn\n");
  EXPECT_TRUE(got.traits.string_labels);
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 1}, {"alice", "b\xc3\xb6rn", 1}}));
}

TEST(EdgeList, StringLabelsKeepTheirSpelling) {
  ReadOptions options;
  options.labels = LabelMode::Strings;
  EXPECT_EQ(read_text("007 7\n-1 99999999999999999999\n", options).edges,
            (Edges{{"007", "7", 1}, {"-1", "99999999999999999999", 1}}));
}

TEST(EdgeList, QuotedFieldsMayHoldSeparatorsAndQuotes) {
  EXPECT_EQ(read_text("\"a,b\",\"c \"\"d\"\"\"\nx y,z\n").edges,
            (Edges{{"a,b", "c \"d\"", 1}, {"x y", "z", 1}}));
  EXPECT_EQ(read_text("\"1\",\"2\"\n").edges, (Edges{{"1", "2", 1}}));
  EXPECT_EQ(read_text("\"a b\" c\n").edges, (Edges{{"a b", "c", 1}}));
}

TEST(EdgeList, TabSeparatedLabelsMayHoldBlanks) {
  EXPECT_EQ(read_text("New York\tLos Angeles\nA\tB\n").edges,
            (Edges{{"New York", "Los Angeles", 1}, {"A", "B", 1}}));
}

TEST(EdgeList, LargestIdIsReadAndLargerOnesAreRefused) {
  EXPECT_EQ(read_text("18446744073709551615 0\n").edges, (Edges{{"18446744073709551615", "0", 1}}));
  EXPECT_EQ(refusal("1 2\n18446744073709551616 0\n"),
            "f:2: expected an id below 2^64, found '18446744073709551616' (--labels strings takes "
            "any id)");
  EXPECT_EQ(refusal("1 -2\n"),
            "f:1: expected an id that is not negative, found '-2' (--labels strings takes any id)");
}

TEST(EdgeList, KonectCommentSaysDirection) {
  EXPECT_EQ(read_text("% asym unweighted\n% 1 2 2\n1 2\n").traits.directed, true);
  const InputTraits sym = read_text("% sym weighted\n1 2 3\n").traits;
  EXPECT_EQ(sym.directed, false);
  EXPECT_TRUE(sym.half_stored);
  EXPECT_EQ(read_text("1 2\n").traits.directed, std::nullopt);
  EXPECT_NE(refusal("% bip unweighted\n1 1\n").find("bipartite KONECT"), std::string::npos);
}

TEST(EdgeList, KonectFourthColumnIsTimeAndIgnored) {
  const Loaded got = read_text("% sym posweighted\n1 2 3 1082008561\n2 3 4 1082008562\n");
  EXPECT_EQ(got.edges, (Edges{{"1", "2", 3}, {"2", "3", 4}}));
}

TEST(EdgeList, ThirdColumnThatCouldBeATimestampIsRefusedWithTheOption) {
  const std::string text = "9 8 1217567877\n1 1 1217573801\n";
  EXPECT_EQ(refusal(text),
            "f:1: expected a third column that cannot be a timestamp, found '1217567877' "
            "(--third-column weight|timestamp|ignore settles it)");
  ReadOptions options;
  for (const ThirdColumn meaning : {ThirdColumn::Timestamp, ThirdColumn::Ignore}) {
    options.third_column = meaning;
    EXPECT_EQ(read_text(text, options).edges, (Edges{{"9", "8", 1}, {"1", "1", 1}}));
  }
  options.third_column = ThirdColumn::Weight;
  EXPECT_EQ(read_text("9 8 1217567872\n", options).edges, (Edges{{"9", "8", 1217567872.0F}}));
  EXPECT_TRUE(read_text("src dst weight\n9 8 1217567872\n").traits.weighted);
  EXPECT_FALSE(read_text("src dst time\n9 8 1217567872\n").traits.weighted);
}

TEST(EdgeList, EverGrowingThirdColumnIsRefusedAsAPossibleTimestamp) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("{} {} {}\n", i, i + 1, i * 17);
  EXPECT_NE(refusal(text).find("--third-column"), std::string::npos);
}

TEST(EdgeList, WrongColumnCountsAreRefused) {
  EXPECT_EQ(refusal("1 2\n3 4 5\n"),
            "f:2: expected 2 columns, as in the first line, found '3 4 5'");
  EXPECT_EQ(refusal("1 2 3\n3 4\n"), "f:2: expected 3 columns, as in the first line, found '3 4'");
  EXPECT_EQ(refusal("1\n2\n"), "f:1: expected two columns at least (source and target), found '1'");
  EXPECT_NE(refusal("1 2 3 4 5\n").find("expected 2 to 4 columns"), std::string::npos);
  EXPECT_NE(refusal("1 2 3 foo\n").find("--third-column"), std::string::npos);
  EXPECT_EQ(refusal("1,2\n3,4,\n"), "f:2: expected 2 columns, as in the first line, found '3,4,'");
}

TEST(EdgeList, WeightsMayBeNegative) {
  EXPECT_EQ(read_text("1 2 -1\n3 4 -0.5\n5 6 -1e-3\n7 8 -0\n").edges,
            (Edges{{"1", "2", -1}, {"3", "4", -0.5F}, {"5", "6", -1e-3F}, {"7", "8", 0}}));
}

TEST(EdgeList, BadWeightsAreRefused) {
  const auto with = [](const std::string& weight) {
    return refusal("1 2 1\n3 4 " + weight + "\n");
  };
  EXPECT_EQ(with("nan"), "f:2: expected a finite weight that a 32-bit float can hold, found 'nan'");
  EXPECT_EQ(with("inf"), "f:2: expected a finite weight that a 32-bit float can hold, found 'inf'");
  EXPECT_EQ(with("1e39"),
            "f:2: expected a finite weight that a 32-bit float can hold, found '1e39'");
  EXPECT_EQ(with("16777217"),
            "f:2: expected an integer weight that a 32-bit float holds exactly, found '16777217'");
  EXPECT_EQ(with("99999999999999999999"),
            "f:2: expected an integer weight that a 32-bit float holds exactly, found "
            "'99999999999999999999'");
  EXPECT_EQ(with("x"), "f:2: expected a weight, found 'x'");
  EXPECT_EQ(
      refusal("1 2 friend\n"),
      "f:1: expected a weight, found 'friend' (--third-column weight|timestamp|ignore settles "
      "it)");
}

TEST(EdgeList, LateNonIntegerIsRefusedWithLineAndHint) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "1 2\n";
  EXPECT_EQ(refusal(text + "# c\n3 x\n"),
            "f:100002: expected an integer id, found 'x' (--labels strings takes any id)");
}

TEST(EdgeList, RubbishIsRefused) {
  EXPECT_EQ(refusal(std::string("\x7f"
                                "ELF\0\0\0\0\x02",
                                9)),
            "f: byte 0: expected the beginning of a graph in a known format, found binary data "
            "'\\x7fELF\\x00\\x00\\x00\\x00'");
  EXPECT_EQ(refusal("\"a b\n"), "f:1: expected a closing quote, found '\"a b'");
  EXPECT_EQ(refusal("a,b\n,c\n"), "f:2: expected a vertex label, found ''");
  EXPECT_EQ(refusal("1 2\r3 4\r"), "f:1: expected text, found '\\x0d3 4'");
  std::string late;
  for (int i = 0; i < 20000; ++i) late += "a b\n";
  EXPECT_EQ(refusal(late + std::string("a \0\n", 4)), "f:20001: expected text, found '\\x00'");
}

TEST(EdgeList, LongValuesAreShortenedInMessages) {
  EXPECT_EQ(refusal("1 2\n3 " + std::string(100, 'x') + "\n",
                    [] {
                      ReadOptions options;
                      options.labels = LabelMode::None;
                      return options;
                    }()),
            "f:2: expected an integer id, found '" + std::string(40, 'x') +
                "'... (100 bytes) (--labels strings takes any id)");
}

TEST(EdgeList, LineLongerThanTheLimitIsRefused) {
  ReadOptions options;
  options.buffer_bytes = 1 << 20;
  const std::string message = refusal("a b\n" + std::string(1 << 18, 'x') + " c\n", options);
  EXPECT_NE(message.find("expected lines, found one longer than"), std::string::npos) << message;
}

TEST(EdgeList, EmptyFilesAreGraphsWithoutVertices) {
  for (const char* text : {"", "\n", "# only a comment\n", "\n\n  \n"}) {
    const Loaded got = read_text(text);
    EXPECT_TRUE(got.edges.empty()) << text;
    EXPECT_FALSE(got.traits.weighted);
  }
}

TEST(EdgeList, SeveralFilesAreOneListInOrder) {
  const TempDir dir;
  const std::string a = dir.write("a", "1 2\n3 4"), b = dir.write("b", gzipped("# x\n5 6\n"));
  EXPECT_EQ(read_all({a, b}).edges, (Edges{{"1", "2", 1}, {"3", "4", 1}, {"5", "6", 1}}));
  EXPECT_EQ(read_all({b, a}).edges, (Edges{{"5", "6", 1}, {"1", "2", 1}, {"3", "4", 1}}));
  const std::string strings = dir.write("s", "x y\n");
  EXPECT_EQ(read_all({a, strings}).edges.back(), std::make_tuple("x", "y", 1.0F));
  const std::string weighted = dir.write("w", "1 2 3\n");
  expect_error(
      ErrorCode::BadInput,
      [&] {
        read_all({a, weighted});
      },
      "expected the same columns");
}

TEST(EdgeList, ReadingAgainStartsOver) {
  const TempDir dir;
  const auto reader = open_edges({dir.write("a", "1 2\n3 4\n")});
  EXPECT_EQ(read_all(*reader).edges, read_all(*reader).edges);
}

TEST(EdgeList, CancellationStopsReading) {
  const TempDir dir;
  std::stop_source stop;
  ReadOptions options;
  options.task.stop = stop.get_token();
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "1 2\n";
  options.buffer_bytes = 12 << 10;
  const auto reader = open_edges({dir.write("a", text)}, options);
  int batches = 0;
  const auto read = [&] {
    reader->read([&](std::span<const EdgeBatch>) {
      ++batches;
      stop.request_stop();
    });
  };
  expect_error(ErrorCode::Interrupted, read);
  EXPECT_LT(batches, 10);
}

TEST(EdgeList, ProgressEndsAtTheFileSize) {
  struct Recorder : Progress {
    void begin(std::string_view, std::uint64_t all, std::string_view) override { total = all; }
    void at(std::uint64_t n) override {
      EXPECT_GE(n, done);
      done = n;
    }
    void end() override { ++ends; }
    std::uint64_t total = 0, done = 0;
    int ends = 0;
  } recorder;
  const TempDir dir;
  ReadOptions options;
  options.task.progress = &recorder;
  options.buffer_bytes = 100;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 2\n";
  read_all({dir.write("a", text), dir.write("b", gzipped(text))}, options);
  EXPECT_EQ(recorder.done, recorder.total);
  EXPECT_EQ(recorder.ends, 1);
}

TEST(EdgeList, MissingFileAndDirectoryAreIoErrors) {
  const TempDir dir;
  for (const std::string& path : {dir / "missing", dir.path().string()}) {
    SCOPED_TRACE(path);
    expect_error(ErrorCode::Io, [&] { open_edges({path}); });
  }
}

}  // namespace
}  // namespace fathom::io
