// A graph that changes with a log: whatever ended the last process, the next one has every batch
// that counted.
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

TEST(UpdateLog, GivesTheGraphBackAfterAnyBatchAndAnyBase) {
  constexpr std::size_t kBatches = 12;
  for (const LoggedGraph& kind : kLoggedGraphs) {
    for (const bool empty : {false, true}) {
      if (empty && !kind.strings) continue;
      const store::TemporaryDirectory directory;
      const auto origin = empty ? nullptr : origin_of(kind, directory.file("origin.fg"));
      const auto batches = some_batches(kind, kBatches);
      const auto known = without_log(kind, origin.get(), batches);
      std::uint64_t lines = 0;
      for (std::size_t i = 0; i <= kBatches; ++i) {
        LoggedProcess process(directory.file("log"), kind, origin.get());
        EXPECT_EQ(process.graph(), known[i]) << i;
        EXPECT_EQ(process.log().sequence(), i);
        EXPECT_EQ(process.log().position().line, lines);
        EXPECT_EQ(process.log().recovery().base_batches, i / 5 * 5);
        EXPECT_EQ(process.log().recovery().batches, i % 5);
        if (i == kBatches) break;
        process.apply(batches[i]);
        EXPECT_EQ(process.graph(), known[i + 1]);
        lines += batches[i].size();
        if ((i + 1) % 5 == 0) process.compact();  // and what follows it has other indices
      }
    }
  }
}

TEST(UpdateLog, CutAnywhereGivesTheGraphAfterItsWholeBatches) {
  const LoggedGraph& kind = kLoggedGraphs[0];
  const store::TemporaryDirectory directory;
  const std::string place = directory.file("log");
  const auto batches = some_batches(kind, 6);
  const auto known = without_log(kind, nullptr, batches);
  std::vector<std::uint64_t> ends;
  {
    LoggedProcess process(place, kind, nullptr, {.sync_every = 100});  // no marks but the last
    for (const auto& lines : batches) {
      process.apply(lines);
      ends.push_back(process.log().bytes());
    }
  }
  const std::string path = place + "/log-0";
  const std::vector<std::byte> whole = store::read_file(path);
  for (std::size_t size = kLogHeaderBytes; size < whole.size(); size += 13) {
    store::write_file(path, std::span(whole).first(size));
    const auto count = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [&](auto end) { return end <= size; }));
    const LoggedProcess process(place, kind, nullptr, {.sync_every = kNeverSync});
    EXPECT_EQ(process.graph(), known[count]);
  }
}

/// The states of a directory while a log begins anew, each as a kill may leave it.
TEST(UpdateLog, KilledWhileItBeginsAnewHasTheOldLogOrTheNewOne) {
  for (const LoggedGraph& kind : kLoggedGraphs) {
    const store::TemporaryDirectory directory;
    const auto origin = origin_of(kind, directory.file("origin.fg"));
    const auto batches = some_batches(kind, 9);
    const auto known = without_log(kind, origin.get(), batches);
    const std::string place = directory.file("log"), old = directory.file("old");
    for (const std::size_t first : {0u, 4u}) {  // the base before
      fs::remove_all(place);
      fs::remove_all(old);
      LoggedProcess process(place, kind, origin.get());
      for (std::size_t i = 0; i < first; ++i) process.apply(batches[i]);
      process.compact();
      for (std::size_t i = first; i < 7; ++i) process.apply(batches[i]);
      fs::copy(place, old);
      process.compact();
    }
    const auto state = [&](std::initializer_list<std::string> from_old,
                           std::initializer_list<std::string> from_new) {
      const std::string killed = directory.file("killed");
      fs::remove_all(killed);
      fs::create_directory(killed);
      for (const std::string& name : from_old) fs::copy(old + "/" + name, killed + "/" + name);
      for (const std::string& name : from_new) fs::copy(place + "/" + name, killed + "/" + name);
      for (const char* name : {".base-7.fg.tmp-0123456789abcdef", ".log-7.tmp-0123456789abcdef"})
        std::ofstream(killed + "/" + name) << "begun";
      std::uint64_t base = 0;
      {
        LoggedProcess process(killed, kind, origin.get());
        EXPECT_EQ(process.graph(), known[7]);
        base = process.log().recovery().base_batches;
        process.apply(batches[7]);
        process.compact();
        process.apply(batches[8]);
      }
      std::vector<std::string> left;
      for (const auto& entry : fs::directory_iterator(killed))
        left.push_back(entry.path().filename().string());
      std::sort(left.begin(), left.end());
      EXPECT_EQ(left, (std::vector<std::string>{"base-8.fg", "lock", "log-8"}));
      EXPECT_EQ(LoggedProcess(killed, kind, origin.get()).graph(), known[9]);
      return base;
    };
    EXPECT_EQ(state({"base-4.fg", "log-4"}, {}), 4u);
    EXPECT_EQ(state({"base-4.fg", "log-4"}, {"base-7.fg"}), 4u);
    EXPECT_EQ(state({"base-4.fg", "log-4"}, {"base-7.fg", "log-7"}), 7u);
    EXPECT_EQ(state({"base-4.fg"}, {"base-7.fg", "log-7"}), 7u);
    EXPECT_EQ(state({}, {"base-7.fg", "log-7"}), 7u);
  }
}

TEST(UpdateLog, OnADiskThatIsFullKeepsWhatCounted) {
  const LoggedGraph& kind = kLoggedGraphs[0];
  const store::TemporaryDirectory directory;
  const std::string place = directory.file("log");
  const auto batches = some_batches(kind, 3);
  const auto known = without_log(kind, nullptr, batches);
  for (int compacts = 0; compacts < 2; ++compacts) {
    fs::remove_all(place);
    {
      LoggedProcess process(place, kind, nullptr);
      process.apply(batches[0]);
      process.apply(batches[1]);
      const store::FileSizeLimit limit(process.log().bytes() + 10);
      const auto full = [&] { compacts != 0 ? process.compact() : process.apply(batches[2]); };
      expect_error(ErrorCode::Io, full, place);
    }
    LoggedProcess process(place, kind, nullptr);
    EXPECT_EQ(process.graph(), known[2]);
    process.apply(batches[2]);
    EXPECT_EQ(LogReader(process.log().path()).header().sequence, 0u);
    EXPECT_EQ(process.graph(), known[3]);
  }
}

TEST(UpdateLog, WantsANewBaseWhenItIsLongerThanAskedForOrThanTheBase) {
  const LoggedGraph& kind = kLoggedGraphs[0];
  const store::TemporaryDirectory directory;
  const auto batches = some_batches(kind, 3);
  LoggedProcess process(directory.file("log"), kind, nullptr, {.most_bytes = 1500});
  EXPECT_FALSE(process.log().wants_compact());
  while (!process.log().wants_compact()) process.apply(batches[0]);
  EXPECT_GT(process.log().bytes(), 1500u);
  process.compact();
  EXPECT_FALSE(process.log().wants_compact());
  EXPECT_EQ(process.log().bytes(), kLogHeaderBytes);
}

}  // namespace
}  // namespace fathom::dynamic
