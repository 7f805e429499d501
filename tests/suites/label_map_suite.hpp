// A map of labels against std::map, wherever a context has it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "fathom/dynamic/labels/label_columns.hpp"
#include "fathom/dynamic/labels/label_map.hpp"
#include "fathom/dynamic_graph.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

/// Labels that share homes, or differ in their upper bits alone, and those that are slots' signs.
inline std::uint64_t some_label(zoo::Dice& dice, std::uint32_t of) {
  const std::uint64_t n = dice.roll(of);
  const std::uint32_t kind = dice.roll(8);
  return kind == 0 ? ~n : kind == 1 ? n << 40 : n;
}

inline void expect_like_std_map(const Context& ctx, std::uint64_t seed, std::uint32_t of) {
  zoo::Dice dice(seed);
  LabelMap map(ctx);
  std::map<std::uint64_t, VertexId> known;
  for (int round = 0; round < 30; ++round) {
    std::vector<std::uint64_t> labels;
    std::vector<VertexId> vertices;
    const std::uint32_t n = dice.roll(of);
    std::map<std::uint64_t, VertexId> chosen;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t label = some_label(dice, of);
      // Of those that stand here twice any may win: they say the same.
      const auto vertex = chosen.emplace(label, dice.roll(1u << 30)).first->second;
      labels.push_back(label);
      vertices.push_back(vertex);
    }
    std::size_t added = 0, removed = 0;
    for (const auto& [label, vertex] : chosen) added += known.emplace(label, vertex).second ? 1 : 0;
    ASSERT_EQ(map.insert(labels, vertices), added);
    std::vector<std::uint64_t> gone;
    for (std::uint32_t i = dice.roll(of); i > 0; --i) gone.push_back(some_label(dice, of));
    if (round % 3 != 0) gone.resize(gone.size() / 8);
    for (const std::uint64_t label : gone) removed += known.erase(label);
    ASSERT_EQ(map.remove(gone), removed);
    ASSERT_EQ(map.size(), known.size());
    labels.insert(labels.end(), gone.begin(), gone.end());
    for (const auto& [label, vertex] : known) labels.push_back(label);
    const std::vector<VertexId> found = map.find(labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto its = known.find(labels[i]);
      ASSERT_EQ(found[i], its == known.end() ? kNoVertex : its->second) << labels[i];
    }
  }
}

/// Updates by label come to what they would by vertex.
inline void expect_batches_by_label(const Context& ctx) {
  DynamicGraphOptions options;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 16;
  options.edges = EdgeKind::Weighted;
  DynamicGraph graph(ctx, options), plain(ctx, options);
  LabelMap labels(ctx);
  constexpr VertexId kVertices = 500;
  std::vector<std::uint64_t> names;
  for (VertexId v = 0; v < kVertices; ++v) names.push_back(1000003 * std::uint64_t{v} + 7);
  labels.insert(names, graph.next_vertices(kVertices));
  zoo::Dice dice(4);
  std::vector<EdgeUpdate> updates;
  std::vector<LabelledUpdate> named;
  for (int i = 0; i < 5000; ++i) {
    updates.push_back({dice.roll(kVertices), dice.roll(kVertices),
                       static_cast<Weight>(dice.roll(9)), dice.roll(4) == 0});
    named.push_back({names[updates.back().source], names[updates.back().target],
                     updates.back().weight, updates.back().deletion});
  }
  plain.apply({.new_vertices = kVertices, .edges = updates});
  graph.apply({.new_vertices = kVertices,
               .edges = labels.translate(named),
               .edges_on_device = labels.on_device()});
  const Csr a = graph.to_csr(), b = plain.to_csr();
  EXPECT_TRUE(std::ranges::equal(a.offset, b.offset));
  EXPECT_TRUE(std::ranges::equal(a.target, b.target));
  EXPECT_TRUE(std::ranges::equal(a.weight, b.weight));
  named[4321].target = 8;
  named[4999].source = 9;
  expect_error(
      ErrorCode::Usage, [&] { labels.translate(named); }, "update 4321 names the label 8,");
}

/// Values where the context's lists are, every second of an array.
template <class T>
struct PlacedColumn {
  PlacedColumn(const Context& ctx, const std::vector<T>& from, ColumnType type)
      : values(2 * from.size() + 1, ctx.on_gpu() ? ctx.devices()[0].memory() : ctx.host_memory()) {
    std::vector<T> apart(values.size());
    for (std::size_t i = 0; i < from.size(); ++i) apart[2 * i + 1] = from[i];
    ctx.copy(values.data(), apart.data(), apart.size() * sizeof(T));
    column = {values.data() + 1, 2, type};
  }
  Array<T> values;
  ValueColumn column;
};

template <class T>
std::vector<T> fetched(const Context& ctx, const Array<T>& values) {
  std::vector<T> to(values.size());
  ctx.copy(to.data(), values.data(), values.size() * sizeof(T));
  return to;
}

