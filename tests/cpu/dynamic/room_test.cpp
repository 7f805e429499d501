// Lists with pages larger than they need: how much larger, and until when.
#include <gtest/gtest.h>

#include <vector>

#include "fathom/dynamic/batches/batch_functors.hpp"
#include "fathom/dynamic_graph.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::testing {
namespace {

/// A graph of one list.
class OneList {
 public:
  explicit OneList(double slack, double shrink_below)
      : graph_(ctx_, {.slack = slack,
                      .shrink_below = shrink_below,
                      .in_edges = false,
                      .memory = std::size_t{1} << 24,
                      .most_vertices = 5000}) {
    graph_.apply({5000, {}, {}});
  }

  /// Lets the list have `size` edges. Returns the bytes of its page.
  std::size_t resize(VertexId size) {
    std::vector<EdgeUpdate> updates;
    for (; size_ < size; ++size_) updates.push_back(EdgeUpdate::insert(0, size_));
    for (; size_ > size; --size_) updates.push_back(EdgeUpdate::remove(0, size_ - 1));
    const BatchReport report = graph_.apply({0, updates, {}});
    moved_ += report.moved;
    EXPECT_EQ(graph_.edges(), size);
    return graph_.memory().page_bytes;
  }
  std::uint64_t moved() const { return moved_; }
  Snapshot snapshot() const { return graph_.snapshot(); }

 private:
  Context ctx_ = Context::cpu();
  DynamicGraph graph_;
  VertexId size_ = 0;
  std::uint64_t moved_ = 0;
};

TEST(ListRoom, without_slack_a_list_has_the_smallest_page) {
  OneList list(0, 0.5);
  for (const VertexId size : {1u, 4u, 5u, 8u, 9u, 16u, 8u, 4u, 2u, 3u, 1u, 0u, 100u, 64u})
    EXPECT_EQ(list.resize(size), size <= kInRecord ? 0 : dynamic::page_bytes_for(size * 4u))
        << size;
}

TEST(ListRoom, slack_keeps_a_list_at_the_end_of_a_page_from_moving_with_each_batch) {
  OneList exact(0, 0.5), roomy(0.5, 0.25);
  exact.resize(64), roomy.resize(64);
  for (int round = 0; round < 10; ++round)
    for (const VertexId size : {65u, 60u}) exact.resize(size), roomy.resize(size);
  EXPECT_EQ(exact.moved(), 21u);
  EXPECT_EQ(roomy.moved(), 1u);  // 64 and 32 more: a page of 128 from the beginning
}

TEST(ListRoom, a_page_is_kept_down_to_its_share) {
  OneList list(0, 0.25);
  EXPECT_EQ(list.resize(128), 512u);
  EXPECT_EQ(list.resize(33), 512u);
  EXPECT_EQ(list.resize(32), 128u);
  OneList keeps(0, 0);
  EXPECT_EQ(keeps.resize(128), 512u);
  EXPECT_EQ(keeps.resize(1), 512u);
  EXPECT_EQ(keeps.resize(0), 0u);
}

TEST(ListRoom, slack_of_long_lists_falls_off) {
  const dynamic::ListRoom room{100, 50};
  EXPECT_EQ(room.with_slack(10), 20u);
  EXPECT_EQ(room.with_slack(256), 512u);
  EXPECT_EQ(room.with_slack(3000), 3256u);
  EXPECT_EQ(room.with_slack(kNoPage / 2 - 1), kNoPage / 2 - 1);
  OneList list(1, 0.5);
  EXPECT_EQ(list.resize(200), 2048u);
  EXPECT_EQ(list.resize(3000), 16384u);  // 3256 entries: the page that 3000 need
}

TEST(ListRoom, a_copy_for_a_snapshot_keeps_its_room) {
  OneList list(1, 0.25);
  EXPECT_EQ(list.resize(64), 512u);
  {
    const Snapshot shot = list.snapshot();
    EXPECT_EQ(list.resize(65), 1024u);  // both
    EXPECT_EQ(shot.edges(), 64u);
  }
  EXPECT_EQ(list.resize(66), 512u);
}

TEST(ListRoom, belongs_to_the_ouro_layout_and_has_bounds) {
  const Context ctx = Context::cpu();
  expect_error(
      ErrorCode::Usage, [&] { DynamicGraph(ctx, {.layout = DynamicLayoutKind::Faim, .slack = 1}); },
      "ouro");
  for (const double bad : {-1.0, 9.0})
    expect_error(
        ErrorCode::Usage, [&] { DynamicGraph(ctx, {.slack = bad}); }, "slack");
  expect_error(
      ErrorCode::Usage, [&] { DynamicGraph(ctx, {.shrink_below = 0.7}); }, "share");
}

}  // namespace
}  // namespace fathom::testing
