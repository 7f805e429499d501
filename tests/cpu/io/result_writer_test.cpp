#include "fathom/io/result_writer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <sstream>

#include "tests/cpu/io/io_testing.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::io {
namespace {

using testing::expect_error;

constexpr std::uint32_t kNone = ~std::uint32_t{0};

class ResultWriter : public ::testing::Test {
 protected:
  std::string written(const std::string& name, std::span<const ResultColumn> columns) {
    write_results(
        dir_ / name, labels_.size(),
        [&](std::size_t row, std::string& out) { out += labels_[row]; }, columns);
    std::ostringstream content;
    content << std::ifstream(dir_ / name, std::ios::binary).rdbuf();
    return content.str();
  }

  TempDir dir_;
  std::vector<std::string> labels_ = {"7", "a b", "c"};
  std::vector<std::uint32_t> depth_ = {0, kNone, 2};
  std::vector<std::int64_t> count_ = {-5, 0, std::int64_t{1} << 40};
  std::vector<float> distance_ = {0.1F, std::numeric_limits<float>::infinity(), 16777216.0F};
  std::vector<double> rank_ = {0.1, 1e-300, 1.0 / 3};
};

TEST_F(ResultWriter, TsvHasAHeaderAndALinePerVertex) {
  const std::vector<ResultColumn> columns = {
      {"depth", depth_, kNone}, {"count", count_}, {"distance", distance_}, {"rank", rank_}};
  EXPECT_EQ(written("r.tsv", columns),
            "vertex\tdepth\tcount\tdistance\trank\n"
            "7\t0\t-5\t0.1\t0.1\n"
            "a b\t-1\t0\tinf\t1e-300\n"
            "c\t2\t1099511627776\t16777216\t0.3333333333333333\n");
}

TEST_F(ResultWriter, RowsThatAreNoVerticesHaveTheirColumnsAlone) {
  std::vector<ResultColumn> columns = {{"u", depth_}, {"rank", rank_}};
  columns[0].text = [&](std::size_t row, std::string& out) { out += labels_[row]; };
  const auto written_as = [&](const std::string& name) {
    write_results(*open_sink(dir_ / name), {result_kind(name), 3, nullptr, columns});
    std::ostringstream content;
    content << std::ifstream(dir_ / name, std::ios::binary).rdbuf();
    return content.str();
  };
  EXPECT_EQ(written_as("r.csv"), "u,rank\n7,0.1\na b,1e-300\nc,0.3333333333333333\n");
  EXPECT_NE(written_as("r.npy").find("('u', '<u4'), ('rank', '<f8')"), std::string::npos);
  expect_error(
      ErrorCode::Usage, [&] { ResultRows(ResultKind::Csv, 4, nullptr, columns); },
      "3 values for 4 rows");
}

TEST_F(ResultWriter, LabelsThatHoldTheSeparatorAreQuoted) {
  labels_ = {"a,b", "say \"x\"", "\"q"};
  const std::vector<ResultColumn> columns = {{"count", count_}};
  EXPECT_EQ(written("r.csv", columns),
            "vertex,count\n\"a,b\",-5\nsay \"x\",0\n\"\"\"q\",1099511627776\n");
  labels_ = {"a\tb", "c,d", "e"};
  EXPECT_EQ(written("r.tsv", columns), "vertex\tcount\n\"a\tb\"\t-5\nc,d\t0\ne\t1099511627776\n");
}

TEST_F(ResultWriter, LabelsThatHoldALineEndAreQuoted) {
  labels_ = {"a\nb", "c\rd", "e"};
  EXPECT_EQ(written("r.csv", std::vector<ResultColumn>{{"count", count_}}),
            "vertex,count\n\"a\nb\",-5\n\"c\rd\",0\ne,1099511627776\n");
}

TEST_F(ResultWriter, ColumnNamesAreQuotedLikeLabels) {
  labels_.clear();
  const std::span<const double> none;
  std::vector<ResultColumn> columns;
  for (const char* name : {"d:a,b", "d:a\tb", "\"q\"", "d:\"x\"", "d:a\nb", "d:a\rb"})
    columns.push_back({name, none});
  EXPECT_EQ(written("r.csv", columns),
            "vertex,\"d:a,b\",d:a\tb,\"\"\"q\"\"\",d:\"x\",\"d:a\nb\",\"d:a\rb\"\n");
  EXPECT_EQ(written("r.tsv", columns),
            "vertex\td:a,b\t\"d:a\tb\"\t\"\"\"q\"\"\"\td:\"x\"\t\"d:a\nb\"\t\"d:a\rb\"\n");
}

TEST_F(ResultWriter, NpyColumnNamesAreEscaped) {
  const std::vector<ResultColumn> columns = {{"it's\\", rank_}, {"\n\xc3\xbc", rank_}};
  EXPECT_NE(
      written("r.npy", columns).find(R"([('it\x27s\x5c', '<f8'), ('\x0a\xc3\xbc', '<f8'), ])"),
      std::string::npos);
}

TEST_F(ResultWriter, TextCallbackReplacesNumbersButNotNone) {
  const std::vector<ResultColumn> columns = {
      {"parent", depth_, kNone,
       [&](std::size_t row, std::string& out) { out += labels_[depth_[row]]; }}};
  EXPECT_EQ(written("r.tsv", columns), "vertex\tparent\n7\t7\na b\t-1\nc\tc\n");
}

TEST_F(ResultWriter, NpyHoldsOneArray) {
  const std::string content = written("r.npy", std::vector<ResultColumn>{{"rank", rank_}});
  ASSERT_EQ(content.size() % 64, (3 * sizeof(double)) % 64);
  EXPECT_EQ(content.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = static_cast<unsigned char>(content[8]);
  EXPECT_EQ(
      content.substr(10, header).find("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"),
      0U);
  EXPECT_EQ(content[10 + header - 1], '\n');
  EXPECT_EQ(std::memcmp(content.data() + 10 + header, rank_.data(), 3 * sizeof(double)), 0);
}

TEST_F(ResultWriter, NpyWithSeveralColumnsIsStructuredAndNoneIsMinusOne) {
  const std::vector<ResultColumn> columns = {{"depth", depth_, kNone}, {"distance", distance_}};
  const std::string content = written("r.npy", columns);
  EXPECT_NE(content.find("[('depth', '<i8'), ('distance', '<f4'), ]"), std::string::npos);
  std::int64_t second = 0;
  std::memcpy(&second, content.data() + content.size() - 24, sizeof second);
  EXPECT_EQ(second, -1);
}

TEST_F(ResultWriter, NpyHeadersBeyond64KiBAreOfVersion2) {
  for (const std::size_t columns : {2000u, 3000u}) {  // 54 and 81 KB
    std::vector<ResultColumn> many;
    for (std::size_t i = 0; i < columns; ++i)
      many.push_back({fmt::format("depth:{:05}", i), rank_});
    const std::string content = written("r.npy", many);
    const std::size_t bytes = columns == 2000 ? 2 : 4, prefix = 8 + bytes;
    EXPECT_EQ(content.substr(6, 2), std::string(columns == 2000 ? "\x01\x00" : "\x02\x00", 2));
    std::size_t header = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      header |= std::size_t{static_cast<unsigned char>(content[8 + i])} << 8 * i;
    EXPECT_EQ((prefix + header) % 64, 0u);
    EXPECT_EQ(content.size(), prefix + header + columns * 3 * sizeof(double));
    EXPECT_EQ(content[prefix + header - 1], '\n');
    EXPECT_NE(content.find("'shape': (3,), }"), std::string::npos);
  }
}

TEST_F(ResultWriter, GraphWithoutVerticesGivesAHeaderAlone) {
  labels_.clear();
  EXPECT_EQ(written("r.csv", std::vector<ResultColumn>{{"rank", std::span<const double>()}}),
            "vertex,rank\n");
}

TEST_F(ResultWriter, OtherSuffixesAndOtherLengthsAreUsageErrors) {
  expect_error(ErrorCode::Usage, [&] { result_kind("r.txt"); });
  expect_error(ErrorCode::Usage, [&] { result_kind(".tsv"); });
  labels_.pop_back();
  expect_error(ErrorCode::Usage, [&] {
    written("r.tsv", std::vector<ResultColumn>{{"rank", rank_}});
  });
}

TEST_F(ResultWriter, CancellationLeavesNoFile) {
  std::stop_source stop;
  stop.request_stop();
  Task task;
  task.stop = stop.get_token();
  const std::vector<ResultColumn> columns = {{"rank", rank_}};
  EXPECT_THROW(write_results(
                   dir_ / "r.tsv", 3, [](std::size_t, std::string&) {}, columns, task),
               Error);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

}  // namespace
}  // namespace fathom::io
