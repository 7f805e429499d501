// What EMOGI's monitor showed of breadth-first search (section 5.3), on the model and graphs small
// enough for a test: a Kronecker graph as GAP-kron, a uniform one as GAP-urand, a real one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "fathom/algorithms/bfs/traffic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/graph/edge_cdf.hpp"
#include "fathom/store/make/convert.hpp"
#include "tests/suites/source_file.hpp"

namespace fathom {
namespace {

struct TestGraph {
  graph::BuiltGraph built;
  std::shared_ptr<store::Store> store;
  CsrView lists;
};

/// Simple and undirected, as the paper's; degrees 32 on average.
TestGraph generated(generate::Kind kind) {
  generate::Spec spec;
  spec.kind = kind;
  spec.scale = 14;
  const generate::Generator generator(spec);
  graph::BuildOptions options;
  options.undirected = true;
  options.loops = graph::Loops::Drop;
  const auto edges = [&](const auto& consume) {
    std::vector<Edge> batch(generator.edges());
    generator.fill(0, batch);
    consume(batch, std::span<const Weight>{});
  };
  TestGraph g{graph::build(generator.vertices(), edges, options), nullptr, {}};
  g.lists = g.built.out.view();
  return g;
}

/// Package dependencies of Debian, both ways: degrees 11.6 on average.
TestGraph debian() {
  std::string directory = (std::filesystem::temp_directory_path() / "fathom-link-XXXXXX").string();
  if (!::mkdtemp(directory.data())) throw_io_error(directory, "create", errno);
  store::ConvertOptions options;
  options.undirected = true;
  options.build.undirected = true;
  const std::string path = directory + "/debian.fg";
  store::convert({source_file("data/debian-12-standard.tsv.gz")}, path, options);
  TestGraph g;
  g.store = store::Store::open(path);
  g.lists = g.store->out();
  std::filesystem::remove_all(directory);  // the mapping stays
  return g;
}

const CsrView& kronecker() {
  static const TestGraph g = generated(generate::Kind::Rmat);
  return g.lists;
}
const CsrView& uniform() {
  static const TestGraph g = generated(generate::Kind::Uniform);
  return g.lists;
}
const CsrView& real() {
  static const TestGraph g = debian();
  return g.lists;
}

VertexId first_with_edges(const CsrView& lists) {
  VertexId v = 0;
  while (lists.degree(v) == 0) ++v;
  return v;
}

BfsTraffic traffic(const CsrView& lists, Access access, std::uint32_t id_bytes = 8) {
  return bfs_traffic(lists, first_with_edges(lists), {access, id_bytes});
}

double share(const CsrView& lists, Access access, std::uint32_t bytes) {
  return traffic(lists, access).requests.share(bytes);
}

double fewer(const CsrView& lists, Access from, Access to, std::uint32_t id_bytes = 8) {
  return 1 - static_cast<double>(traffic(lists, to, id_bytes).requests.total()) /
                 static_cast<double>(traffic(lists, from, id_bytes).requests.total());
}

double paged(const CsrView& lists, double cache_fraction) {
  const auto bytes = static_cast<double>(lists.edges * 8);
  return bfs_paged_traffic(lists, first_with_edges(lists), 8,
                           static_cast<std::uint64_t>(cache_fraction * bytes))
      .amplification();
}

// Figure 5: nearly all requests of the naive pattern are for 32 bytes (98.7 % on Friendster).
TEST(Figure5, NaiveRequestsAreNearlyAllOf32Bytes) {
  EXPECT_GT(share(kronecker(), Access::Naive, 32), .97);
  EXPECT_GT(share(uniform(), Access::Naive, 32), .97);
  EXPECT_GT(share(real(), Access::Naive, 32), .9);  // many neighbouring lists of an edge or two
}

// Figure 5: merging raises the share of 128-byte requests to about 40 %.
TEST(Figure5, MergingMakesTensOfPercentOfRequestsWhole) {
  EXPECT_NEAR(share(kronecker(), Access::Merged, 128), .4, .1);
  EXPECT_NEAR(share(uniform(), Access::Merged, 128), .4, .1);
  EXPECT_GT(share(real(), Access::Merged, 128), .1);
}

// Figure 5: aligning raises it by 1.86x on GAP-kron but by only 1.25x on GAP-urand, whose lists are
// too short to make up for their first, partial lines.
TEST(Figure5, AligningHelpsLongListsMuchAndShortOnesLittle) {
  const auto gain = [](const CsrView& lists) {
    return share(lists, Access::Aligned, 128) / share(lists, Access::Merged, 128);
  };
  EXPECT_GT(gain(kronecker()), 1.5);
  EXPECT_GT(gain(uniform()), 1.05);
  EXPECT_LT(gain(uniform()), 1.3);
  EXPECT_GT(share(kronecker(), Access::Aligned, 128), .5);
  EXPECT_GE(gain(real()), 1);
}

// Figure 6: all edges of GAP-urand are in lists of 16 to 48; most of GAP-kron's in longer than 96.
TEST(Figure6, UniformEdgesAreInShortListsAndKroneckerEdgesInLong) {
  const std::vector<double> even = graph::edge_cdf(uniform(), 96);
  EXPECT_LT(even[15], .005);
  EXPECT_GT(even[48], .99);
  EXPECT_LT(graph::edge_cdf(kronecker(), 96)[96], .5);
}

// Figure 7: merging reduces the requests by up to 83.3 %, aligning by up to another 28.8 %.
TEST(Figure7, RequestsFallByMergingAndAgainByAligning) {
  EXPECT_GT(fewer(kronecker(), Access::Naive, Access::Merged), .5);
  EXPECT_NEAR(fewer(uniform(), Access::Naive, Access::Merged), .833, .05);
  EXPECT_GT(fewer(real(), Access::Naive, Access::Merged), .3);
  EXPECT_GT(fewer(kronecker(), Access::Merged, Access::Aligned), .1);
  EXPECT_LT(fewer(kronecker(), Access::Merged, Access::Aligned), .29);
  EXPECT_GT(fewer(uniform(), Access::Merged, Access::Aligned), .03);
  EXPECT_LT(fewer(uniform(), Access::Merged, Access::Aligned),
            fewer(kronecker(), Access::Merged, Access::Aligned));
  EXPECT_GE(fewer(real(), Access::Merged, Access::Aligned), 0);
}

// Figure 10: merged and aligned reads move at most 1.31 bytes per byte of the dataset; unified
// memory moves several times that (up to 5.16) when the GPU holds a fraction of the dataset, and
// little more than the dataset when it nearly fits (1.14 on sk-2005).
TEST(Figure10, AlignedReadsMoveLittleMoreThanTheGraphAndUnifiedMemorySeveralTimesThat) {
  for (const CsrView* lists : {&kronecker(), &uniform(), &real()}) {
    const double aligned = traffic(*lists, Access::Aligned).amplification();
    EXPECT_LT(aligned, 1.31);
    EXPECT_GT(aligned, .9);  // nearly everything is reached
    EXPECT_LT(traffic(*lists, Access::Aligned, 4).amplification(), 1.31);
    EXPECT_GT(paged(*lists, .5), 1.5 * aligned);
    EXPECT_LT(paged(*lists, 1.1), 1.14);
  }
  EXPECT_GT(paged(uniform(), .3), 2 * traffic(uniform(), Access::Aligned).amplification());
}

// With 4-byte ids, which the paper uses in Table 3 only: the order of the patterns stays.
TEST(FourByteIds, MoveFewerBytesInFewerRequests) {
  EXPECT_GT(fewer(kronecker(), Access::Naive, Access::Merged, 4), .4);
  EXPECT_GT(fewer(uniform(), Access::Naive, Access::Merged, 4), .4);
  for (const CsrView* lists : {&kronecker(), &uniform(), &real()}) {
    EXPECT_GT(fewer(*lists, Access::Naive, Access::Merged, 4), .1);
    EXPECT_GT(fewer(*lists, Access::Merged, Access::Aligned, 4), 0);
    const RequestCounts four = traffic(*lists, Access::Aligned, 4).requests;
    const RequestCounts eight = traffic(*lists, Access::Aligned, 8).requests;
    EXPECT_LT(four.bytes(), eight.bytes() * 2 / 3);
    EXPECT_LT(four.total(), eight.total());
  }
}

/// Vertices per level, by a queue.
std::vector<std::uint64_t> level_sizes(const CsrView& lists, VertexId source) {
  std::vector<int> level(lists.vertices, -1);
  std::vector<VertexId> queue{source};
  std::vector<std::uint64_t> sizes;
  level[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const VertexId u = queue[i];
    sizes.resize(static_cast<std::size_t>(level[u]) + 1);
    ++sizes.back();
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e) {
      if (level[lists.target[e]] >= 0) continue;
      level[lists.target[e]] = level[u] + 1;
      queue.push_back(lists.target[e]);
    }
  }
  return sizes;
}

TEST(BfsTraffic, LevelsAreThoseOfTheSearchAndAddUp) {
  for (const Access access : {Access::Naive, Access::Merged, Access::Aligned}) {
    const BfsTraffic t = traffic(kronecker(), access);
    RequestCounts sum;
    std::vector<std::uint64_t> vertices;
    EdgeId edges = 0;
    for (const LevelTraffic& level : t.levels) {
      sum += level.requests;
      vertices.push_back(level.vertices);
      edges += level.edges;
    }
    EXPECT_EQ(vertices, level_sizes(kronecker(), first_with_edges(kronecker())));
    EXPECT_EQ(sum, t.requests);
    EXPECT_EQ(edges, t.edges);
    EXPECT_EQ(t.dataset_bytes, kronecker().edges * 8);
  }
}

TEST(BfsTraffic, RefusesASourceThatIsNoVertex) {
  EXPECT_THROW(bfs_traffic(kronecker(), kronecker().vertices, {}), Error);
  EXPECT_THROW(bfs_paged_traffic(kronecker(), kronecker().vertices, 8, 1), Error);
}

}  // namespace
}  // namespace fathom
