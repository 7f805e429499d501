// The files of checkpoints: what is refused, and which of them ranks go on from.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/exec/checkpoint/file.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/ranks/checkpoint_directory.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

class CheckpointFiles : public ::testing::Test, protected testing::Checkpoints {
 protected:
  using Change = std::function<void(PagerankOptions&)>;
  static PagerankOptions options_for(
      const CheckpointOptions& checkpoint, std::uint32_t most,
      const Change& change = [](PagerankOptions&) {}) {
    PagerankOptions options;
    options.tolerance = 0;
    options.max_iterations = most;
    options.checkpoint = &checkpoint;
    change(options);
    return options;
  }
  static PagerankResult rank(
      const CheckpointOptions& checkpoint, std::uint32_t most,
      const Change& change = [](PagerankOptions&) {}, const zoo::RawGraph& raw = zoo::rmat(true)) {
    const testing::PlacedGraph placed(testing::plain_host(), raw);
    const PagerankOptions options = options_for(checkpoint, most, change);
    return pagerank(placed.ctx, placed.graph, options);
  }
  static std::vector<std::vector<double>> rank_on(int ranks, const CheckpointOptions& checkpoint,
                                                  std::uint32_t most) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
      testing::Configuration where = testing::plain_host();
      where.cpu.group = group;
      const testing::PlacedGraph placed(where, zoo::rmat(true));
      const auto result = pagerank(placed.ctx, placed.graph, options_for(checkpoint, most));
      found[static_cast<std::size_t>(group->rank())] = {result.rank.begin(), result.rank.end()};
    });
    return found;
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
};

TEST_F(CheckpointFiles, AreRefusedWhereAnythingThatMattersIsAnother) {
  const std::string path = file();
  rank({.write = path, .every = 2, .graph = 7}, 4);
  const CheckpointOptions resume{.resume = path, .graph = 7};
  const auto refused = [&](const std::string& what, const auto& call) {
    const std::string said = expect_error(ErrorCode::Usage, call, what);
    EXPECT_NE(said.find(path), std::string::npos) << said;
  };
  refused("has graph 0000000000000007, this run 0000000000000008",
          [&] { rank({.resume = path, .graph = 8}, 6); });
  refused("has alpha 0.85, this run 0.5", [&] { rank(resume, 6, [&](auto& o) { o.alpha = .5; }); });
  refused("has weighted false, this run true",
          [&] { rank(resume, 6, [&](auto& o) { o.weighted = true; }); });
  refused("has compat none, this run gap",
          [&] { rank(resume, 6, [&](auto& o) { o.compat = PagerankCompat::Gap; }); });
  refused("has in-place true, this run false",
          [&] { rank(resume, 6, [&](auto& o) { o.in_place = false; }); });
  const std::vector<double> jumps(zoo::rmat(true).vertices, 1);
  refused("has personalization none, this run ",
          [&] { rank(resume, 6, [&](auto& o) { o.personalization = jumps; }); });
  refused("has vertices: ", [&] {
    rank(
        resume, 6, [](auto&) {}, zoo::grid());
  });
  refused("is of iteration 4; the limit of iterations", [&] { rank(resume, 3); });
  refused("has algorithm pagerank, this run katz", [&] {
    const testing::PlacedGraph placed(testing::plain_host(), zoo::rmat(true));
    KatzOptions options;
    options.checkpoint = &resume;
    katz(placed.ctx, placed.graph, options);
  });
  refused("was written by 1 rank: as many go on from it, and not 2",
          [&] { rank_on(2, resume, 6); });
  EXPECT_EQ(rank(resume, 4).iterations, 4u);
  expect_error(
      ErrorCode::Io, [&] { rank({.resume = file("none")}, 6); }, file("none"));
  expect_error(
      ErrorCode::Io, [&] { rank({.write = file("no/where"), .every = 1}, 6); }, "no/where");
}

TEST_F(CheckpointFiles, AreRefusedWhereTheyAreDamaged) {
  const std::string path = file();
  rank({.write = path, .every = 2}, 4);
  const std::string whole = bytes_of(path);
  const CheckpointOptions resume{.resume = path};
  const auto damaged = [&](const std::string& bytes) {
    put(path, bytes);
    const std::string said = expect_error(ErrorCode::BadInput, [&] { rank(resume, 6); });
    EXPECT_NE(said.find(path), std::string::npos) << said;
  };
  for (std::size_t at = 0; at < whole.size(); at = at < 400 ? at + 1 : at + 97) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    damaged(bytes);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{31}, std::size_t{32},
                                 std::size_t{200}, whole.size() - 1})
    damaged(whole.substr(0, size));
  damaged(whole + "x");
  damaged("vertex\trank\n");
  put(path, whole);
  EXPECT_EQ(rank(resume, 6).iterations, 6u);
}

