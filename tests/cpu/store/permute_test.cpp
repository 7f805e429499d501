// Stores with their vertices in another order: the same graph, the same labels, within a bound.
#include "fathom/store/make/permute.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "fathom/store/first_order.hpp"
#include "fathom/store/make/convert.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;
using Ids = std::vector<VertexId>;
using Edges = std::vector<std::tuple<VertexId, VertexId, Weight>>;

Ids shuffled(VertexId n, unsigned seed) {
  Ids position(n);
  std::iota(position.begin(), position.end(), VertexId{0});
  std::mt19937 random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(position[i - 1], position[random() % i]);
  return position;
}

Edges edges_of(const CsrView& g) {
  Edges edges;
  for (VertexId v = 0; v < g.vertices; ++v)
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e)
      edges.emplace_back(v, g.target[e], g.weight ? g.weight[e] : 1);
  return edges;
}

Sample renamed(Sample s, const Ids& position) {
  for (auto& e : s.edges) e = {position[e.u], position[e.v], e.w};
  return s;
}

PermuteOptions bounded(std::size_t memory, int threads = 2) {
  PermuteOptions options;
  options.memory = memory;
  options.threads = threads;
  options.provenance = "permuted";
  return options;
}

class Permute : public ::testing::Test {
 protected:
  void expect_permuted(const Sample& s, const Ids& position, std::size_t memory) {
    write_sample(in_, s);
    permute(in_, out_, position, bounded(memory));
    const auto store = Store::open(out_);
    store->verify(2, {});
    const Sample expected = renamed(s, position);
    EXPECT_TRUE(edges_of(store->out()) == edges_of(out_of(expected).view()));
    if (s.in_edges) {
      EXPECT_TRUE(edges_of(*store->in()) == edges_of(in_of(expected).view()));
    }
    EXPECT_EQ(store->header().weighted, s.weighted);
    EXPECT_EQ(store->header().provenance, "permuted");
  }

  TemporaryDirectory directory_;
  std::string in_ = directory_.file("in.fg"), out_ = directory_.file("out.fg");
};

