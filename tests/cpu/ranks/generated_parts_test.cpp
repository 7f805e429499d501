// Parts that ranks generate together are those that one process makes, byte by byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "fathom/exec/ranks/thread_ranks.hpp"
#include "fathom/residency/parts/generate_parts.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/verify_parts.hpp"
#include "tests/cpu/ranks/scratch_directory.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using store::PartLayout;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Made {
  bool directed, weighted, simple;
  generate::Kind kind = generate::Kind::Rmat;
  int scale = 17;
};

std::ostream& operator<<(std::ostream& out, const Made& m) {
  return out << (m.directed ? "directed" : "undirected") << (m.weighted ? " weighted" : "")
             << (m.simple ? " simple" : "") << " scale " << m.scale;
}

generate::Generator generator_of(const Made& made) {
  generate::Spec spec;
  spec.kind = made.kind;
  if (made.kind == generate::Kind::Grid) {
    spec.rows = 60;
    spec.columns = 40;
  } else {
    spec.scale = made.scale;
    spec.edge_factor = 12;
  }
  if (made.weighted) spec.weights = generate::WeightRange{1, 9};
  return generate::Generator(spec);
}

store::ConvertOptions options_of(const Made& made) {
  store::ConvertOptions options;
  options.undirected = !made.directed;
  options.build.undirected = !made.directed;
  options.build.threads = 2;
  options.build.memory = std::size_t{40} << 20;  // lists are made a range at a time
  options.build.duplicates = made.simple ? graph::Duplicates::Min : graph::Duplicates::Keep;
  options.build.loops = made.simple ? graph::Loops::Drop : graph::Loops::Keep;
  options.provenance = "parts";
  return options;
}

void expect_same_layout(const PartLayout& a, const PartLayout& b) {
  EXPECT_EQ(std::pair(a.index, a.parts), std::pair(b.index, b.parts));
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(a.in, b.in);
}

/// In `directory`, by so many ranks. What all of them are told is the same.
std::vector<PartLayout> by_ranks(const Made& made, const std::string& directory,
                                 std::uint32_t parts, int ranks) {
  const generate::Generator generator = generator_of(made);
  std::vector<std::vector<PartLayout>> told(static_cast<std::size_t>(ranks));
  run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
    told[static_cast<std::size_t>(group->rank())] =
        generate_parts(generator, directory, parts, options_of(made), *group);
  });
  for (const auto& its : told)
    for (std::size_t i = 0; i < its.size(); ++i) expect_same_layout(its[i], told[0][i]);
  return told[0];
}

class GeneratedParts : public ::testing::TestWithParam<Made> {};

TEST_P(GeneratedParts, AreTheSameFilesForAnyNumberOfRanks) {
  const ScratchDirectory directory;
  const std::pair<std::uint32_t, std::vector<int>> cases[] = {{1, {2}}, {4, {3}}, {9, {2, 4}}};
  for (const auto& [parts, groups] : cases) {
    const std::string alone = directory.at("alone" + std::to_string(parts));
    const auto expected =
        generate_parts(generator_of(GetParam()), alone, parts, options_of(GetParam()));
    for (const int ranks : groups) {
      SCOPED_TRACE(std::to_string(parts) + " parts by " + std::to_string(ranks) + " ranks");
      const std::string together =
          directory.at(std::to_string(parts) + "by" + std::to_string(ranks));
      const auto told = by_ranks(GetParam(), together, parts, ranks);
      ASSERT_EQ(told.size(), parts);
      for (std::uint32_t i = 0; i < parts; ++i) {
        expect_same_layout(told[i], expected[i]);
        EXPECT_TRUE(bytes_of_file(store::part_path(together, i, parts)) ==
                    bytes_of_file(store::part_path(alone, i, parts)))
            << "part " << i;
      }
    }
    EXPECT_EQ(store::verify_parts(alone, 2, {}).parts, parts);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GeneratedParts,
                         ::testing::Values(Made{false, true, false}, Made{true, false, false},
                                           Made{true, true, true},
                                           // Symmetric without being told, which sums show.
                                           Made{true, false, false, generate::Kind::Grid},
                                           Made{false, false, true, generate::Kind::Rmat, 1},
                                           Made{true, false, false, generate::Kind::Rmat, 0}));

TEST(GeneratedPartsOfRanks, SayThatAGraphIsSymmetricAsOneProcessDoes) {
  // Each vertex of a complete small graph has its edges both ways, in parts of several ranks.
  const ScratchDirectory directory;
  Made made{true, false, true, generate::Kind::Rmat, 2};
  generate::Spec spec;
  spec.kind = generate::Kind::Rmat;
  spec.scale = 2;
  spec.edge_factor = 4096;  // all pairs come, of which one is kept
  const generate::Generator generator(spec);
  run_thread_ranks(3, [&](const std::shared_ptr<ReplicaGroup>& group) {
    generate_parts(generator, directory.at("parts"), 3, options_of(made), *group);
  });
  const auto all = store::verify_parts(directory.at("parts"), 1, {});
  EXPECT_TRUE(all.header.symmetric);
  EXPECT_EQ(all.header.edges, 12u);
}

TEST(GeneratedPartsOfRanks, LeaveNothingWhenOneOfThemFails) {
  const ScratchDirectory directory;
  const std::string parts = directory.at("parts");
  const generate::Generator generator = generator_of({false, false, false});
  const auto generate_with = [&](const auto& options_of_rank) {
    run_thread_ranks(3, [&](const std::shared_ptr<ReplicaGroup>& group) {
      generate_parts(generator, parts, 3, options_of_rank(group->rank()), *group);
    });
  };
  const auto options = options_of({false, false, false});
  testing::expect_error(
      ErrorCode::DoesNotFit,
      [&] {
        generate_with([&](int rank) {
          auto its = options;
          if (rank == 1) its.build.memory = std::size_t{1} << 20;
          return its;
        });
      },
      "is too small");
  // One is stopped while the others wait for it.
  std::stop_source stop;
  stop.request_stop();
  testing::expect_error(ErrorCode::Interrupted, [&] {
    generate_with([&](int rank) {
      auto its = options;
      if (rank == 2) its.build.task.stop = stop.get_token();
      return its;
    });
  });
  EXPECT_TRUE(!std::filesystem::exists(parts) || std::filesystem::is_empty(parts));
  std::ofstream(directory.at("file")) << "in the way";
  testing::expect_error(
      ErrorCode::Io,
      [&] {
        run_thread_ranks(2, [&](const std::shared_ptr<ReplicaGroup>& group) {
          generate_parts(generator, directory.at("file"), 2, options, *group);
        });
      },
      "cannot make the directory");
}

}  // namespace
}  // namespace fathom
