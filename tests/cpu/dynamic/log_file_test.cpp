// The file of a log: what is whole is read, what was being written is cut off, damage is found.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "fathom/dynamic/log/log_reader.hpp"
#include "fathom/dynamic/log/log_writer.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::dynamic {
namespace {

using testing::expect_error;
using Bytes = std::vector<std::byte>;

LogHeader some_header(std::uint64_t run = 0x1234567890abcdef) {
  LogHeader header;
  header.kind = {false, EdgeKind::Semantic, true, DuplicatePolicy::Keep};
  header.run = run;
  header.graph = 17;
  header.base = 18;
  header.sequence = 6;
  header.position = {1000, 99};
  return header;
}

/// Of different sizes, an empty one among them. What looks like a mark is in them too.
std::vector<Bytes> some_payloads() {
  std::vector<Bytes> payloads;
  zoo::Dice dice(3);
  for (const std::size_t size : {0u, 1u, 70u, 9u}) {
    Bytes payload(size);
    for (std::byte& b : payload) b = static_cast<std::byte>(dice.roll(256));
    payloads.push_back(payload);
  }
  const FrameBytes mark = encoded(Frame{FrameKind::Mark, 7, 0}, some_header().run, 80);
  payloads.emplace_back(mark.begin(), mark.end());
  return payloads;
}

/// Writes some_payloads(), with a mark behind each of the first ones.
/// @return [batches]: where each ends
std::vector<std::uint64_t> write_log(const std::string& path, std::size_t marked) {
  LogWriter writer(path, some_header());
  std::vector<std::uint64_t> ends;
  for (const Bytes& payload : some_payloads()) {
    writer.append(payload);
    ends.push_back(writer.bytes());
    if (ends.size() <= marked)
      writer.acknowledge(ends.size() == 1 ? LogPromise::Written : LogPromise::Synced);
  }
  EXPECT_EQ(writer.sequence(), 6 + ends.size());
  EXPECT_EQ(writer.pending(), ends.size() - marked);
  return ends;
}

/// Writes over a file. Truncated first, as by write_file(), it would be flushed when it is closed.
void overwrite(const std::string& path, std::span<const std::byte> bytes) {
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::filesystem::resize_file(path, bytes.size());
}

struct Found {
  std::vector<Bytes> payloads;
  std::uint64_t end = 0, cut = 0, sequence = 0;
};

Found read_log(const std::string& path) {
  LogReader reader(path);
  Found found;
  for (LogRecord record; reader.next(record);) {
    found.payloads.emplace_back(record.payload.begin(), record.payload.end());
    EXPECT_EQ(record.sequence, 6 + found.payloads.size());
  }
  found.end = reader.end();
  found.cut = reader.cut_bytes();
  found.sequence = reader.sequence();
  return found;
}

/// The first `count` of some_payloads(), and nothing else.
void expect_first(const Found& found, std::size_t count) {
  std::vector<Bytes> expected = some_payloads();
  expected.resize(count);
  EXPECT_EQ(found.payloads, expected);
  EXPECT_EQ(found.sequence, 6 + count);
}

TEST(LogFile, HasItsHeaderAndItsBatches) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  const auto ends = write_log(path, 5);
  const LogHeader header = LogReader(path).header(), expected = some_header();
  EXPECT_EQ(header.kind, expected.kind);
  EXPECT_EQ(header.position, expected.position);
  EXPECT_EQ(std::tie(header.run, header.graph, header.base, header.sequence),
            std::tie(expected.run, expected.graph, expected.base, expected.sequence));
  const Found found = read_log(path);
  expect_first(found, 5);
  EXPECT_EQ(found.end, std::filesystem::file_size(path));
  EXPECT_EQ(found.cut, 0u);
}

