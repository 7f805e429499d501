// Maps of labels in a GPU's memory. Skipped without a device.
#include "tests/suites/label_map_suite.hpp"

#include "tests/cuda/configurations.hpp"

namespace fathom::testing {
namespace {

Context label_gpu() {
  CudaOptions options;
  options.device_memory = std::size_t{2} << 30;
  return Context::cuda(options);
}

TEST(GpuLabelMap, IsLikeStdMap) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = label_gpu();
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    expect_like_std_map(ctx, seed, 40);
    expect_like_std_map(ctx, 10 + seed, 50000);
  }
}

TEST(GpuLabelMap, TranslatesBatchesForAGraphBesideIt) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  expect_batches_by_label(label_gpu());
}

TEST(GpuLabelColumns, AreUpdatesAndQuestionsOfVertices) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  expect_columns_by_label(label_gpu());
}

}  // namespace
}  // namespace fathom::testing
