// Sections read past the page cache equal what was written, whatever the disk does meanwhile; what
// it does for good is an error that says where.
#include "fathom/residency/ssd/section_reads.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "fathom/core/array.hpp"
#include "fathom/store/stripes.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/faulty_reader.hpp"

namespace fathom {
namespace {

using store::SectionId;
using testing::expect_error;
using testing::FaultCounts;
using testing::Faults;
using testing::with_faults;

using Way = IoOptions::Way;

constexpr std::size_t kBlock = SectionReads::kBlockBytes;

class Reading : public ::testing::TestWithParam<Way> {
 protected:
  static void SetUpTestSuite() {
    const store::TemporaryDirectory directory;
    const std::string path = directory.file("a.fg");
    // Six blocks.
    const auto sample = store::random_sample(1000, 5'600'000 / sizeof(VertexId), false);
    store::write_sample(path, sample);
    csr_ = store::out_of(sample);
    file_ = store::read_file(path);
  }
  static void TearDownTestSuite() {
    csr_ = {};
    file_ = {};
  }
  Reading() { store::write_file(path_, file_); }

  IoOptions options() const {
    IoOptions io;
    io.way = GetParam();
    io.depth = 4;
    return io;
  }
  IoOptions options(const Faults& faults,
                    std::shared_ptr<FaultCounts> counts = std::make_shared<FaultCounts>()) const {
    IoOptions io = options();
    io.wrap = with_faults(faults, std::move(counts));
    return io;
  }

  /// The whole section, read block by block (or several at once), in order of completion.
  std::vector<std::byte> read_all(SectionReads& reads, std::uint64_t blocks_each = 1) {
    const store::SectionEntry& entry = reads.section(SectionId::OutTargets);
    const std::uint64_t blocks = store::blocks_of(entry.bytes);
    Array<std::byte> memory(blocks * kBlock + (2 << 20));
    std::byte* const base = memory.data();  // large enough to be mapped, hence aligned
    reads.adopt({base, blocks * kBlock});
    std::vector<std::uint64_t> ready;
    std::uint64_t next = 0;
    while (next < blocks || reads.under_way() > 0) {
      for (; next < blocks && reads.room(); next += blocks_each)
        reads.start(SectionId::OutTargets, next, std::min(blocks_each, blocks - next),
                    base + next * kBlock, next);
      reads.collect(ready, true, 2);
    }
    EXPECT_EQ(ready.size(), (blocks + blocks_each - 1) / blocks_each);
    return {base, base + entry.bytes};
  }

  std::vector<std::byte> expected() const {
    const auto bytes = std::as_bytes(csr_.target.span());
    return {bytes.begin(), bytes.end()};
  }

  /// The byte of the file where a block of the section begins.
  std::uint64_t offset_of(std::uint64_t block) const {
    return store::decode_header(path_, file_, file_.size()).find(SectionId::OutTargets)->offset +
           block * kBlock;
  }

