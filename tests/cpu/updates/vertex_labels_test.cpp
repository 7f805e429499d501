// Labels of vertices that come and go, against a map.
#include "fathom/dynamic/labels/vertex_labels.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/suites/zoo.hpp"

namespace fathom::dynamic {
namespace {

TEST(VertexLabels, OfIntegersAreLikeAMap) {
  for (const bool indices_first : {true, false}) {
    VertexLabels labels(false);
    std::map<std::uint64_t, VertexId> expected;
    zoo::Dice dice(8);
    for (VertexId v = 0; v < 400; ++v) {
      const std::uint64_t label =
          indices_first && v < 200 ? v : 1000 + (dice.roll(1u << 20) << 10) + v;
      labels.set_integer(v, label);
      expected[label] = v;
    }
    for (int round = 0; round < 4000; ++round) {
      const auto v = static_cast<VertexId>(dice.roll(400));
      if (labels.has(v)) {
        expected.erase(labels.integer(v));
        labels.remove(v);
      } else {
        const std::uint64_t label = dice.roll(2) == 0 ? v : dice.roll(1u << 30);
        if (expected.contains(label)) continue;
        labels.set_integer(v, label);
        expected[label] = v;
      }
      ASSERT_EQ(labels.size(), expected.size());
    }
    for (const auto& [label, v] : expected) EXPECT_EQ(labels.find_integer(label), v);
    for (std::uint64_t label = 0; label < 500; ++label)
      EXPECT_EQ(labels.find_integer(label).has_value(), expected.contains(label));
  }
}

TEST(VertexLabels, OfAnythingAreIntegersUntilOneIsNot) {
  VertexLabels labels = VertexLabels::of_any();
  labels.set_integer(0, 17);
  labels.set_integer(1, 1);
  labels.remove(1);
  EXPECT_FALSE(labels.strings());
  EXPECT_EQ(labels.find("17"), VertexId{0});
  EXPECT_FALSE(labels.find("017"));
  ASSERT_TRUE(labels.may_become_strings());
  labels.become_strings();
  EXPECT_TRUE(labels.strings());
  labels.set(1, "017");
  EXPECT_EQ(labels.find("17"), VertexId{0});
  EXPECT_EQ(labels.find("017"), VertexId{1});
  EXPECT_EQ(labels.size(), 2u);
}

}  // namespace
}  // namespace fathom::dynamic
