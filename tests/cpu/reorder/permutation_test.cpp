#include "fathom/reorder/permutation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/suites/expect_error.hpp"

namespace fathom::reorder {
namespace {

using Ids = std::vector<VertexId>;
using fathom::testing::expect_error;

Permutation make(const Ids& position) {
  return Permutation(Array<VertexId>::copy_of(std::span<const VertexId>(position)));
}
Ids ids(const Permutation& p) {
  return {p.positions().begin(), p.positions().end()};
}

Ids random_positions(std::size_t n) {
  Ids position(n);
  for (VertexId i = 0; i < n; ++i) position[i] = i;
  for (std::size_t i = n; i > 1; --i)
    std::swap(position[i - 1], position[*rc::gen::inRange<std::size_t>(0, i)]);
  return position;
}

TEST(Permutation, OfAnOrderGivesEachOldIdItsPlace) {
  EXPECT_EQ(ids(Permutation::from_order(Ids{2, 0, 1})), (Ids{1, 2, 0}));
}
TEST(Permutation, ThatIsTheIdentityMovesNothing) {
  EXPECT_EQ(ids(Permutation::identity(3)), (Ids{0, 1, 2}));
}
TEST(Permutation, RefusesAPositionTakenTwice) {
  expect_error(
      ErrorCode::Usage,
      [] {
        make({0, 2, 2});
      },
      "2 occurs twice");
  expect_error(
      ErrorCode::Usage,
      [] {
        Permutation::from_order(Ids{1, 1});
      },
      "1 occurs twice");
}
TEST(Permutation, RefusesAPositionOutOfRange) {
  expect_error(
      ErrorCode::Usage,
      [] {
        make({0, 3, 1});
      },
      "3 is out of range");
  expect_error(
      ErrorCode::Usage, [] { Permutation::from_order(Ids{5}); }, "5 is out of range");
}
TEST(Permutation, RefusesToComposeWithAnotherSize) {
  expect_error(
      ErrorCode::Usage,
      [] {
        make({0, 1}).then(make({0}));
      },
      "do not compose");
}

RC_GTEST_PROP(PermutationProperty, ComposesFromLeftToRight, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 50);
  const Ids a = random_positions(n), b = random_positions(n);
  const Permutation both = make(a).then(make(b), 3);
  for (std::size_t v = 0; v < n; ++v) RC_ASSERT(both[static_cast<VertexId>(v)] == b[a[v]]);
}
RC_GTEST_PROP(PermutationProperty, ComposedWithItsInverseIsTheIdentity, ()) {
  const Permutation p = make(random_positions(*rc::gen::inRange<std::size_t>(0, 50)));
  RC_ASSERT(ids(p.then(p.inverse(2))) == ids(Permutation::identity(p.size())));
}

}  // namespace
}  // namespace fathom::reorder