TEST_F(Permute, MovesListsAndTheirTargets) {
  for (const bool weighted : {false, true}) {
    Sample s = random_sample(3000, 40'000, weighted);
    s.in_edges = true;
    expect_permuted(s, shuffled(3000, 1), 1024 * kMi);
  }
}
TEST_F(Permute, GivesTheSameListsInManyParts) {
  Sample s = random_sample(70'000, 2'500'000, true);
  for (VertexId v = 0; v < 70'000; ++v) s.edges.push_back({9, v, 1});
  s.in_edges = true;
  expect_permuted(s, shuffled(70'000, 2), 32 * kMi);
}
TEST_F(Permute, TakesGraphsWithoutEdgesOrVertices) {
  Sample s;
  expect_permuted(s, {}, 64 * kMi);
  s.vertices = 3;
  expect_permuted(s, {2, 0, 1}, 64 * kMi);
}
TEST_F(Permute, KeepsEverySectionAndTheOrderOfLabels) {
  Sample s = sample_with_everything();
  const Ids position{3, 0, 4, 1, 2};
  write_sample(in_, s);
  permute(in_, out_, position, bounded(64 * kMi));
  const auto before = Store::open(in_), after = Store::open(out_);
  after->verify(2, {});
  EXPECT_EQ(before->sections().size(), after->sections().size());
  for (VertexId v = 0; v < 5; ++v) {
    EXPECT_EQ(after->label(position[v]), before->label(v));
    EXPECT_EQ(after->find(before->label(v)), position[v]);
  }
  const FirstOrder order = first_order(out_, MemoryPool::unlimited());
  for (VertexId v = 0; v < 5; ++v) EXPECT_EQ(order.row[position[v]], s.permutation[v]);
  for (VertexId row = 0; row < 5; ++row) EXPECT_EQ(order.row[order.vertex[row]], row);
}
TEST_F(Permute, MovesTheFieldsOfEdgesAndVertices) {
  for (const VertexId n : {VertexId{5}, VertexId{70'000}}) {
    Sample s = n == 5 ? sample_with_everything() : random_sample(n, 600'000, true);
    s.permutation.clear();
    s.edge_fields = s.vertex_fields = true;
    if (n > 5)
      for (VertexId v = 0; v < n; ++v) s.edges.push_back({9, v / 3, static_cast<Weight>(v % 2)});
    const Ids position = shuffled(n, 6);
    expect_permuted(s, position, 40 * kMi);  // in several parts
    const auto store = Store::open(out_);
    ASSERT_TRUE(store->header().semantic && store->header().vertex_fields);
    // Of several edges of a weight between two vertices, the one with the least fields is first.
    using All = std::vector<std::tuple<VertexId, VertexId, Weight, EdgeFields>>;
    const auto with_fields = [](const Edges& edges, std::span<const EdgeFields> fields) {
      All all;
      for (std::size_t e = 0; e < edges.size(); ++e)
        all.push_back(std::tuple_cat(edges[e], std::tuple(fields[e])));
      return all;
    };
    All expected = with_fields(edges_of(out_of(s).view()), edge_fields_of(s));
    for (auto& [u, v, w, f] : expected) u = position[u], v = position[v];
    std::ranges::sort(expected);
    const auto pool = MemoryPool::unlimited();
    const StoredFields fields = read_fields(*store, 2, pool);
    EXPECT_TRUE(with_fields(edges_of(store->out()), fields.edges.span()) == expected);
    const std::vector<VertexFields> before = vertex_fields_of(s);
    for (VertexId v = 0; v < n; ++v) EXPECT_EQ(fields.vertices[position[v]], before[v]);
  }
}
TEST_F(Permute, ThereAndBackGivesTheSameLists) {
  const Sample s = random_sample(500, 4000, true);
  const Ids position = shuffled(500, 3);
  Ids back(500);
  for (VertexId v = 0; v < 500; ++v) back[position[v]] = v;
  const Header first = write_sample(in_, s);
  permute(in_, out_, position, bounded(64 * kMi));
  const Header again = permute(out_, in_, back, bounded(64 * kMi));
  EXPECT_EQ(again.fingerprint, first.fingerprint);
  const FirstOrder order = first_order(in_, MemoryPool::unlimited());
  for (VertexId v = 0; v < 500; ++v) EXPECT_EQ(order.row[v], v);
}
TEST_F(Permute, OfSlottedPagesKeepsTheirLayout) {
  Sample s = random_sample(3000, 60'000, true);
  s.in_edges = true;
  const Ids position = shuffled(3000, 4);
  write_sample(in_, s);
  const Header csr = permute(in_, out_, position, bounded(1024 * kMi));
  ConvertOptions options;
  options.slotted = SlottedOptions{64 * 1024, 2, 2};
  const std::string pages = directory_.file("pages.fg");
  convert({in_}, pages, options);
  const Header slotted = permute(pages, out_, position, bounded(1024 * kMi));
  EXPECT_EQ(slotted.fingerprint, csr.fingerprint);
  ASSERT_TRUE(slotted.slotted);
  EXPECT_EQ(slotted.slotted->page_bytes, 64u * 1024);
  EXPECT_EQ(slotted.slotted->pid_bytes, 2u);
  Store::open(out_)->verify(2, {});
}
TEST_F(Permute, RefusesWhatIsNoPermutation) {
  write_sample(in_, random_sample(4, 10, false));
  const auto refused = [&](const Ids& position, const std::string& why) {
    expect_error(
        ErrorCode::Usage, [&] { permute(in_, out_, position, bounded(64 * kMi)); }, why);
  };
  refused({0, 1, 2}, "3 positions for 4 vertices");
  refused({0, 1, 2, 1}, "position 1 is taken twice");
  refused({0, 1, 2, 4}, "position 4");
  EXPECT_FALSE(std::filesystem::exists(out_));
}
TEST_F(Permute, SaysWhatDoesNotFitAndLeavesNothing) {
  Sample s = random_sample(1000, 10, false);
  for (std::size_t i = 0; i < 3'000'000; ++i)
    s.edges.push_back({7, static_cast<VertexId>(i % 1000)});
  write_sample(in_, s);
  std::filesystem::remove(out_);
  expect_error(
      ErrorCode::DoesNotFit, [&] { permute(in_, out_, shuffled(1000, 1), bounded(32 * kMi)); },
      "the longest list");
  EXPECT_FALSE(std::filesystem::exists(out_));
}
TEST_F(Permute, StopsWhenCancelledAndLeavesNothing) {
  write_sample(in_, random_sample(1000, 1000, false));
  std::stop_source stop;
  stop.request_stop();
  PermuteOptions options = bounded(64 * kMi);
  options.task.stop = stop.get_token();
  expect_error(ErrorCode::Interrupted, [&] { permute(in_, out_, shuffled(1000, 1), options); });
  std::filesystem::remove(in_);
  EXPECT_TRUE(directory_.empty());
}

}  // namespace
}  // namespace fathom::store
