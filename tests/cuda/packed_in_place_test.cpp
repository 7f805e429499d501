// Packed lists that a GPU reads in place: where they are put by how much memory there is, what is
// read of them over the link, and what becomes of damaged ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/residency/packed/packed_graph.hpp"
#include "fathom/store/packed/packed_image.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;

constexpr std::uint32_t kVertices = 20000, kNeighbours = 40;

/// Everybody knows those near them, so that ids take few bits: 6.4 MB of ids, about 1.3 packed.
zoo::RawGraph neighbourly(bool weighted) {
  zoo::RawGraph raw{"Neighbourly", kVertices, true, {}, {}};
  for (std::uint32_t v = 0; v < kVertices; ++v)
    for (std::uint32_t k = 1; k <= kNeighbours; ++k)
      raw.edges.emplace_back(v, (v + k * (1 + v % 7)) % kVertices);
  if (weighted)
    for (std::size_t e = 0; e < raw.edges.size(); ++e)
      raw.weights.push_back(static_cast<float>(1 + e % 9));
  return raw;
}

class PackedInPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
    const Context host = Context::cpu();
    const Graph plain = make_graph(host, built_.out.view(), nullptr, true, {});
    depths_ = depths(host, plain);
  }
  static Context with_memory(std::size_t bytes) {
    CudaOptions options;
    options.device_memory = bytes;
    options.threads = 2;
    return Context::cuda(options);
  }
  Graph place(const Context& ctx, const ResidencyOptions& where) const {
    return make_graph(ctx, image_.lists, nullptr, true, where);
  }
  static ResidencyOptions residency(Kind kind, PackedReads reads) {
    ResidencyOptions where;
    where.kind = kind;
    where.gpu.packed = reads;
    return where;
  }
  static std::vector<std::uint32_t> depths(const Context& ctx, const Graph& graph) {
    const BfsResult result = bfs(ctx, graph, std::vector<VertexId>{0});
    return {result.depth.begin(), result.depth.end()};
  }
  static std::uint64_t link_bytes(const Context& ctx, const Graph& graph) {
    const std::uint64_t before = graph.traffic().bytes;
    pagerank(ctx, graph, {});
    return graph.traffic().bytes - before;
  }

  graph::BuiltGraph built_ = zoo::build(neighbourly(true));
  store::PackedImage image_ = store::pack(built_.out.view());
  std::vector<std::uint32_t> depths_;
};

TEST_F(PackedInPlace, ListsThatFitUnpackedAreUnpackedAndOthersThatFitPackedReadInPlace) {
  const Context roomy = with_memory(std::size_t{64} << 20),
                tight = with_memory(std::size_t{7} << 20);
  const Graph unpacked = place(roomy, {}), packed = place(tight, {});
  EXPECT_EQ(unpacked.residency(), "resident");
  EXPECT_EQ(unpacked.residency_reason().find("in place"), std::string::npos);
  EXPECT_EQ(depths(tight, packed), depths_);
  EXPECT_EQ(packed.residency(), "resident");
  EXPECT_NE(packed.residency_reason().find("packed lists are read in place"), std::string::npos);
  EXPECT_EQ(packed.traffic().bytes, 0u);
  EXPECT_EQ(depths(roomy, unpacked), depths_);
}

TEST_F(PackedInPlace, LessIsReadOverTheLinkAndNothingOfWhatIsNear) {
  const Context ctx = with_memory(std::size_t{256} << 20);
  ResidencyOptions where = residency(Kind::ZeroCopy, PackedReads::InPlace);
  where.gpu.cache = CachePolicy::None;
  const Graph far = place(ctx, where);
  where.gpu.packed = PackedReads::Unpacked;
  const Graph plain = place(ctx, where);
  const std::uint64_t packed_bytes = link_bytes(ctx, far), plain_bytes = link_bytes(ctx, plain);
  EXPECT_GT(packed_bytes, 0u);
  EXPECT_LT(packed_bytes, plain_bytes / 2);
  EXPECT_EQ(far.out().near_edges(), 0u);

  where.gpu.packed = PackedReads::InPlace;
  where.gpu.cache = CachePolicy::LowDegree;
  where.gpu.cache_bytes = image_.lists.bytes() / 4;
  const Graph part = place(ctx, where);
  const std::uint64_t part_bytes = link_bytes(ctx, part);
  EXPECT_GT(part.out().near_edges(), 0u);
  EXPECT_LT(part.out().near_edges(), part.edges());
  EXPECT_LT(part_bytes, packed_bytes * 9 / 10);
  where.gpu.cache_bytes = 0;
  const Graph near = place(ctx, where);
  EXPECT_EQ(link_bytes(ctx, near), 0u);
  EXPECT_EQ(near.out().near_edges(), near.edges());
}

