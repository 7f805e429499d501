// A map of labels against std::map, wherever a context has it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

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

}  // namespace fathom::testing