/// Whatever the bytes of a header say, also one whose checksum is right.
TEST_F(CheckpointFiles, ThatContradictThemselvesAreRefused) {
  const std::string path = file();
  const CheckpointHeader good{.algorithm = "a", .slices = {{"x", 8, 4, 0, 4}}};
  const auto written = [&](const CheckpointHeader& header, std::size_t bytes) {
    CheckpointWriter out(path, header);
    const std::vector<std::byte> content(bytes);
    out.append(content);
    out.commit();
  };
  written(good, 32);
  EXPECT_EQ(CheckpointReader(path).header().slices[0].elements, 4u);
  const auto refused = [&](const CheckpointSlice& slice, std::uint32_t rank = 0) {
    CheckpointHeader bad = good;
    bad.slices = {slice};
    bad.rank = rank;
    written(bad, static_cast<std::size_t>(slice.bytes()) % 4096);
    expect_error(ErrorCode::BadInput, [&] { CheckpointReader reader(path); });
  };
  refused({"x", 8, 4, 0, 5});
  refused({"x", 8, 4, 3, 2});
  refused({"x", 0, 4, 0, 4});
  refused({"x", 8, ~std::uint64_t{0}, 0, ~std::uint64_t{0} / 8});
  refused({"x", 8, 4, 0, 4}, 1);
}

TEST_F(CheckpointFiles, OfRanksAreGoneOnFromWhereAllCan) {
  const CheckpointOptions write{.write = file(), .every = 1, .resume = {}};
  const CheckpointOptions both{.write = file(), .every = 1, .resume = file()};
  const std::string first = file("state.0-of-2"), second = file("state.1-of-2");
  const auto whole = rank_on(2, {}, 9);
  rank_on(2, write, 3);
  const std::string first_3 = bytes_of(first), second_3 = bytes_of(second);
  EXPECT_FALSE(fs::exists(first + ".before"));
  rank_on(2, both, 4);
  const std::string first_4 = bytes_of(first), second_4 = bytes_of(second);
  EXPECT_NE(first_3, first_4);
  // Killed when the first had the next one and the second had not.
  const auto killed = [&](const std::string& f, const std::string& f_before, const std::string& s,
                          const std::string& s_before) {
    for (const auto& [path, bytes] : {std::pair{first, f},
                                      {first + ".before", f_before},
                                      {second, s},
                                      {second + ".before", s_before}}) {
      fs::remove(path);
      if (!bytes.empty()) put(path, bytes);
    }
  };
  for (const auto& [s, s_before] : {std::pair{second_3, std::string()},
                                    {std::string(), second_3},
                                    {second_4, second_3},
                                    {second_4, std::string()}}) {
    killed(first_4, first_3, s, s_before);
    EXPECT_EQ(rank_on(2, both, 9), whole);
    EXPECT_FALSE(fs::exists(first + ".before"));
    EXPECT_FALSE(fs::exists(second + ".before"));
  }
  // What one had alone is not kept in the place of what all have.
  killed(first_4, first_3, second_3, "");
  rank_on(2, {.write = file(), .every = 1000, .resume = file()}, 3);
  EXPECT_EQ(bytes_of(first), first_3);
  killed(first_4, "", second_3, "");
  expect_error(
      ErrorCode::BadInput, [&] { rank_on(2, both, 9); }, "no iteration of which all 2");
  // Another run's checkpoint of the same iteration.
  killed("", "", "", "");
  rank_on(2, write, 4);
  killed(first_4, "", bytes_of(second), "");
  expect_error(
      ErrorCode::BadInput, [&] { rank_on(2, both, 9); }, "no iteration of which all 2");
  // A part of another rank; of more ranks; and none.
  killed(first_4, "", first_4, "");
  expect_error(
      ErrorCode::Usage, [&] { rank_on(2, both, 9); }, "has rank 0, this run 1");
  killed(first_4, "", second_4, "");
  expect_error(
      ErrorCode::Usage, [&] { rank_on(3, both, 9); }, "by 2 ranks: as many go on");
  expect_error(
      ErrorCode::Usage, [&] { rank(both, 9); }, "by 2 ranks: as many go on");
  fs::remove(second);
  expect_error(
      ErrorCode::Io, [&] { rank_on(2, both, 9); }, second);
}

TEST_F(CheckpointFiles, OfBeforeStayUntilAllRanksHaveTheNext) {
  const CheckpointOptions write{.write = file(), .every = 1};
  const std::string in_the_way = file("state.1-of-2.before");
  fs::create_directories(in_the_way + "/full");
  const auto fails = [&] { rank_on(2, write, 9); };
  expect_error(ErrorCode::Io, fails, "state.1-of-2");  // with its second one
  fs::remove_all(in_the_way);
  EXPECT_EQ(CheckpointReader(file("state.0-of-2")).header().iteration, 2u);
  EXPECT_EQ(CheckpointReader(file("state.0-of-2.before")).header().iteration, 1u);
  EXPECT_EQ(CheckpointReader(file("state.1-of-2")).header().iteration, 1u);
  EXPECT_EQ(rank_on(2, {.write = file(), .every = 1, .resume = file()}, 9), rank_on(2, {}, 9));
}

}  // namespace
}  // namespace fathom
