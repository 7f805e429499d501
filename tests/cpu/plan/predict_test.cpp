#include "fathom/plan/predict.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/suites/expect_error.hpp"

namespace fathom::plan {
namespace {

using testing::expect_error;

using Kind = ResidencyOptions::Kind;

MachineRates some_rates() {
  MachineRates rates;
  rates.device = "cpu";
  rates.threads = 2;
  rates.measured = "2026-11-21T00:00:00Z";
  rates.disk = 250e6 * sizeof(VertexId);
  for (const bool streamed : {false, true})
    for (const char* algorithm : {"pagerank", "bfs"}) {
      rates.work.push_back({algorithm, streamed, 1u << 10, 1e-9, 2e-9});
      rates.work.push_back({algorithm, streamed, 1u << 20, 3e-9, 4e-9});
    }
  return rates;
}

PlanRequest request_of(const std::string& algorithm, int scale) {
  generate::Spec spec;
  spec.scale = scale;
  PlanRequest request;
  request.shape = shape_of(spec, false);
  request.algorithm = algorithm;
  return request;
}

TEST(MachineRates, AreInterpolatedOverTheLogarithmOfTheSize) {
  const MachineRates rates = some_rates();
  const auto middle = rates.seconds_per_edge("pagerank", false, 1u << 15);
  ASSERT_TRUE(middle);
  EXPECT_NEAR(middle->low, 2e-9, 1e-15);
  EXPECT_NEAR(middle->high, 3e-9, 1e-15);
  EXPECT_NEAR(rates.seconds_per_edge("pagerank", false, 1u << 25)->low, 4e-9, 1e-15);
  EXPECT_NEAR(rates.seconds_per_edge("pagerank", false, 16)->low, 1e-9, 1e-15);
  EXPECT_FALSE(rates.seconds_per_edge("tc", false, 16));
}

class SavedRates : public ::testing::Test {
 protected:
  SavedRates()
      : path_(std::filesystem::temp_directory_path() /
              ("fathom-rates-" + std::to_string(::getpid()) + ".json")) {}
  ~SavedRates() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(SavedRates, ComeBackAsTheyWere) {
  const MachineRates rates = some_rates();
  save_rates(rates, path_);
  const MachineRates again = read_rates(path_);
  EXPECT_EQ(again.device, rates.device);
  EXPECT_EQ(again.threads, rates.threads);
  EXPECT_EQ(again.disk, rates.disk);
  EXPECT_EQ(again.work, rates.work);
}

TEST_F(SavedRates, ThatAreDamagedAreRefused) {
  save_rates(some_rates(), path_);
  std::ifstream in(path_);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  for (const auto& [from, to] :
       {std::pair{"fathom.rates/1", "fathom.rates/9"}, std::pair{"\"streamed\": false", "\"a\": 1"},
        std::pair{"\"threads\": 2", "\"threads\": -2"}, std::pair{"{", "["}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string(from).size(), to);
    std::ofstream(path_) << damaged;
    expect_error(ErrorCode::BadInput, [&] { read_rates(path_); });
  }
}

TEST_F(SavedRates, OfOneSizeTwiceAreRefused) {
  MachineRates rates = some_rates();
  rates.work.push_back(rates.work.front());
  EXPECT_GT(rates.seconds_per_edge(rates.work[0].algorithm, rates.work[0].streamed, 1 << 30)->low,
            0);
  save_rates(rates, path_);
  expect_error(
      ErrorCode::BadInput, [&] { read_rates(path_); }, "expected a size that no earlier row has");
}

OptionValues ten_iterations() {
  OptionValues values(find_algorithm("pagerank")->options);
  values.set_real("tol", 0);
  values.set_count("max-iter", 10);
  return values;
}

TEST(Predict, SweepsTakeTheirKernelsOrTheDisk) {
  PlanRequest request = request_of("pagerank", 20);
  request.options = ten_iterations();
  const MachineRates rates = some_rates();
  const auto edges = static_cast<double>(request.shape.edges);

  const auto mapped = predict(request, make_plan(request), rates, nullptr, nullptr);
  ASSERT_TRUE(mapped);
  EXPECT_NEAR(mapped->seconds.high, 10 * edges * 4e-9, 1e-6);
  EXPECT_EQ(mapped->fetched.high, 0);

  // A quarter of the lists stays in the buffer.
  request.residency = Kind::Stream;
  Plan plan = make_plan(request);
  request.machine.host_memory = plan.least_host + plan.moved_bytes / 4;
  plan = make_plan(request);
  const auto streamed = predict(request, plan, rates, nullptr, nullptr);
  ASSERT_TRUE(streamed);
  const double lists = edges * sizeof(VertexId);
  const auto kept = static_cast<double>(plan.near_bytes);
  EXPECT_NEAR(kept, lists / 4, 3e6);
  EXPECT_NEAR(streamed->fetched.high, lists + 9 * (lists - kept), 1);
  // 33 M targets at 250 M/s and as many edges at 4 ns: as long as each other, and whichever is
  // longer counts.
  EXPECT_GE(streamed->seconds.high, 10 * edges * 4e-9);
  EXPECT_LE(streamed->seconds.high, 10 * edges * 4e-9 * 1.15);
}

TEST(Predict, SweepsAreNoSlowerWithMoreMemory) {
  PlanRequest request = request_of("pagerank", 20);
  request.residency = Kind::Stream;
  request.options = ten_iterations();
  const MachineRates rates = some_rates();
  const Plan least = make_plan(request);
  double before = 1e9;
  for (const std::uint64_t more : {std::uint64_t{0}, least.moved_bytes / 2, least.moved_bytes}) {
    request.machine.host_memory = least.least_host + more;
    const auto p = predict(request, make_plan(request), rates, nullptr, nullptr);
    ASSERT_TRUE(p);
    EXPECT_LE(p->seconds.high, before) << more;
    before = p->seconds.high;
  }
}

TEST(Predict, GpusShareThePagesAndMergeTheirState) {
  PlanRequest request = request_of("pagerank", 24);
  request.machine.executor = Machine::Executor::Gpu;
  request.residency = Kind::Stream;
  request.options = ten_iterations();
  const LinkProfile link = default_link_profile();
  const MachineRates none;
  std::array<double, 2> seconds{};
  for (const int devices : {1, 2}) {
    request.machine.devices = devices;
    request.machine.device_memory = std::uint64_t{1} << 30;
    const Plan plan = make_plan(request);
    const auto p = predict(request, plan, none, &link, nullptr);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->kernels.high, 0);
    const auto moved = static_cast<double>(plan.moved_bytes);
    const double far = moved - static_cast<double>(plan.near_bytes) * devices;
    ASSERT_GT(far, 0);
    EXPECT_NEAR(p->fetched.high, moved + 9 * far, 1);
    const double state = plan.work.state * static_cast<double>(request.shape.vertices);
    const double sums = 8 * static_cast<double>(request.shape.vertices);
    const double merges = 10 * (devices - 1) * 2 * sums / devices / (link.copies.to_device * 1e9);
    const double copies = p->fetched.high / devices / p->ceiling;
    EXPECT_NEAR(p->seconds.high, copies + merges + 2 * state / (link.copies.to_device * 1e9), 1e-6);
    seconds[static_cast<std::size_t>(devices - 1)] = p->seconds.high;
  }
  EXPECT_LT(seconds[1], seconds[0]);
}

TEST(Predict, APilotNarrowsTraversals) {
  PlanRequest request = request_of("bfs", 20);
  request.residency = Kind::Stream;
  const Plan plan = make_plan(request);
  const MachineRates rates = some_rates();
  const auto without = predict(request, plan, rates, nullptr, nullptr);
  const Pilot pilot{{{.1, .2}, {.5, .3}}};
  const auto with = predict(request, plan, rates, nullptr, &pilot);
  ASSERT_TRUE(without && with);
  EXPECT_EQ(with->supersteps.high, 2);
  EXPECT_NEAR(with->fetched.low, .5 * static_cast<double>(plan.moved_bytes), 1);
  EXPECT_LT(with->seconds.high - with->seconds.low, without->seconds.high - without->seconds.low);
}

TEST(Predict, SaysNothingOfWhatHasNoModelOrNoRates) {
  const MachineRates rates = some_rates();
  PlanRequest request = request_of("tc", 16);
  EXPECT_FALSE(predict(request, make_plan(request), rates, nullptr, nullptr));
  request = request_of("cc", 16);
  EXPECT_FALSE(predict(request, make_plan(request), rates, nullptr, nullptr));
  request = request_of("pagerank", 16);
  request.machine.executor = Machine::Executor::EmulatedDevices;
  EXPECT_FALSE(predict(request, make_plan(request), rates, nullptr, nullptr));
}

TEST(MeasureRates, CoversEveryModelledAlgorithmBothWays) {
  CpuOptions two_threads;
  two_threads.threads = 2;
  const MachineRates rates = measure_rates(Context::cpu(two_threads), 5e8, {8, 10});
  EXPECT_EQ(rates.device, "cpu");
  EXPECT_EQ(rates.disk, 5e8);
  for (const char* algorithm : {"pagerank", "bfs", "sssp", "cc"})
    for (const bool streamed : {false, true}) {
      const auto range = rates.seconds_per_edge(algorithm, streamed, 1u << 9);
      ASSERT_TRUE(range) << algorithm << streamed;
      EXPECT_GT(range->low, 0);
      EXPECT_LE(range->low, range->high);
    }
  expect_error(ErrorCode::Usage, [&] { measure_rates(Context::cpu(), 0, {}); });
}

}  // namespace
}  // namespace fathom::plan
