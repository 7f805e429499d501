#include "fathom/plan/predict.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

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
    for (const char* algorithm : {"pagerank", "bfs"})
      for (const auto& [scale, rmat, uniform] :
           {std::tuple{10, 1e-9, 2e-9}, std::tuple{20, 4e-9, 4e-9}}) {
        const std::uint64_t vertices = std::uint64_t{1} << scale;
        rates.work.push_back({algorithm, streamed, Likeness::Rmat, vertices, 32 * vertices, rmat});
        rates.work.push_back(
            {algorithm, streamed, Likeness::Uniform, vertices, 32 * vertices, uniform});
      }
  rates.first_runs = {{"bfs", false, .004}, {"bfs", true, .002}};
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

GraphShape shape_with(std::uint64_t vertices, std::uint64_t degree,
                      std::optional<Likeness> likeness) {
  GraphShape shape;
  shape.vertices = vertices;
  shape.edges = vertices * degree;
  shape.likeness = likeness;
  return shape;
}

TEST(MachineRates, ArePowersOfTheSize) {
  const MachineRates rates = some_rates();
  const auto of = [&](int scale, std::optional<Likeness> likeness) {
    return rates.seconds_per_edge("pagerank", false,
                                  shape_with(std::uint64_t{1} << scale, 32, likeness));
  };
  const auto middle = of(15, std::nullopt);
  ASSERT_TRUE(middle);
  EXPECT_NEAR(middle->low, 2e-9, 1e-15);
  EXPECT_NEAR(middle->high, std::sqrt(8.) * 1e-9, 1e-15);
  EXPECT_NEAR(of(15, Likeness::Rmat)->high, 2e-9, 1e-15);
  EXPECT_NEAR(of(15, Likeness::Uniform)->low, std::sqrt(8.) * 1e-9, 1e-15);
  EXPECT_NEAR(of(25, Likeness::Rmat)->low, 8e-9, 1e-15);
  EXPECT_NEAR(of(4, Likeness::Rmat)->low, 1e-9, 1e-15) << "no smaller than what was measured";
  EXPECT_EQ(*of(15, Likeness::Grid), *middle) << "nothing like it was measured";
  EXPECT_FALSE(rates.seconds_per_edge("tc", false, shape_with(16, 32, Likeness::Rmat)));
}

TEST(MachineRates, ArePowersOfEdgesPerVertex) {
  MachineRates rates;
  rates.work = {{"bfs", false, Likeness::Rmat, 1024, 8 * 1024, 4e-9},
                {"bfs", false, Likeness::Rmat, 1024, 32 * 1024 - 9, 1e-9}};
  const auto of = [&](std::uint64_t degree) {
    return rates.seconds_per_edge("bfs", false, shape_with(1024, degree, Likeness::Rmat))->low;
  };
  EXPECT_NEAR(of(8), 4e-9, 1e-14);
  EXPECT_NEAR(of(16), 2e-9, 1e-14);
  EXPECT_NEAR(of(64), .5e-9, 1e-14);
}

