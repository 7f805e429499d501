// Files that name vertices say what result files say, in any of their spellings; what they cannot
// mean is refused with file and line.
#include "fathom/io/vertex_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "fathom/io/table_writer.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::io {
namespace {

using testing::expect_error;

const std::vector<std::string> kLabels = {"a",  "a b",    "a,b", "a\tb", "\"q\"",
                                          "#x", "vertex", "",    "x\r"};

const auto find_label = [](std::string_view label) -> std::optional<VertexId> {
  const auto at = std::find(kLabels.begin(), kLabels.end(), label);
  if (at == kLabels.end()) return std::nullopt;
  return static_cast<VertexId>(at - kLabels.begin());
};

std::vector<VertexId> vertices_of(const std::string& text) {
  std::istringstream in(text);
  return read_vertices(in, "f", find_label);
}
Partition partition_of(const std::string& text) {
  std::istringstream in(text);
  return read_partition(in, "f", static_cast<VertexId>(kLabels.size()), find_label);
}
std::vector<double> masses_of(const std::string& text) {
  std::istringstream in(text);
  return read_masses(in, "f", static_cast<VertexId>(kLabels.size()), find_label);
}

/// As a result file has it.
std::string row(const std::string& label, char separator, const std::string& value) {
  std::string line = label;
  quote_if_needed(line, 0, separator);
  line += separator;
  const std::size_t first = line.size();
  line += value;
  quote_if_needed(line, first, separator);
  return line + "\n";
}

TEST(VertexFile, ReadsEveryLabelThatAResultFileHas) {
  for (const char separator : {'\t', ','}) {
    std::string text = std::string("vertex") + separator + "component\n";
    std::vector<VertexId> all;
    for (const std::string& label : kLabels) {
      text += row(label, separator, label);
      all.push_back(static_cast<VertexId>(all.size()));
    }
    EXPECT_EQ(vertices_of(text), all);
    const Partition partition = partition_of(text);
    EXPECT_EQ(partition.names, kLabels);
    EXPECT_TRUE(std::equal(all.begin(), all.end(), partition.set.begin(), partition.set.end()));
    text.clear();
    for (const std::string& label : kLabels) text += row(label, separator, "0.5");
    EXPECT_EQ(masses_of(std::string("vertex") + separator + "rank\r\n" + text),
              std::vector<double>(kLabels.size(), 0.5));
  }
}

TEST(VertexFile, WithoutAHeaderTakesWhatIsSaidFromTheLastSeparator) {
  EXPECT_EQ(vertices_of("# some\n\na b\t17\r\n\"a\tb\"\n"), (std::vector<VertexId>{1, 3}));
  EXPECT_EQ(masses_of("a,b,1\na b 2\na\tb\t3\n\"#x\",4\na,1\na,2\n"),
            (std::vector<double>{3, 2, 1, 3, 0, 4, 0, 0, 0}));
  const Partition partition = partition_of("a one\na b\t\"x\ty\"\na,b,one\n");
  EXPECT_EQ(partition.names, (std::vector<std::string>{"one", "x\ty"}));
  EXPECT_EQ(partition.set[2], 0u);
  EXPECT_EQ(partition.set[1], 1u);
}

TEST(VertexFile, RefusesWithFileAndLineAndNothingATerminalWouldObey) {
  const auto refused = [](const auto& read, const std::string& part) {
    const std::string message = expect_error(ErrorCode::BadInput, read, part);
    EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20;
    })) << message;
  };
  refused([] { vertices_of("a\n\x1b]0;b\a\n"); }, "f:2: expected the label of a vertex");
  refused([] { vertices_of("\"a\n"); }, "f:1: expected a closing quote");
  refused([] { partition_of("a\tone\na\t\x1b[2J\n"); }, "f:2: expected the set 'one', which");
  refused([] { partition_of("a\n"); }, "expected LABEL<TAB>SET, found 'a'");
  refused([] { partition_of("a\t\"x\n"); }, "expected a closing quote at the end of SET");
  refused([] { partition_of("vertex\tdepth\tparent\na\t1\t2\n"); }, "f:2: expected two columns");
  refused([] { masses_of("\"a\"1\n"); }, "expected a closing quote and <TAB>WEIGHT");
  for (const char* bad : {"-1", "nan", "inf", "1e999", "1x", ""})
    refused([&] { masses_of(std::string("a\t") + bad); }, "a finite number that is at least 0");
  refused([] { masses_of("a\t1e308\na\t1e308\n"); }, "f:2: expected weights of a vertex that come");
}

TEST(VertexFile, NamesPairsAndLeavesFurtherColumnsOfResultsOut) {
  using Pairs = std::vector<std::pair<VertexId, VertexId>>;
  const auto pairs_of = [](const std::string& text) {
    std::istringstream in(text);
    return read_pairs(in, "f", find_label);
  };
  EXPECT_EQ(pairs_of("a\tvertex\n\n# no\n\"a,b\",a b\n"), (Pairs{{0, 6}, {2, 1}}));
  EXPECT_EQ(pairs_of("u\tv\tx\na\t\"a\tb\"\t0.5\na b\ta,b\n"), (Pairs{{0, 3}, {1, 2}}));
  EXPECT_EQ(pairs_of("u,v,x,y\n\"a,b\",a b,1,2\n"), (Pairs{{2, 1}}));
  const auto refuses = [&](const std::string& text, const std::string& why) {
    expect_error(
        ErrorCode::BadInput, [&] { pairs_of(text); }, why);
  };
  refuses("a\ta b\na\tb\n", "f:2: expected the label of a vertex, found 'b'");
  refuses("a\n", "f:1: expected LABEL<TAB>LABEL, found 'a'");
  refuses("u\tv\tx\na\ta\t1\n", "f:2: expected another vertex than 'a', found 'a'");
}

TEST(VertexFile, OfADirectoryIsAnError) {
  expect_error(
      ErrorCode::Io, [] { read_vertices("/", find_label); }, "/: cannot");
  expect_error(
      ErrorCode::Io, [] { read_masses("/nowhere/at all", 1, find_label); }, "at all");
}

}  // namespace
}  // namespace fathom::io
