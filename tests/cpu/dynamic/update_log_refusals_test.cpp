// Logs that a graph cannot go on with: of another graph, in use, damaged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fathom/dynamic/log/log_reader.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/logged_graphs.hpp"

namespace fathom::dynamic {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

TEST(UpdateLog, OfAnotherGraphOrKindIsRefused) {
  const LoggedGraph& kind = kLoggedGraphs[0];
  const store::TemporaryDirectory directory;
  const std::string place = directory.file("log");
  const auto origin = origin_of(kind, directory.file("a.fg"));
  const auto other = origin_of(kLoggedGraphs[1], directory.file("b.fg"));
  const auto batches = some_batches(kind, 2);
  {
    LoggedProcess process(place, kind, origin.get());
    process.apply(batches[0]);
  }
  for (int rounds = 0; rounds < 2; ++rounds) {  // the second with a base of its own
    const auto refused = [&](const LoggedGraph& its, store::Store* store, const char* why) {
      expect_error(
          ErrorCode::Usage, [&] { LoggedProcess(place, its, store); }, why);
    };
    refused(kind, other.get(), "began with another graph");
    refused(kind, nullptr, "began with a graph, not without one");
    LoggedGraph keep = kind;
    keep.duplicates = DuplicatePolicy::Keep;
    refused(keep, origin.get(), "--duplicates overwrite; not");
    LoggedProcess process(place, kind, origin.get());
    process.compact();
  }
  const std::string none = directory.file("none");
  LoggedGraph undirected = kind;
  undirected.directed = false;
  { LoggedProcess process(none, kind, nullptr); }
  expect_error(
      ErrorCode::Usage, [&] { LoggedProcess(none, undirected, nullptr); }, "directed");
  expect_error(
      ErrorCode::Usage, [&] { LoggedProcess(none, kind, origin.get()); }, "began without a graph");
}

TEST(UpdateLog, OneProcessAtATimeHasIt) {
  const store::TemporaryDirectory directory;
  const std::string place = directory.file("log");
  {
    const UpdateLog first(place, {});
    expect_error(
        ErrorCode::Io, [&] { UpdateLog(place, {}); }, "another process has this log");
  }
  const UpdateLog next(place, {});
  std::ofstream(directory.file("file")) << "x";
  expect_error(
      ErrorCode::Usage, [&] { UpdateLog(directory.file("file"), {}); }, "is a directory");
  expect_error(
      ErrorCode::Io, [&] { UpdateLog(directory.file("a/b"), {}); }, "a/b");
}

TEST(UpdateLog, DamageIsRefusedWithItsPlace) {
  const LoggedGraph& kind = kLoggedGraphs[0];
  const store::TemporaryDirectory directory;
  const std::string place = directory.file("log");
  const auto batches = some_batches(kind, 4);
  {
    LoggedProcess process(place, kind, nullptr);
    for (std::size_t i = 0; i < 2; ++i) process.apply(batches[i]);
    process.compact();
    for (std::size_t i = 2; i < 4; ++i) process.apply(batches[i]);
  }
  const auto damage = [&](const std::string& name, const auto& how, const char* why) {
    const std::string path = place + "/" + name;
    const std::vector<std::byte> whole = store::read_file(path);
    std::vector<std::byte> bytes = whole;
    how(bytes);
    store::write_file(path, bytes);
    expect_error(
        ErrorCode::BadInput, [&] { LoggedProcess(place, kind, nullptr); }, why);
    store::write_file(path, whole);
  };
  const auto flip = [](std::size_t at) {
    return [at](std::vector<std::byte>& bytes) { bytes[at] ^= std::byte{4}; };
  };
  damage("log-2", flip(kLogHeaderBytes + 40), "log-2: the log is damaged: batch 3, at byte 80: ");
  damage("log-2", flip(30), "log-2: header: ");
  damage("base-2.fg", flip(5000), "base-2.fg");
  damage("base-2.fg", flip(100), "base-2.fg");
  const std::string other = directory.file("other");
  {
    LoggedProcess process(other, kind, nullptr);
    process.apply(batches[0]);
    process.apply(batches[0]);
    process.compact();
  }
  const std::vector<std::byte> base = store::read_file(other + "/base-2.fg");
  damage(
      "base-2.fg", [&](std::vector<std::byte>& bytes) { bytes = base; }, "not the base of");
  fs::rename(place + "/log-2", place + "/log-3");
  expect_error(
      ErrorCode::BadInput, [&] { LoggedProcess(place, kind, nullptr); }, "its name");
  fs::remove(place + "/log-3");
  expect_error(
      ErrorCode::BadInput, [&] { LoggedProcess(place, kind, nullptr); },
      "base-2.fg: the base of a log of updates that is not there");
}

TEST(UpdateLog, BatchesThatTheGraphCannotTakeAreRefusedWithTheirPlace) {
  const LoggedGraph& kind = kLoggedGraphs[0];
  const store::TemporaryDirectory directory;
  const std::string place = directory.file("log"), path = place + "/log-0";
  LogHeader header;
  { LoggedProcess process(place, kind, nullptr); }
  header = LogReader(path).header();
  const auto refused = [&](const RecordBytes& payload, const char* why) {
    { LogWriter(path, header, kLogHeaderBytes, 0).append(payload.all()); }
    expect_error(
        ErrorCode::BadInput, [&] { LoggedProcess(place, kind, nullptr); }, why);
  };
  const auto begun = [](std::initializer_list<std::uint64_t> counts) {
    RecordBytes bytes;
    for (int i = 0; i < 10; ++i) bytes.number(1);  // updates, lines, their hash
    for (const std::uint64_t count : counts) bytes.number(count);
    return bytes;
  };
  RecordBytes absent = begun({1, 0, 0, 1, 0});
  absent.text("nobody");
  absent.number(0);
  refused(absent,
          "batch 1, at byte 80: it names the vertex 'nobody', which the graph does not have");
  RecordBytes twice = begun({2, 2, 0, 0, 0});
  twice.text("same");
  twice.text("same");
  refused(twice, "it brings the vertex 'same', which the graph has");
  RecordBytes place_of_none = begun({1, 1, 0, 1, 0});
  place_of_none.text("x");
  place_of_none.number(1);
  refused(place_of_none, "a vertex in it is 1, of 1");
  refused(begun({5, 0, 0, 0, 0}), "more than it has bytes for");
  refused(begun({0, 1, 0, 0, 0}), "a count of new vertices in it is 1, of 1");
  RecordBytes longer = begun({0, 0, 0, 0, 0});
  longer.number(0);
  refused(longer, "more bytes than it says");
}

}  // namespace
}  // namespace fathom::dynamic
