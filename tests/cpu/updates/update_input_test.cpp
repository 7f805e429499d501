// Streams of updates in both forms, lines and binary records, against the same updates one by one.
#include "fathom/dynamic/updates/update_input.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/logged_graphs.hpp"

namespace fathom::dynamic {
namespace {

using testing::expect_error;
using Lines = std::vector<std::string>;

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

ChangingGraph empty_graph(const LoggedGraph& kind) {
  return {DynamicGraph(logged_context(), logged_options(kind)),
          kind.strings ? VertexLabels::of_any() : VertexLabels(false)};
}

/// Line after line, each a batch of its own.
std::vector<std::string> one_by_one(const LoggedGraph& kind, const Lines& lines) {
  ChangingGraph its = empty_graph(kind);
  for (const std::string& line : lines) {
    UpdateBatch batch(its.graph, its.labels);
    batch.add(line);
    if (batch.updates() > 0) batch.apply();
  }
  return described(its);
}

/// The file, in batches of `most`; `taken` gets what was taken.
std::vector<std::string> streamed(const LoggedGraph& kind, const std::string& path,
                                  std::size_t most, int threads, Lines* taken = nullptr) {
  ChangingGraph its = empty_graph(kind);
  UpdateInput input(path, Task(), threads == 1 ? UpdateInput::kLeastPiece : 100);
  UpdateBatch batch(its.graph, its.labels, threads);
  const auto take = [&](std::string_view item) { taken->emplace_back(item); };
  for (bool more = true; more;) {
    batch.clear();
    more = taken ? input.fill(batch, most, take) : input.fill(batch, most);
    EXPECT_LE(batch.updates(), most);
    if (batch.updates() > 0) batch.apply();
  }
  return described(its);
}

/// Edges by integers for the most part, so that there is something to read at once.
Lines some_lines(std::uint64_t seed, const LoggedGraph& kind, std::size_t count) {
  zoo::Dice dice(seed);
  Lines lines;
  while (lines.size() < count) {
    const auto vertex = [&] { return std::to_string(dice.roll(300)); };
    std::string line = (dice.roll(3) == 0 ? "- " : "+ ") + vertex() + "\t " + vertex();
    if (line.front() == '+' && kind.edges != EdgeKind::Simple && dice.roll(2) == 0) {
      constexpr const char* kWeights[] = {"0",     "7",    "16777216", "2.5",
                                          "+.125", "-1e3", "-0",       "07.5"};
      line += std::string(" ") + kWeights[dice.roll(std::size(kWeights))];
      if (kind.edges == EdgeKind::Semantic && dice.roll(2) == 0) line += " 7 0 12345678901234";
    }
    if (dice.roll(40) == 0) line = some_line(dice, kind);
    if (dice.roll(50) == 0) line += "\r";
    if (dice.roll(60) == 0) line = "";
    lines.push_back(line);
  }
  return lines;
}

TEST(UpdateInput, LinesComeToWhatTheyDoOneByOne) {
  const store::TemporaryDirectory directory;
  for (const LoggedGraph& kind : kLoggedGraphs) {
    const Lines lines = some_lines(3, kind, 3000);
    const std::vector<std::string> expected = one_by_one(kind, lines);
    const std::string path = directory.file("lines");
    write(path, joined(lines));
    for (const std::size_t most : {std::size_t{1}, std::size_t{97}, std::size_t{100000}})
      for (const int threads : {1, 3}) {
        Lines taken;
        EXPECT_EQ(streamed(kind, path, most, threads), expected) << most << " " << threads;
        EXPECT_EQ(streamed(kind, path, most, threads, &taken), expected);
        EXPECT_EQ(taken, lines);
      }
    // Without its last end of line it is the same.
    write(path, joined(lines).substr(0, joined(lines).size() - 1));
    EXPECT_EQ(streamed(kind, path, 500, 2), expected);
  }
}

TEST(UpdateInput, RecordsComeToWhatTheirLinesDo) {
  const store::TemporaryDirectory directory;
  for (LoggedGraph kind : kLoggedGraphs) {
    if (kind.strings || kind.edges != EdgeKind::Semantic) continue;
    for (const EdgeKind edges : {EdgeKind::Simple, EdgeKind::Weighted, EdgeKind::Semantic}) {
      kind.edges = edges;
      const Lines lines = some_lines(4, kind, 3000);
      write(directory.file("lines"), joined(lines));
      const std::uint64_t updates =
          write_records(directory.file("lines"), directory.file("records"), Task());
      const std::vector<std::string> expected = one_by_one(kind, lines);
      for (const std::size_t most : {std::size_t{1}, std::size_t{97}, std::size_t{100000}})
        for (const int threads : {1, 3}) {
          Lines taken;
          EXPECT_EQ(streamed(kind, directory.file("records"), most, threads, &taken), expected);
          EXPECT_EQ(taken.size(), updates);
        }
    }
  }
}

TEST(UpdateInput, PiecesForThreadsAreReadInTheirOrder) {
  const store::TemporaryDirectory directory;
  const LoggedGraph kind{true, false, EdgeKind::Weighted, DuplicatePolicy::Overwrite};
  std::string text;
  std::map<std::pair<int, int>, int> expected;
  for (int i = 0; text.size() < (std::size_t{1} << 20); ++i) {  // 16 pieces
    const std::pair edge{i % 61, i % 53};
    text += fmt::format("+ {} {} {}\n", edge.first, edge.second, i % 1000);
    expected[edge] = i % 1000;
  }
  write(directory.file("lines"), text);
  write_records(directory.file("lines"), directory.file("records"), Task());
  for (const char* form : {"lines", "records"}) {
    ChangingGraph its = empty_graph(kind);
    UpdateInput input(directory.file(form), Task());
    UpdateBatch batch(its.graph, its.labels, 8);
    while (input.fill(batch, 10000)) {
      batch.apply();
      batch.clear();
    }
    batch.apply();
    const ListsByLabel lists = by_label(its.graph, its.labels);
    std::map<std::pair<int, int>, int> found;
    for (VertexId v = 0; v < lists.vertex.size(); ++v)
      for (EdgeId e = lists.out.offset[v]; e < lists.out.offset[v + std::size_t{1}]; ++e)
        found[{static_cast<int>(v), static_cast<int>(lists.out.target[e])}] =
            static_cast<int>(lists.out.weight[e]);
    EXPECT_EQ(found, expected) << form;
  }
}

TEST(UpdateInput, WhatIsPassedOverIsLeftOut) {
  const store::TemporaryDirectory directory;
  const LoggedGraph kind{true, false, EdgeKind::Simple, DuplicatePolicy::Ignore};
  write(directory.file("lines"), "+ 1 2\n# x\n+ 3 4\n+ 5 6\n");
  write(directory.file("edges"), "+ 1 2\n+ 3 4\n+ 5 6\n");
  write_records(directory.file("edges"), directory.file("records"), Task());
  for (const auto& [form, passed] : {std::pair{"lines", 2}, {"records", 1}}) {
    ChangingGraph its = empty_graph(kind);
    UpdateInput input(directory.file(form), Task());
    std::string_view item;
    for (int i = 0; i < passed; ++i) ASSERT_TRUE(input.next(item));
    EXPECT_EQ(input.number(), static_cast<std::uint64_t>(passed));
    UpdateBatch batch(its.graph, its.labels);
    EXPECT_FALSE(input.fill(batch, 100));
    EXPECT_EQ(batch.updates(), 2u);
    EXPECT_EQ(input.number(), static_cast<std::uint64_t>(passed + 2));
    batch.apply();
    EXPECT_EQ(described(its), (Lines{"3 1.000000 0", "-> 4", "4 1.000000 0", "5 1.000000 0", "-> 6",
                                     "6 1.000000 0"}));
  }
}

TEST(UpdateInput, ErrorsNameTheLineWhateverStandsBeforeIt) {
  const store::TemporaryDirectory directory;
  const LoggedGraph kind{true, false, EdgeKind::Simple, DuplicatePolicy::Ignore};
  for (const auto& [bad, message] :
       {std::pair{"+ 1", "expected two labels after +, found 'the end of the line'"},
        {"+ 1 x", "expected an integer, as the labels of this graph are, found 'x'"},
        {"+ 1 2 3", "expected no weight, as this graph has none, found '3'"},
        {"* 1 2", "expected +, -, +v or -v, found '*'"}}) {
    std::string text;
    for (int i = 0; i < 40000; ++i) text += "+ 1 2\n";
    write(directory.file("u"), text + "\n# comment\n" + bad + "\n+ 1 2\n");
    ChangingGraph its = empty_graph(kind);
    UpdateInput input(directory.file("u"), Task());
    UpdateBatch batch(its.graph, its.labels, 4);
    expect_error(
        ErrorCode::BadInput, [&] { input.fill(batch, 1000000); },
        directory.file("u") + ":40003: " + message);
  }
}

std::string header_of(const RecordsHeader& header) {
  const RecordsHeaderBytes bytes = encoded(header);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class... T>
std::string bytes_of(T... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

TEST(UpdateRecords, AreRefusedWhereTheyAreNotRight) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("u.fgu");
  constexpr std::uint32_t kHighest = 0x80000000u;
  const RecordsHeader plain, weighted{.weighted = true},
      semantic{.weighted = true, .semantic = true}, two{.updates = 2};
  const std::string edge = bytes_of(1u, 2u);
  const float nan = std::nanf("");
  const struct {
    RecordsHeader header;
    std::string records, message;
  } cases[] = {
      {plain, edge + edge.substr(0, 5), "it ends inside update 2, 5 of its 8 bytes"},
      {two, edge, "it ends after 1 updates of the 2 that its header announces"},
      {two, edge + edge + "x", "it goes on behind the 2 updates that its header announces"},
      {two, edge + edge + edge, "it goes on behind the 2 updates that its header announces"},
      {weighted, bytes_of(1u, 2u, 1.5f, 3u, 4u, nan),
       "update 2, at byte 44: expected a finite weight, found 'nan'"},
      {plain, edge + edge + bytes_of(7u, kHighest | 1u),
       "update 3, at byte 48: expected a vertex whose record says no more than 0, found '1'"},
      {semantic, bytes_of(7u, kHighest | 2u, 1.0f, 3u, std::uint64_t{0}, std::uint64_t{0}),
       "update 1, at byte 32: expected a vertex whose record says no more than 1, found '2'"},
  };
  for (const auto& [header, records, message] : cases) {
    write(path, header_of(header) + records);
    ChangingGraph its = empty_graph({true, false, EdgeKind::Semantic, DuplicatePolicy::Ignore});
    expect_error(
        ErrorCode::BadInput,
        [&] {
          UpdateInput input(path, Task());
          UpdateBatch batch(its.graph, its.labels);
          input.fill(batch, 100);
        },
        path + ": " + message);
  }
  // Deletions have no weight that could be wrong.
  write(path, header_of(weighted) + bytes_of(kHighest | 1u, 2u, nan));
  EXPECT_TRUE(
      streamed({true, false, EdgeKind::Weighted, DuplicatePolicy::Ignore}, path, 9, 1).empty());
}

TEST(UpdateRecords, SayNothingThatTheGraphDoesNotKeep) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("u.fgu");
  const RecordsHeader semantic{.weighted = true, .semantic = true};
  const auto record = [](float weight, std::uint32_t type, std::uint64_t t1) {
    return bytes_of(1u, 2u, weight, type, t1, std::uint64_t{0});
  };
  const std::string plain = record(1, 0, 0);
  for (const auto& [edges, bad, message] :
       {std::tuple{EdgeKind::Simple, record(2, 0, 0),
                   "no weight but 1, as this graph has none, found '2'"},
        {EdgeKind::Weighted, record(2, 7, 0),
         "no type and no timestamps but 0, as the edges of this graph have none, found '7 0 0'"},
        {EdgeKind::Simple, record(1, 0, 9), "have none, found '0 9 0'"}}) {
    write(path, header_of(semantic) + plain + bad);
    ChangingGraph its = empty_graph({true, false, edges, DuplicatePolicy::Ignore});
    UpdateInput input(path, Task());
    UpdateBatch batch(its.graph, its.labels);
    expect_error(
        ErrorCode::BadInput, [&] { input.fill(batch, 100); },
        path + ": update 2, at byte 64: expected ");
    UpdateInput again(path, Task());
    expect_error(
        ErrorCode::BadInput, [&] { again.fill(batch, 100); }, message);
  }
  // Weights and types of vertices are of any graph, and there is no -0.
  write(directory.file("lines"), "+v 5 2.5 3\n+ 5 6\n");
  write_records(directory.file("lines"), path, Task());
  EXPECT_EQ(streamed({true, false, EdgeKind::Simple, DuplicatePolicy::Ignore}, path, 9, 1),
            (Lines{"5 2.500000 3", "-> 6", "6 1.000000 0"}));
  write(path, header_of({.weighted = true}) + bytes_of(1u, 2u, -0.0f));
  EXPECT_EQ(streamed({true, false, EdgeKind::Weighted, DuplicatePolicy::Ignore}, path, 9, 1),
            (Lines{"1 1.000000 0", "-> 2 0.000000", "2 1.000000 0"}));
}

TEST(UpdateRecords, EveryBitOfTheHeaderCounts) {
  const RecordsHeader header{.weighted = true, .wide = true, .updates = 12};
  const std::string right = header_of(header);
  const RecordsHeader read = decoded_records_header("u", right);
  EXPECT_TRUE(read.weighted && read.wide && !read.semantic);
  EXPECT_EQ(read.updates, 12u);
  for (std::size_t bit = 0; bit < 8 * right.size(); ++bit) {
    std::string wrong = right;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ 1 << bit % 8);
    EXPECT_THROW(decoded_records_header("u", wrong), Error) << bit;
  }
  for (std::size_t n = 0; n < right.size(); ++n)
    EXPECT_THROW(decoded_records_header("u", right.substr(0, n)), Error);
}

TEST(UpdateRecords, LinesThatTheyCannotHoldAreRefused) {
  const store::TemporaryDirectory directory;
  for (const auto& [line, found] : {std::pair{"+ 9223372036854775808 1", "9223372036854775808"},
                                    {"+ 1 name", "name"},
                                    {"+ 007 1", "007"},
                                    {"-v x", "x"}}) {
    write(directory.file("lines"), std::string("+ 1 2\n") + line + "\n");
    expect_error(
        ErrorCode::BadInput,
        [&] { write_records(directory.file("lines"), directory.file("records"), Task()); },
        directory.file("lines") +
            ":2: expected a label that is an integer below 2^63 without zeros before it, as "
            "records "
            "have them, found '" +
            found + "'");
    EXPECT_FALSE(std::ifstream(directory.file("records")).good());
  }
  // One that needs 64 bits makes all have them.
  write(directory.file("lines"), "+ 1 2\n+ 2147483648 9223372036854775807\n");
  EXPECT_EQ(write_records(directory.file("lines"), directory.file("records"), Task()), 2u);
  EXPECT_EQ(streamed({true, false, EdgeKind::Simple, DuplicatePolicy::Ignore},
                     directory.file("records"), 1, 1),
            (Lines{"1 1.000000 0", "-> 2", "2 1.000000 0", "2147483648 1.000000 0",
                   "-> 9223372036854775807", "9223372036854775807 1.000000 0"}));
}

TEST(UpdateInput, TheMarkOfUtf8IsNoPartOfTheFirstLine) {
  const store::TemporaryDirectory directory;
  const LoggedGraph kind{true, false, EdgeKind::Simple, DuplicatePolicy::Ignore};
  std::string first = "+ 1 2";
  first.resize(UpdateLines::kLongestLine, ' ');
  write(directory.file("u"), "\xEF\xBB\xBF" + first + "\n+ 3 4\n");
  Lines taken;
  streamed(kind, directory.file("u"), 10, 1, &taken);
  EXPECT_EQ(taken, (Lines{first, "+ 3 4"}));
  UpdateLines lines(directory.file("u"), Task());
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, first);
  write(directory.file("u"), "\xEF\xBB\xBF");
  EXPECT_TRUE(streamed(kind, directory.file("u"), 10, 1).empty());
}