TEST_F(PackedInPlace, RunsThatReadWeightsAndRunsThatDoNotShareACache) {
  const Context host = Context::cpu(), ctx = with_memory(std::size_t{256} << 20);
  const Graph plain = make_graph(host, built_.out.view(), nullptr, true, {});
  const SsspResult expected = sssp(host, plain, 0);
  ResidencyOptions where = residency(Kind::ZeroCopy, PackedReads::InPlace);
  for (const std::size_t cache : {image_.lists.bytes() / 3, image_.lists.bytes() * 2}) {
    where.gpu.cache = CachePolicy::LowDegree;
    where.gpu.cache_bytes = cache;
    const Graph graph = place(ctx, where);
    for (int turn = 0; turn < 2; ++turn) {
      EXPECT_EQ(depths(ctx, graph), depths_);
      const SsspResult found = sssp(ctx, graph, 0);
      EXPECT_TRUE(std::equal(found.distance.begin(), found.distance.end(),
                             expected.distance.begin(), expected.distance.end()));
    }
  }
}

TEST_F(PackedInPlace, MoreMemoryIsNeverRefused) {
  constexpr std::size_t kStep = std::size_t{96} << 10;
  for (const Kind kind : {Kind::ZeroCopy, Kind::Resident}) {
    std::size_t enough = 0;
    for (std::size_t bytes = kStep; bytes < 60 * kStep; bytes += kStep) {
      const Context ctx = with_memory(bytes);
      try {
        const Graph graph = place(ctx, residency(kind, PackedReads::InPlace));
        ASSERT_EQ(depths(ctx, graph), depths_) << bytes;
        if (enough == 0) enough = bytes;
      } catch (const Error& e) {
        ASSERT_EQ(e.code(), ErrorCode::DoesNotFit) << e.what();
        EXPECT_EQ(enough, 0u) << "refused with " << bytes << ": " << e.what();
      }
    }
    EXPECT_GT(enough, 0u);
  }
}

TEST_F(PackedInPlace, DamagedWordsAreRefusedWhenListsArePlaced) {
  const Context ctx = with_memory(std::size_t{64} << 20);
  image_.words[image_.index[5]] = ~0u;
  image_.lists.name = "image";
  for (const Kind kind : {Kind::ZeroCopy, Kind::Resident}) {
    const Graph graph = place(ctx, residency(kind, PackedReads::InPlace));
    const std::string why = testing::expect_error(
        ErrorCode::BadInput, [&] { graph.out(); }, "image: group 5");
    EXPECT_NE(why.find("cannot be unpacked"), std::string::npos) << why;
  }
}

TEST_F(PackedInPlace, IdsOfEightBytesAreAnArrays) {
  if (GpuEdgeOptions::kPlainIdBytes == 8) GTEST_SKIP() << "those of all lists have 8 bytes";
  const Context ctx = with_memory(std::size_t{64} << 20);
  ResidencyOptions where = residency(Kind::ZeroCopy, PackedReads::Auto);
  where.gpu.id_bytes = 8;
  EXPECT_EQ(depths(ctx, place(ctx, where)), depths_);
  where.gpu.packed = PackedReads::InPlace;
  testing::expect_error(ErrorCode::Usage, [&] { place(ctx, where).out(); },
                        {"packed lists have ids of 15 bits"});
}

}  // namespace
}  // namespace fathom