TEST(LogFile, CutAnywhereHasTheBatchesThatAreWholeAndTakesFurtherOnes) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  for (const std::size_t marked : {0u, 2u, 5u}) {
    const auto ends = write_log(path, marked);
    const Bytes whole = store::read_file(path);
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      overwrite(path, std::span(whole).first(size));
      if (size < kLogHeaderBytes) {
        expect_error(
            ErrorCode::BadInput, [&] { LogReader reader(path); }, path + ": ");
        continue;
      }
      const auto count = static_cast<std::size_t>(
          std::count_if(ends.begin(), ends.end(), [&](auto end) { return end <= size; }));
      const Found found = read_log(path);
      expect_first(found, count);
      EXPECT_EQ(found.end + found.cut, size);
      EXPECT_LT(found.cut, size == whole.size() ? 1 : 120);
      LogWriter writer(path, some_header(), found.end, found.sequence);
      const Bytes more(11, std::byte{5});
      writer.append(more);
      writer.acknowledge(LogPromise::Written);
      const Found again = read_log(path);
      ASSERT_EQ(again.payloads.size(), count + 1);
      EXPECT_EQ(again.payloads.back(), more);
      EXPECT_EQ(again.cut, 0u);
    }
  }
}

TEST(LogFile, EveryFlippedBitIsFoundAndNothingAcknowledgedIsLost) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  for (const std::size_t marked : {5u, 3u}) {
    const auto ends = write_log(path, marked);
    const Bytes whole = store::read_file(path);
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      Bytes flipped = whole;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      overwrite(path, flipped);
      try {
        const Found found = read_log(path);
        // In what no mark follows: the last mark, or what was never acknowledged.
        const std::uint64_t acknowledged = ends[marked - 1];
        EXPECT_GE(bit / 8, acknowledged);
        EXPECT_GT(found.cut, 0u);
        EXPECT_GE(found.payloads.size(), marked);
        expect_first(found, found.payloads.size());
      } catch (const Error& e) {
        ++refused;
        EXPECT_EQ(e.code(), ErrorCode::BadInput);
        EXPECT_NE(std::string(e.what()).find(path + ": "), std::string::npos);
        const bool in_batch = std::string(e.what()).find("damaged: batch ") != std::string::npos;
        EXPECT_EQ(in_batch, bit / 8 >= kLogHeaderBytes);
      }
    }
    EXPECT_EQ(refused, 8 * ends[marked - 1]);
  }
}

TEST(LogFile, NamesTheBatchAndTheByteOfDamage) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  const auto ends = write_log(path, 5);
  Bytes bytes = store::read_file(path);
  bytes[ends[2] - 20] ^= std::byte{1};  // in the payload of the third
  store::write_file(path, bytes);
  expect_error(
      ErrorCode::BadInput, [&] { read_log(path); },
      "the log is damaged: batch 9, at byte " + std::to_string(ends[1] + kFrameBytes) +
          ": it does not match its checksum");
}

/// What a disk has after a loss of power, of blocks that were written in any order.
TEST(LogFile, HolesBehindTheLastMarkAreCutOffAndBeforeItRefused) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  const auto ends = write_log(path, 2);
  Bytes bytes = store::read_file(path);
  std::memset(bytes.data() + ends[1] + kFrameBytes, 0, 30);
  store::write_file(path, bytes);  // batches 4 and 5 are whole, and follow what is not
  expect_first(read_log(path), 2);
  std::memset(bytes.data() + ends[0] - 4, 0, 4);
  store::write_file(path, bytes);
  expect_error(
      ErrorCode::BadInput, [&] { read_log(path); }, "batch 7, at byte 80: ");
}

/// After a loss of power the disk has what was synced, and of the rest any sectors.
TEST(LogFile, WhateverADiskLosesBehindTheLastSyncCostsNoBatchThatCounted) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  constexpr std::size_t kSector = 16;  // small, as the file is
  zoo::Dice dice(8);
  for (const std::size_t acknowledged : {0u, 1u, 3u, 5u}) {
    write_log(path, acknowledged);
    const Bytes whole = store::read_file(path);
    const std::uint64_t synced =
        acknowledged == 0 ? kLogHeaderBytes : write_log(path, acknowledged)[acknowledged - 1];
    for (int loss = 0; loss < 200; ++loss) {
      Bytes left = whole;
      if (dice.roll(2) == 0)
        left.resize(synced + dice.roll(static_cast<std::uint32_t>(whole.size() - synced + 1)));
      for (std::size_t sector = synced / kSector; sector * kSector < left.size(); ++sector) {
        if (dice.roll(3) != 0) continue;
        const auto first = std::max<std::size_t>(synced, sector * kSector);
        const auto last = std::min(left.size(), (sector + 1) * kSector);
        std::fill(left.begin() + static_cast<std::ptrdiff_t>(first),
                  left.begin() + static_cast<std::ptrdiff_t>(last), std::byte{0});
      }
      overwrite(path, left);
      const Found found = read_log(path);
      EXPECT_GE(found.payloads.size(), acknowledged);
      expect_first(found, found.payloads.size());
    }
  }
}

