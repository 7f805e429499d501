// Every algorithm on a graph in parts finds what it finds on the whole graph; and what is wrong
// with parts is said, by all ranks alike.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "fathom/residency/parts/generate_parts.hpp"
#include "fathom/residency/parts/part_graph.hpp"
#include "fathom/store/make/save.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/partition.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"
#include "tests/cpu/ranks/scratch_directory.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

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

/// Where ranks have the lists of their parts.
struct PartsPlace {
  std::string name;
  int devices = 0;  // emulated
  ResidencyOptions residency = {};
};

PartsPlace streamed_to(int devices, bool from_disk) {
  PartsPlace place{from_disk ? "_streamed_from_disk" : "_streamed", devices};
  if (devices > 0) place.name = "_to_" + std::to_string(devices) + "_devices" + place.name;
  place.residency.kind = ResidencyOptions::Kind::Stream;
  place.residency.paging.page_bytes = 4096;  // lists begin and end within pages
  place.residency.paging.frames = devices > 0 ? 2 : 0;
  place.residency.paging.from_disk = from_disk;
  return place;
}

PartsPlace copied() {
  PartsPlace place{"_copied"};
  place.residency.kind = ResidencyOptions::Kind::Resident;
  return place;
}

class InParts : public ::testing::TestWithParam<std::tuple<zoo::RawGraph, int, bool, PartsPlace>> {
};

TEST_P(InParts, EveryAlgorithmFindsWhatItFindsInTheWholeGraph) {
  const auto& [raw, ranks, in_edges, where] = GetParam();
  const PartsPlace& place = where;  // which lambdas capture
  const ScratchDirectory directory;
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
        options.devices = place.devices;
        const Context mine = Context::cpu(options);
        const Graph part = load(mine, parts, place.residency);
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

TEST(StreamedParts, AreReadFromTheDiskWithinABoundOfMemory) {
  // 8 MiB of lists, of which each rank has a half, through a buffer of 2 MiB.
  const ScratchDirectory directory;
  const std::string parts = directory.at("parts");
  generate::Spec spec;
  spec.kind = generate::Kind::Uniform;
  spec.scale = 16;
  spec.edge_factor = 16;
  store::ConvertOptions making;
  making.undirected = true;
  making.build.undirected = true;
  generate_parts(generate::Generator(spec), parts, 2, making);
  std::vector<std::size_t> read(2), peak(2);
  run_thread_ranks(2, [&](const std::shared_ptr<ReplicaGroup>& group) {
    CpuOptions options;
    options.threads = 1;
    options.group = group;
    options.host_memory = std::size_t{5} << 20;
    const Context ctx = Context::cpu(options);
    ResidencyOptions residency;
    residency.kind = ResidencyOptions::Kind::Stream;
    residency.paging.page_bytes = std::size_t{64} << 10;
    const Graph graph = load(ctx, parts, residency);
    EXPECT_EQ(graph.residency(), "stream");
    const ComponentsResult result = connected_components(ctx, graph);
    EXPECT_EQ(result.components, 1u);
    const auto rank = static_cast<std::size_t>(group->rank());
    read[rank] = graph.traffic().disk.bytes;
    peak[rank] = ctx.peak_host_bytes();
  });
  for (const std::size_t bytes : read) EXPECT_GT(bytes, std::size_t{4} << 20);
  for (const std::size_t bytes : peak) EXPECT_LE(bytes, std::size_t{5} << 20);
}

TEST(WrongParts, AreRefusedByAllRanksInTheSameWords) {
  const ScratchDirectory directory;
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
  ResidencyOptions striped;
  striped.kind = ResidencyOptions::Kind::Stream;
  striped.paging.ssd = {directory.at("")};
  expect(3, parts, ErrorCode::Usage, "stripes (--ssd) are of whole graphs", striped);
  ResidencyOptions linked;
  linked.kind = ResidencyOptions::Kind::ZeroCopy;
  expect(3, parts, ErrorCode::Usage, "need a GPU", linked);
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
  const auto& [raw, ranks, in_edges, place] = info.param;
  return raw.name + "_in_" + std::to_string(ranks) + (in_edges ? "" : "_without_in_edges") +
         place.name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, InParts,
                         ::testing::Combine(::testing::ValuesIn(testing::graphs_of_ranks()),
                                            ::testing::Values(1, 2, 3), ::testing::Values(true),
                                            ::testing::Values(PartsPlace())),
                         parts_name);
INSTANTIATE_TEST_SUITE_P(WithoutInEdges, InParts,
                         ::testing::Combine(::testing::Values([] {
                                              for (const auto& raw : testing::graphs_of_ranks())
                                                if (raw.name == "RmatDirected") return raw;
                                              return zoo::RawGraph();
                                            }()),
                                            ::testing::Values(2, 3), ::testing::Values(false),
                                            ::testing::Values(PartsPlace())),
                         parts_name);
INSTANTIATE_TEST_SUITE_P(Streamed, InParts,
                         ::testing::Combine(::testing::ValuesIn(testing::graphs_of_ranks()),
                                            ::testing::Values(2), ::testing::Values(true),
                                            ::testing::Values(copied(), streamed_to(0, true),
                                                              streamed_to(2, false),
                                                              streamed_to(1, true))),
                         parts_name);

}  // namespace
}  // namespace fathom
