#include "fathom/plan/cost_model.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fathom::plan {
namespace {

// The paper's machine: c1 16 GB/s, c2 6 GB/s.
const StreamRates kPaper{16e9, 6e9, kAtOnce, 1e-5, 1e-3};

TEST(CostModel, FollowsEquation1TermByTerm) {
  const double wa = 4e9, ra = 2e9, pages = 1000, topology = 64e9, kernel = 1.5;
  const StreamedStep step{ra, topology, pages, 0, kernel};
  for (const int devices : {1, 2, 4}) {
    const double expected = 2 * wa / 16e9 + (ra + topology) / (6e9 * devices) +
                            1e-5 * pages / devices + kernel / pages + 1e-3 * (devices - 1);
    EXPECT_NEAR(sweep_seconds(kPaper, {devices, 1, 0}, wa, step, 1), expected, 1e-12) << devices;
  }
}

TEST(CostModel, FollowsEquation2WithSkewAndCacheHits) {
  const double wa = 1e9;
  const std::array<StreamedStep, 2> levels{StreamedStep{0, 6e9, 100, 0, 0},
                                           StreamedStep{1e9, 11e9, 200, 0, 0}};
  const Sharing sharing{2, .75, .25};
  const double share = 2 * .75;
  const double expected = 2 * wa / 16e9 + (6e9 / (6e9 * share) * .75 + 1e-5 * 100 / share + 1e-3) +
                          (12e9 / (6e9 * share) * .75 + 1e-5 * 200 / share + 1e-3);
  EXPECT_NEAR(traversal_seconds(kPaper, sharing, wa, levels), expected, 1e-12);
}

TEST(CostModel, TakesTheSlowestOfDiskLinkAndKernels) {
  StreamRates rates = kPaper;
  rates.call = rates.sync = 0;
  rates.disk = 2e9;
  EXPECT_NEAR(step_seconds(rates, {}, {0, 12e9, 1000, 12e9, 0}), 6, 1e-9);  // the disk
  EXPECT_NEAR(step_seconds(rates, {}, {0, 12e9, 1000, 1e9, 0}), 2, 1e-9);   // the link
  EXPECT_NEAR(step_seconds(rates, {}, {0, 12e9, 1000, 1e9, 9}), 9, 1e-9);   // the kernels
}

TEST(CostModel, HidesNoKernelWhereNothingIsFetched) {
  EXPECT_DOUBLE_EQ(step_seconds({}, {}, {0, 0, 10, 0, 3}), 3);
  EXPECT_DOUBLE_EQ(step_seconds({}, {}, {}), 0);
}

}  // namespace
}  // namespace fathom::plan