TEST(UpdateInput, IsInterruptedBetweenTwoReads) {
  const store::TemporaryDirectory directory;
  const LoggedGraph kind{true, false, EdgeKind::Simple, DuplicatePolicy::Ignore};
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "+v " + std::to_string(i) + "\n";
  write(directory.file("u"), text);
  std::stop_source stop;
  ChangingGraph its = empty_graph(kind);
  Task task;
  task.stop = stop.get_token();
  UpdateInput input(directory.file("u"), task);
  UpdateBatch batch(its.graph, its.labels);
  const auto take = [&](std::string_view) { stop.request_stop(); };
  expect_error(
      ErrorCode::Interrupted, [&] { input.fill(batch, 1000, take); }, "interrupted");
  EXPECT_EQ(batch.updates(), 1u);
}

TEST(UpdateBatch, BecomesStringsInTheMiddle) {
  const LoggedGraph kind{true, true, EdgeKind::Simple, DuplicatePolicy::Ignore};
  const Lines first{"+ 1 2", "+ 3 4", "+ 5 6"};
  const Lines second{"-v 3", "+ 7 8", "-v 7", "+ 7 9", "+ 3 1", "-v 5", "+ 1 x", "- 1 2", "+ 05 5"};
  ChangingGraph its = empty_graph(kind), strings = empty_graph(kind);
  strings.labels.become_strings();
  for (const Lines& lines : {first, second})
    for (ChangingGraph* g : {&its, &strings}) {
      UpdateBatch batch(g->graph, g->labels);
      for (const std::string& line : lines) batch.add(line);
      batch.apply();
    }
  EXPECT_EQ(described(its), described(strings));
  EXPECT_TRUE(its.labels.strings());
}

}  // namespace
}  // namespace fathom::dynamic
