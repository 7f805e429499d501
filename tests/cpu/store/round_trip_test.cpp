// What was written is read back: lists, labels, header.
#include <gtest/gtest.h>

#include <thread>

#include "fathom/store/store.hpp"
#include "tests/cpu/store/sample.hpp"

namespace fathom::store {
namespace {

template <class T>
std::vector<T> values(const T* first, std::size_t n) {
  return first ? std::vector<T>(first, first + n) : std::vector<T>{};
}

void expect_equal(const CsrView& a, const CsrView& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.edges, b.edges);
  EXPECT_EQ(values(a.offset, a.vertices + 1), values(b.offset, b.vertices + 1));
  EXPECT_EQ(values(a.target, a.edges), values(b.target, b.edges));
  EXPECT_EQ(values(a.weight, a.edges), values(b.weight, b.edges));
}

class StoreRoundTrip : public ::testing::Test {
 protected:
  std::shared_ptr<Store> stored(const Sample& s) {
    write_sample(path_, s);
    std::shared_ptr<Store> store = Store::open(path_);
    expect_equal(store->out(2), out_of(s).view());
    if (s.in_edges) {
      const auto in = store->in(2);
      EXPECT_TRUE(in.has_value());
      if (in) expect_equal(*in, in_of(s).view());
    }
    store->verify(2, {});
    return store;
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("a.fg");
};

TEST_F(StoreRoundTrip, KeepsAnEmptyGraph) {
  for (LabelKind labels : {LabelKind::Identity, LabelKind::Integers, LabelKind::Strings}) {
    Sample s;
    s.in_edges = true;
    s.labels = labels;
    const auto store = stored(s);
    EXPECT_EQ(store->header().vertices, 0u);
    EXPECT_EQ(store->find("0"), std::nullopt);
    EXPECT_THROW(store->label(0), Error);
    EXPECT_EQ(store->out_degrees().maximum, 0u);
  }
}

TEST_F(StoreRoundTrip, KeepsOneVertexWithALoop) {
  Sample s;
  s.vertices = 1;
  s.edges = {{0, 0}};
  const auto store = stored(s);
  EXPECT_EQ(store->label(0), "0");
  EXPECT_FALSE(store->in().has_value());
  EXPECT_FALSE(store->in_degrees().has_value());
  EXPECT_FALSE(store->oriented().has_value());
  EXPECT_TRUE(store->interleaved().empty());
}

TEST_F(StoreRoundTrip, KeepsEveryKindOfSection) {
  const Sample s = sample_with_everything();
  const auto store = stored(s);
  const CsrView out = store->out();
  const auto pairs = store->interleaved();
  ASSERT_EQ(pairs.size(), out.edges);
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    EXPECT_EQ(pairs[e].target, out.target[e]);
    EXPECT_EQ(pairs[e].weight, out.weight[e]);
  }
  EXPECT_EQ(store->oriented()->edges, 3u);
  EXPECT_EQ(store->header().provenance, "a test");
  EXPECT_EQ(store->header().policies.duplicates, graph::Duplicates::Keep);
  EXPECT_EQ(store->header().report.input_edges, 7u);
  EXPECT_EQ(store->sections().size(), 20u);
  const StoredFields fields = read_fields(*store, 2, std::make_shared<MemoryPool>("host", kMi));
  EXPECT_TRUE(std::ranges::equal(fields.edges, edge_fields_of(s)));
  EXPECT_TRUE(std::ranges::equal(fields.vertices, vertex_fields_of(s)));
  EXPECT_TRUE(store->header().semantic && store->header().vertex_fields);
}

TEST_F(StoreRoundTrip, KeepsListsOfManyBlocks) {
  Sample s = random_sample(200'000, 600'000, true);
  s.in_edges = true;
  stored(s);
}

TEST_F(StoreRoundTrip, CanBeTouchedFirstByManyThreadsAtOnce) {
  Sample s = random_sample(140'000, 300'000, true);
  s.labels = LabelKind::Strings;
  for (VertexId v = 0; v < s.vertices; ++v) s.strings.push_back(std::to_string(1'000'000 + v));
  write_sample(path_, s);
  const auto store = Store::open(path_);
  const Csr expected = out_of(s);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      expect_equal(store->out(2), expected.view());
      EXPECT_EQ(store->find("1070000"), 70'000u);
      EXPECT_EQ(store->label(139'999), "1139999");
    });
}

TEST_F(StoreRoundTrip, AnswersInEdgesOfAnUndirectedGraphWithItsLists) {
  Sample s;
  s.vertices = 3;
  s.edges = {{0, 1}, {1, 0}, {1, 2}, {2, 1}};
  s.undirected = true;
  const auto store = stored(s);
  EXPECT_FALSE(store->header().directed);
  EXPECT_EQ(store->in()->target, store->out().target);
  EXPECT_EQ(store->in_degrees(), store->out_degrees());
}

TEST_F(StoreRoundTrip, FindsOffsetLabels) {
  Sample s;
  s.vertices = 3;
  s.labels = LabelKind::Offset;
  s.label_base = 1'000'000'000'000;
  const auto store = stored(s);
  EXPECT_EQ(store->label(2), "1000000000002");
  EXPECT_EQ(store->find("1000000000000"), 0u);
  EXPECT_EQ(store->find("1000000000003"), std::nullopt);
  EXPECT_EQ(store->find("999999999999"), std::nullopt);
  EXPECT_EQ(store->find("-1"), std::nullopt);
  EXPECT_EQ(store->find("1000000000000x"), std::nullopt);
  EXPECT_EQ(store->find(""), std::nullopt);
}

TEST_F(StoreRoundTrip, FindsEveryIntegerLabelAndNoOther) {
  Sample s;
  s.vertices = 300'000;  // more than two blocks
  s.labels = LabelKind::Integers;
  for (std::uint64_t v = 0; v < s.vertices; ++v) s.integers.push_back(10 * v * v + 1);
  const auto store = stored(s);
  for (VertexId v = 0; v < s.vertices; v += 997) {
    EXPECT_EQ(store->label(v), std::to_string(s.integers[v]));
    EXPECT_EQ(store->find(std::to_string(s.integers[v])), v);
    EXPECT_EQ(store->find(std::to_string(s.integers[v] + 1)), std::nullopt);
  }
  EXPECT_EQ(store->find("18446744073709551616"), std::nullopt);
}

TEST_F(StoreRoundTrip, FindsEveryStringLabelAndNoOther) {
  Sample s;
  s.vertices = 50'000;
  s.labels = LabelKind::Strings;
  for (VertexId v = 0; v < s.vertices; ++v)
    s.strings.push_back("https://example.org/" + std::to_string(v) + std::string(v % 40, 'x'));
  std::sort(s.strings.begin(), s.strings.end());
  const auto store = stored(s);
  for (VertexId v = 0; v < s.vertices; ++v) {
    ASSERT_EQ(store->label(v), s.strings[v]);
    ASSERT_EQ(store->find(s.strings[v]), v);
    ASSERT_EQ(store->find(s.strings[v] + "!"), std::nullopt);
  }
  EXPECT_EQ(store->find(""), std::nullopt);
  EXPECT_EQ(store->find("zzz"), std::nullopt);
}

TEST_F(StoreRoundTrip, FingerprintsTheContentAlone) {
  Sample s = random_sample(100, 500, true);
  const Header plain = write_sample(path_, s);
  s.provenance = "made elsewhere";
  s.labels = LabelKind::Offset;
  s.label_base = 1;
  s.in_edges = true;
  EXPECT_EQ(write_sample(path_, s).fingerprint, plain.fingerprint);
  s.edges[7].w += 1;
  EXPECT_NE(write_sample(path_, s).fingerprint, plain.fingerprint);
}

TEST_F(StoreRoundTrip, WritesTheSameBytesAgain) {
  const Sample s = sample_with_everything();
  write_sample(path_, s);
  const auto before = read_file(path_);
  write_sample(path_, s);
  EXPECT_EQ(read_file(path_), before);
}

}  // namespace
}  // namespace fathom::store