template <class Source, class Target, class Number>
void expect_columns(const Context& ctx, const LabelNames& names,
                    const std::vector<std::uint64_t>& labels, ColumnType source_type,
                    ColumnType target_type, ColumnType weight_type) {
  const auto& pool = ctx.on_gpu() ? ctx.devices()[0].memory() : ctx.host_memory();
  zoo::Dice dice(9);
  constexpr std::size_t kEdges = 5000;
  std::vector<VertexId> u(kEdges), v(kEdges);
  std::vector<Source> source(kEdges);
  std::vector<Target> target(kEdges);
  std::vector<Number> weight(kEdges);
  const auto n = static_cast<std::uint32_t>(labels.size());
  for (std::size_t i = 0; i < kEdges; ++i) {
    u[i] = dice.roll(n), v[i] = dice.roll(n);
    source[i] = static_cast<Source>(labels[u[i]]);
    target[i] = static_cast<Target>(labels[v[i]]);
    weight[i] = static_cast<Number>(dice.roll(100));
  }
  PlacedColumn a(ctx, source, source_type);
  PlacedColumn b(ctx, target, target_type);
  PlacedColumn w(ctx, weight, weight_type);
  LabelledEdges edges{a.column, b.column, w.column, kEdges};
  Array<EdgeUpdate> updates(kEdges, pool);
  ASSERT_EQ(dynamic::read_updates(ctx, names, edges, false, updates.data()), 0u);
  const std::vector<EdgeUpdate> found = fetched(ctx, updates);
  for (std::size_t i = 0; i < kEdges; ++i) {
    ASSERT_EQ(found[i].source, u[i]);
    ASSERT_EQ(found[i].target, v[i]);
    ASSERT_EQ(found[i].weight, static_cast<Weight>(weight[i]));
    ASSERT_FALSE(found[i].deletion);
  }
  // One label that is nobody's: updates are refused, questions have an answer.
  source[4321] = static_cast<Source>(labels.back() + 1);
  PlacedColumn c(ctx, source, source_type);
  edges.source = c.column;
  EXPECT_EQ(dynamic::read_updates(ctx, names, edges, true, updates.data()), std::nullopt);
  Array<Edge> asked(kEdges, pool);
  Array<std::uint8_t> known(kEdges, pool), has(kEdges, std::uint8_t{1}, ctx.host_memory());
  ASSERT_TRUE(dynamic::read_questions(ctx, names, edges, asked.data(), known.data()));
  const std::vector<Edge> questions = fetched(ctx, asked);
  const std::vector<std::uint8_t> there = fetched(ctx, known);
  for (std::size_t i = 0; i < kEdges; ++i) {
    ASSERT_EQ(there[i], i == 4321 ? 0 : 1);
    ASSERT_EQ(questions[i], i == 4321 ? (Edge{0, 0}) : (Edge{u[i], v[i]}));
  }
  Array<VertexId> vertices(kEdges, pool);
  EXPECT_FALSE(dynamic::read_vertices(ctx, names, c.column, kEdges, vertices.data()));
  EXPECT_TRUE(dynamic::read_vertices(ctx, names, b.column, kEdges, vertices.data()));
  EXPECT_EQ(fetched(ctx, vertices), v);
  Array<std::uint8_t> placed(kEdges, pool);
  ctx.copy(placed.data(), has.data(), kEdges);
  dynamic::mask_answers(ctx, {known.data(), placed.data(), nullptr}, kEdges);
  EXPECT_EQ(fetched(ctx, placed), there);
}

/// Columns of every type, by a map and by a range; what is refused.
inline void expect_columns_by_label(const Context& ctx) {
  std::vector<std::uint64_t> near, far;
  std::vector<VertexId> vertices;
  for (VertexId v = 0; v < 700; ++v) {
    near.push_back(100 + v);
    far.push_back(1000003 * std::uint64_t{v} + 7);
    vertices.push_back(v);
  }
  LabelMap map(ctx);
  map.insert(far, vertices);
  const LabelNames range{{nullptr, 0, 0}, 100, 700};
  using enum ColumnType;
  expect_columns<std::int32_t, std::uint32_t, float>(ctx, range, near, Int32, UInt32, Float32);
  expect_columns<std::int64_t, std::uint64_t, double>(ctx, range, near, Int64, UInt64, Float64);
  expect_columns<std::int32_t, std::int64_t, std::int32_t>(ctx, map.names(), far, Int32, Int64,
                                                           Int32);
  expect_columns<std::uint64_t, std::uint32_t, std::uint64_t>(ctx, map.names(), far, UInt64, UInt32,
                                                              UInt64);
  const auto& pool = ctx.on_gpu() ? ctx.devices()[0].memory() : ctx.host_memory();
  Array<EdgeUpdate> to(2, pool);
  Array<Edge> asked(2, pool);
  Array<std::uint8_t> known(2, pool);
  const auto read = [&](std::int64_t label, double weight) {
    const PlacedColumn<std::int64_t> source(ctx, {100, label}, Int64),
        target(ctx, {101, 102}, Int64);
    const PlacedColumn<double> weights(ctx, {1, weight}, Float64);
    const LabelledEdges edges{source.column, target.column, weights.column, 2};
    EXPECT_EQ(dynamic::read_questions(ctx, range, edges, asked.data(), known.data()), label >= 0);
    return dynamic::read_updates(ctx, range, edges, false, to.data());
  };
  EXPECT_EQ(read(103, 0.5), 0u);
  EXPECT_EQ(read(103, 0.1), 1u);  // rounded
  EXPECT_EQ(read(-1, 1), std::nullopt);
  EXPECT_EQ(read(99, 1), std::nullopt);
  EXPECT_EQ(read(800, 1), std::nullopt);
  EXPECT_EQ(read(103, std::nan("")), std::nullopt);
  EXPECT_EQ(read(103, 1e39), std::nullopt);
}

}  // namespace fathom::testing
