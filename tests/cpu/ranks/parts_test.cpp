// Every algorithm on a graph in parts finds what it finds on the whole graph; and what is wrong
// with parts is said, by all ranks alike.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fathom/exec/ranks/thread_ranks.hpp"
#include "fathom/residency/parts/part_graph.hpp"
#include "fathom/store/make/save.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/partition.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "fathom-parts-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Directory() { fs::remove_all(path_); }
  std::string at(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

void save_zoo(const zoo::RawGraph& raw, const std::string& path, bool in_edges = true) {
  const graph::BuiltGraph built = zoo::build(raw);
  store::SaveOptions options;
  options.directed = raw.directed;
  options.in_edges = in_edges;
  store::save(built.out.view(), path, options);
}

void divide(const std::string& graph, const std::string& directory, int parts) {
  store::PartitionOptions options;
  options.parts = static_cast<std::uint32_t>(parts);
  store::partition(graph, directory, options);
}

class InParts : public ::testing::TestWithParam<std::tuple<zoo::RawGraph, int, bool>> {};

TEST_P(InParts, EveryAlgorithmFindsWhatItFindsInTheWholeGraph) {
  const auto& [raw, ranks, in_edges] = GetParam();
  const Directory directory;
  const std::string whole = directory.at("g.fg"), parts = directory.at("parts");
  save_zoo(raw, whole, in_edges);
  divide(whole, parts, ranks);
  const Context ctx = Context::cpu();
  const Graph graph = load(ctx, whole);
  for (const testing::EveryAlgorithm& algorithm : testing::every_algorithm()) {
    if (algorithm.needs_sources && graph.vertices() == 0) continue;
    SCOPED_TRACE(algorithm.name);
    std::optional<testing::Answer> expected;
    std::string refused;
    try {
      expected = algorithm.run(ctx, graph, nullptr);
    } catch (const Error& e) {
      refused = e.what();
    }
    std::vector<testing::Answer> found(static_cast<std::size_t>(ranks));
    try {
      run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
        CpuOptions options;
        options.threads = 2;
        options.group = group;
        const Context mine = Context::cpu(options);
        const Graph part = load(mine, parts);
        const testing::Verifier verifier{mine, part};
        found[static_cast<std::size_t>(group->rank())] = algorithm.run(mine, part, &verifier);
      });
    } catch (const std::exception& e) {
      if (expected) ADD_FAILURE() << e.what();
      continue;
    }
    ASSERT_TRUE(expected) << refused;
    testing::expect_found(algorithm, found, *expected);
  }
}

/// What each of `ranks` ranks says when it opens a directory and its lists.
std::vector<std::string> said_by_ranks(int ranks, const std::string& directory, ErrorCode code,
                                       const ResidencyOptions& residency = {}) {
  std::vector<std::string> said(static_cast<std::size_t>(ranks));
  run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
    CpuOptions options;
    options.threads = 1;
    options.group = group;
    const Context ctx = Context::cpu(options);
    try {
      const Graph graph = load(ctx, directory, residency);
      graph.out();
      graph.in();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      said[static_cast<std::size_t>(group->rank())] = e.what();
    }
  });
  return said;
}

TEST(WrongParts, AreRefusedByAllRanksInTheSameWords) {
  const Directory directory;
  const std::string whole = directory.at("g.fg"), parts = directory.at("parts");
  save_zoo(zoo::all_graphs().back(), whole);
  divide(whole, parts, 3);
  const auto expect = [&](int ranks, const std::string& at, ErrorCode code, const std::string& what,
                          const ResidencyOptions& residency = {}) {
    for (const std::string& said : said_by_ranks(ranks, at, code, residency))
      EXPECT_NE(said.find(what), std::string::npos) << "'" << said << "' lacks '" << what << "'";
  };
  expect(2, parts, ErrorCode::Usage,
         "has 3 parts, and there are 2 ranks: `mpirun -n 3 fathom ALGORITHM");
  expect(1, parts, ErrorCode::Usage, "is a graph in 3 parts, each for a process of its own");
  ResidencyOptions streamed;
  streamed.kind = ResidencyOptions::Kind::Stream;
  expect(3, parts, ErrorCode::Usage, "there is no --residency", streamed);
  const std::string last = store::part_path(parts, 2, 3), away = directory.at("away.fg");
  fs::rename(last, away);
  expect(3, parts, ErrorCode::BadInput, last + ": is missing");
  fs::copy_file(store::part_path(parts, 1, 3), last);
  expect(3, parts, ErrorCode::BadInput, last + ": is not part 2 of 3");
  fs::remove(last);
  save_zoo(zoo::all_graphs().front(), directory.at("h.fg"));
  divide(directory.at("h.fg"), directory.at("others"), 3);
  fs::copy_file(store::part_path(directory.at("others"), 2, 3), last);
  expect(3, parts, ErrorCode::BadInput, last + ": is a part of another graph");
  fs::remove(last);
  fs::copy_file(away, last);
  {
    std::fstream file(last, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 + 3).put('\x55');
  }
  expect(3, parts, ErrorCode::BadInput, last + ": section 'out.offsets'");
  expect(2, directory.at("nowhere"), ErrorCode::Io, "nowhere");
  fs::create_directory(directory.at("empty"));
  expect(2, directory.at("empty"), ErrorCode::BadInput, "has no parts of a graph");
}

std::string parts_name(const ::testing::TestParamInfo<InParts::ParamType>& info) {
  const auto& [raw, ranks, in_edges] = info.param;
  return raw.name + "_in_" + std::to_string(ranks) + (in_edges ? "" : "_without_in_edges");
}

INSTANTIATE_TEST_SUITE_P(Zoo, InParts,
                         ::testing::Combine(::testing::ValuesIn(testing::graphs_of_ranks()),
                                            ::testing::Values(1, 2, 3), ::testing::Values(true)),
                         parts_name);
INSTANTIATE_TEST_SUITE_P(WithoutInEdges, InParts,
                         ::testing::Combine(::testing::Values([] {
                                              for (const auto& raw : testing::graphs_of_ranks())
                                                if (raw.name == "RmatDirected") return raw;
                                              return zoo::RawGraph();
                                            }()),
                                            ::testing::Values(2, 3), ::testing::Values(false)),
                         parts_name);

}  // namespace
}  // namespace fathom
