// The memory manager in kernels. Skipped without a device.
#include <gtest/gtest.h>

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
    const auto run = testing::exercise_on_device(GetParam(), blocks, 100000, 8192, 10,
                                                 std::uint64_t{2} << 30, std::uint64_t{2} << 30);
    EXPECT_EQ(run.served, 10u * 66666u);
    EXPECT_EQ(run.overlaps, 0u);
    EXPECT_EQ(run.live_after, 0u);
    EXPECT_EQ(run.broken, 0u);
  }
}

TEST_P(MemoryOnDevice, AHeapThatIsTooSmallGivesNullAndWorksOn) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  const auto run =
      testing::exercise_on_device(GetParam(), MemoryBlocks::OneDimensional, 100000, 8192, 5,
                                  std::uint64_t{1} << 30, std::uint64_t{64} << 20);
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
