// Result files that ranks write together are those that one process writes.
#include "fathom/exec/ranks/shared_results.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "fathom/core/error.hpp"
#include "fathom/exec/ranks/shared_file.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/ranks/scratch_directory.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

class SharedResults : public ::testing::TestWithParam<std::size_t> {
 protected:
  SharedResults() : depth_(GetParam()), rank_(GetParam()), order_(GetParam()) {
    for (std::size_t i = 0; i < GetParam(); ++i) {
      depth_[i] = static_cast<std::uint32_t>(i * 7919 % 1000);
      rank_[i] = 1.0 / static_cast<double>(i + 1);
      order_[i] = static_cast<VertexId>(GetParam() - 1 - i);
    }
    columns_ = {{"depth", depth_, 0}, {"rank", rank_}};
  }
  io::ResultRows rows(const std::string& path, bool labelled) const {
    io::ResultRows::Label label;
    if (labelled) label = [](std::size_t v, std::string& out) { out += "v" + std::to_string(v); };
    return {io::result_kind(path), GetParam(), label, columns_,
            labelled ? std::span<const VertexId>(order_) : std::span<const VertexId>()};
  }

  ScratchDirectory directory_;
  std::vector<std::uint32_t> depth_;
  std::vector<double> rank_;
  std::vector<VertexId> order_;
  std::vector<io::ResultColumn> columns_;
};

TEST_P(SharedResults, AreTheBytesThatOneProcessWrites) {
  for (const char* const name : {"r.tsv", "r.csv", "r.npy"})
    for (const bool labelled : {true, false}) {
      const std::string alone = directory_.at(name),
                        together = directory_.at("by-" + std::string(name));
      io::write_results(*io::open_sink(alone), rows(alone, labelled));
      for (const int ranks : {1, 2, 3, 4}) {
        fs::remove(together);
        run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
          // The path is the first rank's.
          write_results(*group, group->rank() == 0 ? together : "elsewhere.tsv",
                        rows(together, labelled));
        });
        EXPECT_TRUE(content_of(together) == content_of(alone)) << name << " by " << ranks;
      }
    }
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.at("")), {}), 6);
}

INSTANTIATE_TEST_SUITE_P(Rows, SharedResults, ::testing::Values(0, 1, 65536, 65537, 300'000));

TEST(SharedFile, TakesTheAccessRightsAndThePlaceOfTheOldOne) {
  const ScratchDirectory directory;
  const std::string path = directory.at("r.tsv"), link = directory.at("link.tsv");
  std::ofstream(path) << "old";
  ::chmod(path.c_str(), 0640);
  fs::create_symlink(path, link);
  run_thread_ranks(3, [&](const std::shared_ptr<ReplicaGroup>& group) {
    SharedFile file(*group, link);
    EXPECT_EQ(file.writers(), 3u);
    EXPECT_EQ(file.place(), static_cast<std::size_t>(group->rank()));
    const std::string mine = std::string(static_cast<std::size_t>(group->rank()), 'x') + ";";
    file.append(std::as_bytes(std::span(mine)));
    EXPECT_EQ(content_of(path), "old");
    file.append({});
    file.append(std::as_bytes(std::span(mine)));
    file.commit();
  });
  EXPECT_EQ(content_of(path), ";x;xx;;x;xx;");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
}

/// Has the calling thread, and no other, see nothing of the file system but a directory. False
/// where the system does not let it.
bool see_nothing_but(const std::string& directory) {
  return ::unshare(CLONE_FS) == 0 && ::chroot(directory.c_str()) == 0;
}

TEST(SharedFile, IsLeftToThoseWhoSeeIt) {
  const ScratchDirectory directory;
  const std::string elsewhere = directory.at("elsewhere"), path = directory.at("r.tsv");
  fs::create_directory(elsewhere);
  bool can = false;
  std::thread([&] { can = see_nothing_but(elsewhere); }).join();
  if (!can) GTEST_SKIP() << "a thread may not have a file system of its own here";
  const std::vector<std::uint32_t> depth(200'000, 7);
  const std::vector<io::ResultColumn> columns{{"depth", depth}};
  const auto label = [](std::size_t v, std::string& out) { out += std::to_string(v); };
  const io::ResultRows rows(io::ResultKind::Tsv, depth.size(), label, columns);
  io::write_results(*io::open_sink(directory.at("alone.tsv")), rows);
  run_thread_ranks(3, [&](const std::shared_ptr<ReplicaGroup>& group) {
    if (group->rank() == 1) {
      ASSERT_TRUE(see_nothing_but(elsewhere));
    }
    {
      SharedFile file(*group, path);
      EXPECT_EQ(file.writers(), 2u);
      EXPECT_EQ(file.place().has_value(), group->rank() != 1);
    }
    write_results(*group, path, rows);
  });
  EXPECT_TRUE(content_of(path) == content_of(directory.at("alone.tsv")));
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST(SharedFile, LeavesTheOldOneWhenARankFails) {
  const ScratchDirectory directory;
  const std::string path = directory.at("r.tsv");
  std::ofstream(path) << "old";
  testing::expect_error(
      ErrorCode::Io,
      [&] {
        run_thread_ranks(3, [&](const std::shared_ptr<ReplicaGroup>& group) {
          SharedFile file(*group, path);
          const std::string mine = "new";
          file.append(std::as_bytes(std::span(mine)));
          if (group->rank() == 2) throw Error(ErrorCode::Io, "no space left");
          file.append({});
          file.commit();
        });
      },
      "no space left");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.at("")), {}), 1);
  const auto fails = [&](ErrorCode code, const std::string& at, const std::string& what) {
    testing::expect_error(
        code,
        [&] {
          run_thread_ranks(2, [&](const std::shared_ptr<ReplicaGroup>& group) {
            SharedFile file(*group, at);
            ADD_FAILURE() << "opened on rank " << group->rank();
          });
        },
        what);
  };
  fails(ErrorCode::Io, directory.at("no/such/r.tsv"), "no/such/r.tsv");
  fails(ErrorCode::Usage, directory.at("."), "not a regular file");
}

}  // namespace
}  // namespace fathom