  store::TemporaryDirectory directory_;
  std::string path_ = directory_.file("a.fg");
  inline static Csr csr_;
  inline static std::vector<std::byte> file_;  // as it is before a test damages its own
};

TEST_P(Reading, GivesWhatWasWritten) {
  for (const bool direct : {true, false})
    for (const std::uint64_t blocks : {1, 2, 6}) {
      IoOptions io = options();
      io.direct = direct;
      SectionReads reads(path_, io);
      EXPECT_EQ(read_all(reads, blocks), expected());
      EXPECT_GE(reads.bytes(), expected().size());
    }
}

TEST_P(Reading, SurvivesFaultsThatPass) {
  auto counts = std::make_shared<FaultCounts>();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Faults faults;
    faults.seed = seed;
    faults.short_reads = 0.3;
    faults.passing_errors = 0.3;
    faults.passing_flips = 0.5;
    faults.late = 0.4;
    SectionReads reads(path_, options(faults, counts));
    EXPECT_EQ(read_all(reads, 1 + seed % 3), expected()) << "seed " << seed;
  }
  EXPECT_GT(counts->short_reads, 0u);
  EXPECT_GT(counts->errors, 0u);
  EXPECT_GT(counts->flips, 0u);
  EXPECT_GT(counts->late, 0u);
}

TEST_P(Reading, RetriesAnErrorThreeTimesAndThenNamesFileAndBytes) {
  Faults faults;
  faults.lasting_error_at = offset_of(3) + 4242;
  auto counts = std::make_shared<FaultCounts>();
  SectionReads reads(path_, options(faults, counts));
  expect_error(
      ErrorCode::Io, [&] { read_all(reads); },
      path_ + ": cannot read section 'out.targets', bytes " + std::to_string(offset_of(3)) +
          " to " + std::to_string(offset_of(3) + kBlock - 1) + ": Input/output error");
  EXPECT_EQ(counts->errors, 4u);
}

TEST_P(Reading, ReadsABlockThatIsDamagedOnceMoreAndThenNamesIt) {
  std::vector<std::byte> bytes = store::read_file(path_);
  bytes[offset_of(4) + 77] ^= std::byte{2};
  store::write_file(path_, bytes);
  IoOptions one_by_one = options();
  one_by_one.depth = 1;
  SectionReads reads(path_, one_by_one);
  expect_error(
      ErrorCode::BadInput, [&] { read_all(reads); },
      path_ + ": section 'out.targets': bytes " + std::to_string(offset_of(4)) + " to " +
          std::to_string(offset_of(4) + kBlock - 1) + " do not match their checksum");
  EXPECT_EQ(reads.requests(), 4u + 2u);  // the blocks before it, and it once more
}

TEST_P(Reading, RefusesAFileThatEndsEarly) {
  for (const std::uint64_t into : {std::uint64_t{0}, std::uint64_t{5000}, std::uint64_t{8192}}) {
    Faults faults;
    faults.ends_at = offset_of(2) + into;
    SectionReads reads(path_, options(faults));
    expect_error(
        ErrorCode::BadInput, [&] { read_all(reads); }, "truncated: ends at byte ");
  }
}

TEST_P(Reading, RefusesIdsThatAreNoVertices) {
  store::Sample lying = store::random_sample(1000, 200'000, false);
  lying.edges.push_back({999, 1000, 1});
  store::write_sample(directory_.file("b.fg"), lying);
  path_ = directory_.file("b.fg");
  SectionReads reads(path_, options());
  expect_error(
      ErrorCode::BadInput, [&] { read_all(reads); }, "names vertex 1000");
}

TEST_P(Reading, ChecksValuesOnceInTheWantedPartsAfterTheirChecksums) {
  for (const std::size_t part : {kBlock / 4, kBlock, 2 * kBlock}) {
    SectionReads reads(path_, options({.passing_flips = 1}));
    std::mutex mutex;
    std::map<std::uint64_t, std::size_t> parts;
    reads.check_values_with(
        SectionId::OutTargets, part, [&](std::uint64_t first, std::span<const std::byte> bytes) {
          EXPECT_EQ(std::memcmp(bytes.data(), expected().data() + first, bytes.size()), 0);
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(parts.emplace(first, bytes.size()).second) << first;
        });
    for (int twice = 0; twice < 2; ++twice) EXPECT_EQ(read_all(reads, 2), expected());
    std::uint64_t next = 0;
    for (const auto& [first, bytes] : parts) {
      EXPECT_EQ(first, next);
      EXPECT_EQ(bytes, std::min<std::uint64_t>(part, expected().size() - first));
      next += bytes;
    }
    EXPECT_EQ(next, expected().size());
  }
  SectionReads reads(path_, options());
  reads.check_values_with(SectionId::OutTargets, kBlock,
                          [](std::uint64_t first, std::span<const std::byte>) {
                            if (first == 3 * kBlock) throw Error(ErrorCode::BadInput, "no sense");
                          });
  expect_error(
      ErrorCode::BadInput, [&] { read_all(reads, 2); }, "no sense");
}

TEST_P(Reading, GivesTheSameFromStripesWhateverPassingFaults) {
  auto counts = std::make_shared<FaultCounts>();
  for (const std::size_t n : {1, 2, 3, 5}) {
    const std::vector<std::string> same(n, directory_.file(""));
    store::write_stripes(path_, same);
    for (const std::uint64_t blocks : {1, 2, 6})
      for (const bool faulty : {false, true}) {
        Faults faults;
        if (faulty)
          faults = {.seed = n,
                    .short_reads = 0.3,
                    .passing_errors = 0.3,
                    .passing_flips = 0.5,
                    .late = 0.4};
        SectionReads reads(path_, options(faults, counts), nullptr, same);
        EXPECT_EQ(reads.depth(), 4 * n);
        EXPECT_EQ(read_all(reads, blocks), expected()) << n << " stripes";
      }
  }
  EXPECT_GT(counts->errors, 0u);
  EXPECT_GT(counts->flips, 0u);
}

TEST_P(Reading, NamesTheStripeAndItsBytesThatAreDamagedOrUnreadable) {
  const std::vector<std::string> same(2, directory_.file(""));
  const std::vector<std::string> paths = store::write_stripes(path_, same);
  const auto layout = store::StoreFile(path_).layout();
  const auto place =
      store::StripePlan(layout, 2).place(*layout.find(SectionId::OutTargets), 3 * kBlock);
  ASSERT_EQ(place.stripe, 1u);
  const std::string bytes =
      "bytes " + std::to_string(place.offset) + " to " + std::to_string(place.offset + kBlock - 1);
  Faults faults;
  struct stat status {};
  ASSERT_EQ(::stat(paths[1].c_str(), &status), 0);
  faults.inode = status.st_ino;
  faults.lasting_error_at = place.offset + 99;
  {
    SectionReads reads(path_, options(faults), nullptr, same);
    expect_error(
        ErrorCode::Io, [&] { read_all(reads, 6); },
        paths[1] + ": cannot read section 'out.targets', " + bytes);
  }
  faults.lasting_error_at = ~std::uint64_t{0};
  faults.lasting_flip_at = place.offset + 5;
  {
    SectionReads reads(path_, options(faults), nullptr, same);
    expect_error(
        ErrorCode::BadInput, [&] { read_all(reads); },
        paths[1] + ": section 'out.targets': " + bytes + " do not match their checksum");
  }
  faults.lasting_flip_at = ~std::uint64_t{0};
  faults.ends_at = place.offset + 4096;
  {
    SectionReads reads(path_, options(faults), nullptr, same);
    expect_error(
        ErrorCode::BadInput, [&] { read_all(reads); }, paths[1] + ": truncated: ends at byte");
  }
}

TEST_P(Reading, ShowsASectionPieceByPieceInOrder) {
  SectionReads reads(path_, options());
  for (const std::size_t places : {1, 3}) {
    Array<std::byte> memory(places * kBlock + (2 << 20));
    std::vector<std::byte> got;
    reads.for_each_piece(SectionId::OutTargets, {memory.data(), places * kBlock}, 1,
                         [&](std::uint64_t first, std::span<const std::byte> piece) {
                           EXPECT_EQ(first, got.size());
                           got.insert(got.end(), piece.begin(), piece.end());
                         });
    EXPECT_EQ(got, expected());
  }
}

TEST_P(Reading, CanBeGivenUpWithReadsUnderWay) {
  Array<std::byte> memory(std::size_t{8} << 20);
  SectionReads reads(path_, options());
  for (std::uint64_t b = 0; b < 4; ++b)
    reads.start(SectionId::OutTargets, b, 1, memory.data() + b * kBlock, b);
  EXPECT_FALSE(reads.room());
  reads.cancel();
  EXPECT_EQ(read_all(reads), expected());
  reads.start(SectionId::OutTargets, 0, 1, memory.data(), 0);  // under way when it ends
}

// Where the ring fails, memory must not go while reads are on their way into it.
TEST_P(Reading, GivenUpAfterTheRingFailedNothingReachesMemoryAnyMore) {
  auto counts = std::make_shared<FaultCounts>();
  SectionReads reads(path_, options({.ring_fails_after = 0}, counts));
  for (int twice = 0; twice < 2; ++twice) {
    auto memory = std::make_unique<Array<std::byte>>(std::size_t{8} << 20);
    for (std::uint64_t b = 0; b < 4; ++b)
      reads.start(SectionId::OutTargets, b, 1, memory->data() + b * kBlock, b);
    std::vector<std::uint64_t> ready;
    expect_error(
        ErrorCode::Io, [&] { reads.collect(ready, true, 1); }, "injected");
    EXPECT_EQ(counts->under_way, 4u);
    reads.cancel();
    EXPECT_EQ(counts->under_way, 0u);
    EXPECT_EQ(reads.under_way(), 0u);
    EXPECT_TRUE(reads.room());
    memory.reset();
  }
}

TEST_P(Reading, ReadsOnAfterReadsWereDrained) {
  const auto reader = make_block_reader(options());
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  std::vector<std::byte> memory(4 * kBlock);
  std::vector<BlockDone> done;
  for (int round = 0; round < 50; ++round) {
    for (std::uint64_t i = 0; i < 4; ++i)
      reader->start({descriptor, i * kBlock, std::span(memory).subspan(i * kBlock, kBlock), i});
    if (round % 3 == 1) reader->collect(done, false);
    if (round % 3 != 2) {
      reader->drain();
      done.clear();
      continue;
    }
    while (done.size() < 4) reader->collect(done, true);
    for (const BlockDone& d : done) EXPECT_EQ(d.result, static_cast<std::int64_t>(kBlock));
    EXPECT_EQ(std::memcmp(memory.data(), file_.data(), memory.size()), 0);
    done.clear();
    std::fill(memory.begin(), memory.end(), std::byte{0});
  }
  ::close(descriptor);
}

// A length of 32 bits would be 0 here: the end of the file.
TEST_P(Reading, OfFourGibibytesAtOnceIsAShortRead) {
  constexpr std::size_t kMuch = std::size_t{1} << 32;
  void* const memory = ::mmap(nullptr, kMuch, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  {
    const auto reader = make_block_reader(options());
    std::vector<BlockDone> done;
    reader->start({descriptor, 0, {static_cast<std::byte*>(memory), kMuch}, 7});
    while (done.empty()) reader->collect(done, true);
    EXPECT_EQ(done[0].result, static_cast<std::int64_t>(file_.size()));
  }
  ::close(descriptor);
  ::munmap(memory, kMuch);
}

INSTANTIATE_TEST_SUITE_P(Ways, Reading, ::testing::Values(Way::Auto, Way::Threads),
                         [](const auto& p) { return p.param == Way::Auto ? "auto" : "threads"; });

TEST(Readers, AreNamedByWhatTheyDo) {
  IoOptions io;
  io.way = Way::Threads;
  EXPECT_EQ(make_block_reader(io)->name(), "pread");
  io.way = Way::Auto;
  const std::string name = make_block_reader(io)->name();
  EXPECT_TRUE(name == "io_uring" || name == "pread") << name;
  for (const std::uint32_t depth : {0u, 5000u}) {
    io.depth = depth;
    expect_error(
        ErrorCode::Usage, [&] { make_block_reader(io); }, std::to_string(depth));
  }
}

}  // namespace
}  // namespace fathom
