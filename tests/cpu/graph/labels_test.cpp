#include "fathom/graph/label_mapper.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "fathom/graph/id_set.hpp"

namespace fathom::graph {
namespace {

struct Mapped {
  std::vector<std::string> labels;
  std::vector<Edge> edges;
  std::vector<Weight> weights;
};

using LabelledEdge = std::tuple<std::string, std::string, int>;

Mapped map_all(const std::vector<LabelledEdge>& edges, const std::vector<std::string>& vertices,
               const LabelOptions& options) {
  LabelMapper mapper(options);
  for (const std::string& v : vertices) mapper.add_vertex(v);
  for (const auto& [u, v, w] : edges) mapper.add_edge(u, v, static_cast<Weight>(w));
  Mapped mapped;
  const VertexId n = mapper.finish([&](std::string_view l) { mapped.labels.emplace_back(l); });
  EXPECT_EQ(n, mapped.labels.size());
  mapper.for_each_edge([&](std::span<const Edge> e, std::span<const Weight> w) {
    mapped.edges.insert(mapped.edges.end(), e.begin(), e.end());
    mapped.weights.insert(mapped.weights.end(), w.begin(), w.end());
  });
  return mapped;
}

Mapped model(const std::vector<LabelledEdge>& edges, const std::vector<std::string>& vertices) {
  std::set<std::string> all(vertices.begin(), vertices.end());
  for (const auto& [u, v, w] : edges) all.insert({u, v});
  Mapped mapped{{all.begin(), all.end()}, {}, {}};
  std::map<std::string, VertexId> id;
  for (const std::string& label : mapped.labels) id.emplace(label, id.size());
  for (const auto& [u, v, w] : edges) {
    mapped.edges.push_back({id[u], id[v]});
    mapped.weights.push_back(static_cast<Weight>(w));
  }
  return mapped;
}

RC_GTEST_PROP(LabelMapper, numbers_labels_in_bytewise_order, ()) {
  const auto label = rc::gen::string<std::string>();  // zeros, bytes above 127, empty ones
  const auto edges = *rc::gen::container<std::vector<LabelledEdge>>(
      rc::gen::tuple(label, label, rc::gen::inRange(0, 100)));
  const auto vertices = *rc::gen::container<std::vector<std::string>>(label);
  LabelOptions options;
  options.weighted = *rc::gen::arbitrary<bool>();
  const Mapped mapped = map_all(edges, vertices, options), expected = model(edges, vertices);
  RC_ASSERT(mapped.labels == expected.labels);
  RC_ASSERT(mapped.edges == expected.edges);
  RC_ASSERT(mapped.weights == (options.weighted ? expected.weights : std::vector<Weight>{}));
}

TEST(LabelMapper, gives_the_same_ids_when_the_labels_need_several_dictionaries) {
  std::vector<LabelledEdge> edges;
  std::vector<std::string> vertices;
  for (int i = 0; i < 120'000; ++i)
    edges.emplace_back("vertex number " + std::to_string(i * 7919 % 100'003),
                       std::to_string(i % 40'000), i);
  vertices.push_back(std::string(300'000, 'x'));  // longer than a merge buffer
  LabelOptions options;
  options.weighted = true;
  options.memory = std::size_t{3} << 20;
  const Mapped mapped = map_all(edges, vertices, options), expected = model(edges, vertices);
  EXPECT_EQ(mapped.labels, expected.labels);
  EXPECT_EQ(mapped.edges, expected.edges);
  EXPECT_EQ(mapped.weights, expected.weights);
}

TEST(LabelMapper, orders_encoded_integers_by_value) {
  char a[8], b[8];
  for (std::uint64_t x : {0ull, 1ull, 255ull, 256ull, 1ull << 40, ~0ull - 1}) {
    EXPECT_EQ(decode_integer(encode_integer(x, a)), x);
    EXPECT_LT(encode_integer(x, a), encode_integer(x + 1, b));
  }
}

RC_GTEST_PROP(IdSet, ranks_ids_in_ascending_order, ()) {
  IdSet set(80 * 64);
  std::set<std::uint64_t> expected;
  for (auto id : *rc::gen::container<std::vector<std::uint64_t>>(
           rc::gen::inRange<std::uint64_t>(0, set.capacity()))) {
    set.add(id);
    set.reach(id + 1);
    expected.insert(id);
  }
  set.seal();
  RC_ASSERT(set.size() == expected.size());
  std::vector<std::uint64_t> listed;
  set.for_each([&](auto piece) { listed.insert(listed.end(), piece.begin(), piece.end()); });
  RC_ASSERT(listed == std::vector<std::uint64_t>(expected.begin(), expected.end()));
  VertexId rank = 0;
  for (std::uint64_t id : expected) RC_ASSERT(set.rank(static_cast<VertexId>(id)) == rank++);
}

TEST(IdSet, knows_whether_its_ids_are_consecutive) {
  IdSet set(1 << 16);
  EXPECT_TRUE(set.contiguous());
  for (std::uint64_t id : {700u, 701u, 702u}) set.add(id);
  set.reach(703);
  set.seal();
  EXPECT_TRUE(set.contiguous());
  EXPECT_EQ(set.first(), 700u);
  IdSet gap(1 << 16);
  for (std::uint64_t id : {0u, 1u, 3u}) gap.add(id);
  gap.reach(4);
  gap.seal();
  EXPECT_FALSE(gap.contiguous());
}

}  // namespace
}  // namespace fathom::graph