TEST(LogFile, MarksAreFoundBehindLongBatchesWhereverTheyLie) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  constexpr std::size_t kBlock = std::size_t{1} << 18;  // of which as much is read at a time
  for (std::size_t bytes = kBlock - 90; bytes < kBlock + 10; bytes += 9) {
    {
      LogWriter writer(path, some_header());
      writer.append(Bytes(bytes, std::byte{2}));
      writer.acknowledge(LogPromise::Written);
    }
    Bytes file = store::read_file(path);
    file[kLogHeaderBytes] = std::byte{9};
    overwrite(path, file);
    expect_error(
        ErrorCode::BadInput, [&] { read_log(path); }, "batch 7, at byte 80: ");
    overwrite(path, std::span(file).first(file.size() - 1));
    EXPECT_TRUE(read_log(path).payloads.empty());
  }
}

TEST(LogFile, FramesOfAnotherLogOrAnotherPlaceAreNone) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log"), other = directory.file("other");
  const auto ends = write_log(path, 5);
  const Bytes bytes = store::read_file(path);
  {
    LogWriter writer(other, some_header(5));
    writer.append(some_payloads()[0]);
  }
  // Its first batch behind another header; the first batch twice.
  Bytes mixed = store::read_file(other);
  mixed.resize(kLogHeaderBytes);
  mixed.insert(mixed.end(), bytes.begin() + kLogHeaderBytes, bytes.end());
  store::write_file(path, mixed);
  expect_first(read_log(path), 0);
  Bytes twice(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(ends[0]));
  twice.insert(twice.end(), bytes.begin() + kLogHeaderBytes,
               bytes.begin() + static_cast<std::ptrdiff_t>(ends[0]));
  store::write_file(path, twice);
  expect_first(read_log(path), 1);
}

TEST(LogFile, BatchesThatSkipANumberAreRefused) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  {
    LogWriter writer(path, some_header());
    writer.append(some_payloads()[1]);
  }
  const Found found = read_log(path);
  {
    LogWriter writer(path, some_header(), found.end, 20);
    writer.append(some_payloads()[1]);
  }
  expect_error(
      ErrorCode::BadInput, [&] { read_log(path); }, "batch 8, at byte 121: it is batch 21");
  {
    LogWriter writer(path, some_header(), found.end, 20);
    writer.acknowledge(LogPromise::Synced);
  }
  expect_error(
      ErrorCode::BadInput, [&] { read_log(path); }, "before it is a mark of batch 20");
}

TEST(LogFile, HeadersOfNewerVersionsAndOfNothingAreRefused) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  write_log(path, 0);
  Bytes bytes = store::read_file(path);
  bytes[8] = std::byte{2};
  store::write_file(path, bytes);
  expect_error(
      ErrorCode::BadInput, [&] { LogReader reader(path); }, "written by a newer Fathom");
  bytes[0] = std::byte{0};
  store::write_file(path, bytes);
  expect_error(
      ErrorCode::BadInput, [&] { LogReader reader(path); }, "not a log of updates");
  expect_error(
      ErrorCode::Io, [&] { LogReader reader(directory.file("none")); }, "none");
}

TEST(LogFile, ThatDoesNotFitTakesNothingMoreAndKeepsWhatItHas) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("log");
  LogWriter writer(path, some_header());
  writer.append(some_payloads()[2]);
  writer.acknowledge(LogPromise::Synced);
  const std::uint64_t before = writer.bytes();
  {
    const store::FileSizeLimit limit(before + 100);
    expect_error(
        ErrorCode::Io, [&] { writer.append(Bytes(1000)); }, "log: cannot write");
  }
  EXPECT_EQ(std::filesystem::file_size(path), before);  // what was begun is gone
  expect_error(
      ErrorCode::Io, [&] { writer.append(Bytes(1)); }, "nothing more after an error");
  expect_error(
      ErrorCode::Io, [&] { writer.acknowledge(LogPromise::Synced); }, "nothing more");
  const Found found = read_log(path);
  EXPECT_EQ(found.payloads, std::vector<Bytes>{some_payloads()[2]});
}

}  // namespace
}  // namespace fathom::dynamic
