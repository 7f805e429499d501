// The memory manager in kernels. Skipped without a device.
#include <gtest/gtest.h>

#include "bench/survey/survey.hpp"
#include "tests/cuda/memory_kernels.hpp"
#include "tests/cuda/shared_bodies.hpp"

namespace fathom {
namespace {

using testing::MemoryBlocks;
using testing::MemoryVariantName;

class MemoryOnDevice : public ::testing::TestWithParam<MemoryVariantName> {};

TEST_P(MemoryOnDevice, PagesStayApartInBlocksOfEveryShape) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  for (const auto blocks : {MemoryBlocks::OneDimensional, MemoryBlocks::TwoDimensional,
                            MemoryBlocks::ThreeDimensional}) {
    const auto run = testing::exercise_on_device(
        GetParam(), {blocks, 100000, 8192, 10, std::uint64_t{2} << 30, std::uint64_t{2} << 30});
    EXPECT_EQ(run.served, 10u * 66666u);
    EXPECT_EQ(run.overlaps, 0u);
    EXPECT_EQ(run.live_after, 0u);
    EXPECT_EQ(run.broken, 0u);
  }
}

TEST_P(MemoryOnDevice, AHeapThatIsTooSmallGivesNullAndWorksOn) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  const auto run =
      testing::exercise_on_device(GetParam(), {MemoryBlocks::OneDimensional, 100000, 8192, 5,
                                               std::uint64_t{1} << 30, std::uint64_t{64} << 20});
  EXPECT_GT(run.served, 0u);
  EXPECT_LT(run.served, 5u * 66666u);
  EXPECT_EQ(run.overlaps, 0u);
  EXPECT_EQ(run.live_after, 0u);
  EXPECT_EQ(run.broken, 0u);
}

INSTANTIATE_TEST_SUITE_P(Variants, MemoryOnDevice,
                         ::testing::Values(MemoryVariantName::SP, MemoryVariantName::SC,
                                           MemoryVariantName::VAP, MemoryVariantName::VAC,
                                           MemoryVariantName::VLP, MemoryVariantName::VLC));

TEST(MemoryHeapOnDevice, WholeWarpsTakeFromTwoHeapsThatKnowNothingOfEachOther) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  const auto run = testing::two_heaps_on_device(1u << 16, 10);
  EXPECT_EQ(run.overlaps, 0u);
  EXPECT_EQ(run.served, 10u * (1u << 16) * 9 / 5);
  EXPECT_EQ(run.live_after, 0u);
  EXPECT_EQ(run.broken, 0u);
}

TEST(MemoryHeapOnDevice, ACheckedBuildCountsDoubleAndForeignFrees) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  const auto faults = testing::wrong_frees_on_device(320);
  EXPECT_EQ(faults.double_frees, 320u);
  EXPECT_EQ(faults.foreign_frees, 320u);
  EXPECT_EQ(faults.live_after, 0u);
  EXPECT_EQ(faults.broken, 0u);
}

// What the survey itself relies on, for each of its allocators but CUDA's, which keeps its heap.
TEST(MemorySurveyOnDevice, BlocksStayApartInSeveralKernelsAtOnce) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  memory::open_survey_device(0);
  for (const memory::SubjectKind& kind : memory::device_subjects()) {
    if (std::string_view(kind.name) == "cuda") continue;
    const auto subject = kind.make({std::uint64_t{1} << 30}, 40000, 1);
    const memory::Requests requests{40000, 1, 4, 8192, 7};
    EXPECT_GT(subject->allocate(requests), 0.0);
    const memory::Holding held = subject->inspect(40000);
    EXPECT_EQ(held.blocks, 40000u) << kind.name;
    EXPECT_EQ(held.overlaps + held.damaged, 0u) << kind.name;
    EXPECT_GE(held.span, held.bytes) << kind.name;
    if (!kind.frees) continue;
    memory::Churn churn{.blocks = 40000, .low = 4, .high = 8192, .steps = 20};
    churn.kernels = 4;
    const memory::Churned churned = subject->churn(churn);
    EXPECT_GT(churned.operations, 20u * 40000u / 2) << kind.name;
    EXPECT_EQ(churned.refused + churned.damaged, 0u) << kind.name;
    EXPECT_EQ(subject->inspect(40000).overlaps, 0u) << kind.name;
    subject->release(40000);
    const auto account = subject->account();
    ASSERT_TRUE(account.has_value()) << kind.name;
    EXPECT_EQ(account->live, 0u) << kind.name;
    EXPECT_TRUE(account->valid) << kind.name;
  }
}

TEST(MemoryHeapOnDevice, GrowsWithoutMovingAndMovesByIndex) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  const auto growth = testing::grow_on_device(std::uint64_t{64} << 20, std::uint64_t{64} << 20);
  EXPECT_GT(growth.before, 60000u);
  EXPECT_GT(growth.after, 60000u);
  EXPECT_EQ(growth.kept, growth.before + growth.after);
  EXPECT_EQ(growth.broken, 0u);
}

}  // namespace
}  // namespace fathom
