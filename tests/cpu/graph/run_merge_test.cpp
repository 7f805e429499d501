#include "fathom/graph/run_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fathom/graph/edge_record.hpp"

namespace fathom::graph {
namespace {

using Run = SortedRun<WeightedRecord>;

bool same(const WeightedRecord& a, const WeightedRecord& b) {
  return a.source == b.source && a.target == b.target && a.weight == b.weight;
}

// Runs of the given sizes with keys below `keys`; weights number the records, and ties keep to
// them.
struct Runs {
  EdgeOrder order{true};
  TempFile file{""};
  std::vector<Run> runs;
  std::vector<WeightedRecord> sorted;

  Runs(const std::vector<std::size_t>& sizes, VertexId keys) {
    std::mt19937_64 random(7);
    const auto less = [&](const WeightedRecord& a, const WeightedRecord& b) {
      // Wide ids leave targets to what is compared of ties.
      return order.key(a) != order.key(b) ? order.key(a) < order.key(b) : order.tie_less(a, b);
    };
    for (const std::size_t size : sizes) {
      std::vector<WeightedRecord> run(size);
      for (WeightedRecord& r : run)
        r = {static_cast<VertexId>(random() % keys), static_cast<VertexId>(random() % 3), 0};
      std::stable_sort(run.begin(), run.end(), less);
      for (WeightedRecord& r : run) r.weight = static_cast<Weight>(sorted.size() + (&r - &run[0]));
      runs.push_back({file.size(), 0, {}});
      for (std::size_t at = 0; at < size; at += 5000)  // not at the strides of the index
        runs.back().add(std::span<const WeightedRecord>(run).subspan(
                            at, std::min<std::size_t>(5000, size - at)),
                        order);
      file.append(std::as_bytes(std::span(run)));
      sorted.insert(sorted.end(), run.begin(), run.end());
    }
    std::stable_sort(sorted.begin(), sorted.end(), less);
  }

  void expect_merged(std::size_t most, std::size_t memory, int workers) const {
    std::vector<WeightedRecord> merged;
    std::size_t largest = 0;
    RunMerge<WeightedRecord, EdgeOrder>(order, file, runs, memory, workers, Task{})
        .each(most, [&](std::span<const WeightedRecord> piece) {
          largest = std::max(largest, piece.size());
          merged.insert(merged.end(), piece.begin(), piece.end());
        });
    EXPECT_LE(largest, most);
    EXPECT_TRUE(std::ranges::equal(merged, sorted, same))
        << most << ' ' << memory << ' ' << workers;
  }
};

TEST(RunMerge, is_a_stable_sort_whatever_the_window_and_the_workers) {
  const Runs runs({50'000, 1, 33'333, 8192, 0, 70'001}, 1'000'000);
  for (const std::size_t most : {100u, 49'152u, 65'536u, 100'000u, 1'000'000u})
    for (const int workers : {1, 2, 5})
      for (const std::size_t memory : {1u << 10, 1u << 20, 64u << 20})
        runs.expect_merged(most, memory, workers);
}

TEST(RunMerge, keeps_equal_keys_together_and_in_order) {
  for (const VertexId keys : {1u, 2u, 10u}) {  // up to all records in a group that no window holds
    const Runs runs({60'000, 60'000, 60'000}, keys);
    for (const std::size_t most : {40'000u, 90'000u, 400'000u})
      runs.expect_merged(most, 1 << 20, 3);
  }
}

TEST(RunMerge, copies_a_single_run) {
  const Runs runs({30'000}, 100);
  runs.expect_merged(7'000, 1 << 20, 2);
}

TEST(RunMerge, stops_when_asked_to) {
  const Runs runs({60'000, 60'000}, 1'000'000);
  std::stop_source stop;
  Task task;
  task.stop = stop.get_token();
  RunMerge<WeightedRecord, EdgeOrder> merge(runs.order, runs.file, runs.runs, 1 << 20, 2, task);
  const auto until_stopped = [&] {
    merge.each(40'000, [&](std::span<const WeightedRecord>) { stop.request_stop(); });
  };
  EXPECT_THROW(until_stopped(), Error);
}

}  // namespace
}  // namespace fathom::graph