TEST(Likeness, IsToldByDegrees) {
  const auto of = [](generate::Spec spec) {
    const generate::Generator generator(spec);
    std::vector<Edge> edges(generator.edges());
    generator.fill(0, edges, {});
    std::vector<EdgeId> offsets(generator.vertices() + std::size_t{1});
    for (const Edge& edge : edges) ++offsets[edge.source + 1], ++offsets[edge.target + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return likeness_of(offsets);
  };
  for (const int scale : {10, 17}) {  // all, and a sample
    generate::Spec spec;
    spec.scale = scale;
    EXPECT_EQ(of(spec), Likeness::Rmat);
    spec.kind = generate::Kind::Uniform;
    EXPECT_EQ(of(spec), Likeness::Uniform);
  }
  generate::Spec grid;
  grid.kind = generate::Kind::Grid;
  grid.rows = 300;
  grid.columns = 400;
  EXPECT_EQ(of(grid), Likeness::Grid);
  EXPECT_FALSE(likeness_of(std::array<EdgeId, 3>{0, 0, 0}));
  EXPECT_FALSE(likeness_of({}));
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
  EXPECT_EQ(again.first_runs, rates.first_runs);
}

TEST_F(SavedRates, MayLackFirstRuns) {
  save_rates(some_rates(), path_);
  auto json = nlohmann::json::parse(std::ifstream(path_));
  json.erase("first_runs");
  std::ofstream(path_) << json;
  EXPECT_TRUE(read_rates(path_).first_runs.empty());
  json["first_runs"] = {{{"algorithm", "bfs"}, {"streamed", false}, {"seconds", -1}}};
  std::ofstream(path_) << json;
  expect_error(
      ErrorCode::BadInput, [&] { read_rates(path_); }, "first_runs[0].seconds");
}

TEST_F(SavedRates, ThatAreDamagedAreRefused) {
  save_rates(some_rates(), path_);
  std::ifstream in(path_);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  for (const auto& [from, to] :
       {std::pair{"fathom.rates/2", "fathom.rates/9"}, std::pair{"\"streamed\": false", "\"a\": 1"},
        std::pair{"\"threads\": 2", "\"threads\": -2"}, std::pair{"\"rmat\"", "\"tree\""},
        std::pair{"{", "["}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string(from).size(), to);
    std::ofstream(path_) << damaged;
    expect_error(ErrorCode::BadInput, [&] { read_rates(path_); });
  }
}

TEST_F(SavedRates, OfOneSizeTwiceAreRefused) {
  MachineRates rates = some_rates();
  rates.work.push_back(rates.work.front());
  EXPECT_GT(rates
                .seconds_per_edge(rates.work[0].algorithm, rates.work[0].streamed,
                                  shape_with(1 << 30, 32, Likeness::Rmat))
                ->low,
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
  EXPECT_NEAR(mapped->kernels.high, 10 * edges * 4e-9, 1e-6);
  EXPECT_NEAR(mapped->seconds.high, 10 * edges * 4e-9 * std::sqrt(kModelSpan), 1e-6);
  EXPECT_NEAR(mapped->seconds.low * kModelSpan, mapped->seconds.high, 1e-6);
  EXPECT_EQ(mapped->fetched.high, 0);

  // A quarter of the lists stays in the buffer.
  request.residency = Kind::Stream;
  Plan plan = make_plan(request);
  request.machine.host_memory = plan.least_host + plan.moved_bytes / 4 * 8 / 7;
  plan = make_plan(request);
  const auto streamed = predict(request, plan, rates, nullptr, nullptr);
  ASSERT_TRUE(streamed);
  const double lists = edges * sizeof(VertexId);
  const auto kept = static_cast<double>(plan.near_bytes);
  EXPECT_NEAR(kept, lists / 4, 3e6);
  EXPECT_NEAR(streamed->fetched.high, lists + 9 * (lists - kept), 1);
  // 33 M targets at 250 M/s and as many edges at 4 ns: as long as each other, and whichever is
  // longer counts.
  const double middle = std::sqrt(streamed->seconds.low * streamed->seconds.high);
  EXPECT_GE(middle, 10 * edges * 4e-9);
  EXPECT_LE(middle, 10 * edges * 4e-9 * 1.15);
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
  const Pilot pilot{.levels = {{.1, .2}, {.5, .3}}, .times = std::nullopt};
  const auto with = predict(request, plan, rates, nullptr, &pilot);
  ASSERT_TRUE(without && with);
  EXPECT_EQ(with->supersteps.high, 2);
  EXPECT_NEAR(with->fetched.low, .5 * static_cast<double>(plan.moved_bytes), 1);
  EXPECT_EQ(with->fetched.high, with->fetched.low);
  EXPECT_EQ(without->fetched.low, static_cast<double>(plan.moved_bytes)) << "every page is wanted";
  EXPECT_LE(without->seconds.high, without->seconds.low * kModelSpan * 1.0001);
}

TEST(Predict, AGpuLoadsItsKernelsInTheFirstRun) {
  PlanRequest request = request_of("bfs", 20);
  request.machine.executor = Machine::Executor::Gpu;
  request.residency = Kind::Resident;
  const Plan plan = make_plan(request);
  MachineRates rates = some_rates();
  const auto first = predict(request, plan, rates, nullptr, nullptr);
  EXPECT_EQ(rates.first_run_seconds("bfs", false), .004);
  EXPECT_NEAR(rates.first_run_seconds("bfs", true), .006, 1e-9);
  EXPECT_EQ(rates.first_run_seconds("cc", true), 0);
  rates.first_runs.clear();
  const auto later = predict(request, plan, rates, nullptr, nullptr);
  ASSERT_TRUE(first && later);
  const auto middle = [](const Prediction& p) { return std::sqrt(p.seconds.low * p.seconds.high); };
  EXPECT_NEAR(middle(*first) - middle(*later), .004, 1e-6);
  Pilot pilot;
  pilot.times = {.run = .001, .first = .001, .step = .001, .loading = .003, .supersteps = 1};
  const auto told = predict(request, plan, rates, nullptr, &pilot);
  EXPECT_NEAR(told->seconds.high, .004 * kPilotError, 1e-9);
}

TEST(Predict, ListsThatAGpuMakesInItsMemoryAreReadOverTheLinkFirst) {
  PlanRequest request = request_of("tc", 20);
  request.machine.executor = Machine::Executor::Gpu;
  MachineRates rates = some_rates();
  const std::uint64_t vertices = std::uint64_t{1} << 20;
  rates.work.push_back({"tc", false, Likeness::Rmat, vertices, 32 * vertices, 1e-9});
  const LinkProfile link = default_link_profile();
  request.residency = Kind::Resident;
  const auto here = predict(request, make_plan(request), rates, &link, nullptr);
  request.residency = Kind::ZeroCopy;
  const auto far = predict(request, make_plan(request), rates, &link, nullptr);
  ASSERT_TRUE(here && far);
  EXPECT_EQ(here->fetched.high, 0);
  const double read = 3. * static_cast<double>(request.shape.edges) * sizeof(VertexId);
  EXPECT_NEAR(far->fetched.high, read, 1);
  EXPECT_NEAR(far->seconds.high / std::sqrt(kModelSpan),
              here->seconds.high / std::sqrt(kModelSpan) + read / far->ceiling, 1e-3);
}

TEST(Predict, WarpsThatUnpackWhatTheyWalkTakeLonger) {
  const MachineRates rates = some_rates();
  for (const char* algorithm : {"pagerank", "bfs"})
    for (const auto likeness : {Likeness::Rmat, Likeness::Uniform}) {
      SCOPED_TRACE(algorithm);
      PlanRequest request = request_of(algorithm, 20);
      request.shape.likeness = likeness;
      request.machine.executor = Machine::Executor::Gpu;
      request.residency = Kind::Resident;
      request.shape.packed_bits = 14;
      request.packed = PackedReads::Unpacked;
      const Plan unpacked = make_plan(request);
      const auto plain = predict(request, unpacked, rates, nullptr, nullptr);
      request.packed = PackedReads::InPlace;
      const Plan in_place = make_plan(request);
      EXPECT_TRUE(in_place.in_place);
      EXPECT_FALSE(unpacked.in_place);
      const auto packed = predict(request, in_place, rates, nullptr, nullptr);
      ASSERT_TRUE(plain && packed);
      const bool sweeps = request.algorithm == "pagerank", hubs = likeness == Likeness::Rmat;
      const Range times =
          sweeps ? (hubs ? Range{1.5, 1.5} : Range{1, 1}) : (hubs ? Range{1.8, 3} : Range{1.2, 5});
      EXPECT_NEAR(packed->kernels.low, plain->kernels.low * times.low, 1e-9);
      EXPECT_NEAR(packed->kernels.high, plain->kernels.high * times.high, 1e-9);
    }
}

Pilot run_of(double seconds, double first, std::uint32_t supersteps) {
  RunReport report;
  report.seconds = seconds;
  report.iterations = supersteps;
  report.supersteps.resize(supersteps);
  report.supersteps[0].seconds = first;
  Pilot pilot;
  pilot.times = times_of(std::array{report});
  return pilot;
}

TEST(Predict, WhatAPilotTookIsTold) {
  const MachineRates rates = some_rates();
  for (const char* algorithm : {"bfs", "tc", "degrees"}) {  // with rates, without, without a model
    PlanRequest request = request_of(algorithm, 20);
    const Pilot pilot = run_of(2, .5, 4);
    const auto p = predict(request, make_plan(request), rates, nullptr, &pilot);
    ASSERT_TRUE(p) << algorithm;
    EXPECT_NEAR(p->seconds.low, 2 / kPilotError, 1e-9) << algorithm;
    EXPECT_NEAR(p->seconds.high, 2 * kPilotError, 1e-9) << algorithm;
    EXPECT_LE(p->seconds.high / p->seconds.low, 1.5);
  }
}

TEST(Predict, SweepsAreAsManyTimesThoseOfThePilot) {
  PlanRequest request = request_of("pagerank", 20);
  request.options = ten_iterations();
  Pilot pilot = run_of(1.5, .5, 3);
  pilot.times->supersteps = 0;  // it was not run to its end
  const auto p = predict(request, make_plan(request), MachineRates(), nullptr, &pilot);
  ASSERT_TRUE(p);
  EXPECT_NEAR(p->seconds.high, (.5 + 9 * .5) * kPilotError, 1e-9);
  EXPECT_NEAR(p->step.low, .5 / kPilotError, 1e-9);
  const Pilot whole = run_of(1.5, .5, 3);
  request.options.reset();
  const auto known = predict(request, make_plan(request), MachineRates(), nullptr, &whole);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->supersteps.low, 3);
  EXPECT_NEAR(known->seconds.low, 1.5 / kPilotError, 1e-9);
}

TEST(Predict, APilotThatWasStoppedIsTheLeast) {
  const MachineRates rates = some_rates();
  Pilot pilot;
  pilot.times = {.run = 30, .stopped = true};
  PlanRequest request = request_of("bfs", 10);
  const auto p = predict(request, make_plan(request), rates, nullptr, &pilot);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->seconds.low, 30);
  request = request_of("degrees", 10);
  EXPECT_FALSE(predict(request, make_plan(request), rates, nullptr, &pilot));
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
  for (const char* algorithm : {"pagerank", "bfs", "sssp", "cc", "tc", "kcore"})
    for (const bool streamed : {false, true})
      for (const Likeness like : kLikenesses) {
        const auto rows = std::ranges::count_if(rates.work, [&](const WorkRate& row) {
          return row.algorithm == algorithm && row.streamed == streamed && row.graph == like &&
                 !row.directed && row.seconds > 0;
        });
        EXPECT_EQ(rows, like == Likeness::Grid ? 2 : 4) << algorithm << streamed;
      }
  expect_error(ErrorCode::Usage, [&] { measure_rates(Context::cpu(), 0, {}); });
}

}  // namespace
}  // namespace fathom::plan
