#include "tests/suites/label_map_suite.hpp"

namespace fathom::testing {
namespace {

Context three_threads() {
  CpuOptions cpu;
  cpu.threads = 3;
  return Context::cpu(cpu);
}

TEST(LabelMap, IsLikeStdMap) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    expect_like_std_map(Context::cpu(), seed, 40);
    expect_like_std_map(three_threads(), 10 + seed, 5000);
  }
}

TEST(LabelMap, TranslatesBatches) {
  expect_batches_by_label(three_threads());
}

TEST(LabelColumns, AreUpdatesAndQuestionsOfVertices) {
  expect_columns_by_label(three_threads());
}

TEST(LabelMap, RefusesOtherNumbersOfLabelsAndVertices) {
  const Context ctx = Context::cpu();
  LabelMap map(ctx);
  const std::vector<std::uint64_t> labels{1, 2};
  const std::vector<VertexId> vertices{1};
  expect_error(ErrorCode::Usage, [&] { map.insert(labels, vertices); });
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.find(labels)[1], kNoVertex);
}

}  // namespace
}  // namespace fathom::testing
