// Frontiers, replicated state, vertex operators, and the fences of emulated devices.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/compute.hpp"
#include "tests/suites/configurations.hpp"

namespace fathom {
namespace {

class Executors : public ::testing::TestWithParam<testing::Configuration> {
 protected:
  static constexpr VertexId kUniverse = 1000;  // not a multiple of 64

  std::set<std::size_t> content(const Frontier& f) const {
    std::set<std::size_t> vertices;
    f.for_each_on_host([&](std::size_t v) { EXPECT_TRUE(vertices.insert(v).second) << v; });
    EXPECT_EQ(vertices.size(), f.size());
    return vertices;
  }

  Context ctx_ = GetParam().context();
};

TEST_P(Executors, AFrontierKeepsItsContentThroughEveryForm) {
  const std::vector<VertexId> vertices{3, 64, 63, 999, 500, 0};
  const std::set<std::size_t> expected(vertices.begin(), vertices.end());
  Frontier f(ctx_, kUniverse);
  EXPECT_TRUE(f.empty());
  f.assign(vertices);
  EXPECT_EQ(content(f), expected);
  f.make_bitmap();
  EXPECT_EQ(content(f), expected);
  f.make_list();
  EXPECT_EQ(content(f), expected);
  f.fill();
  EXPECT_EQ(f.size(), kUniverse);
  f.make_bitmap();
  EXPECT_EQ(content(f).size(), kUniverse);
  f.make_list();
  EXPECT_EQ(content(f).size(), kUniverse);
  f.clear();
  EXPECT_TRUE(content(f).empty());
}

TEST_P(Executors, SubtractRemovesAnotherFrontierInAnyForm) {
  const std::vector<VertexId> odd_ones{1, 3, 777, 999};
  for (const bool as_bitmap : {false, true}) {
    Frontier all(ctx_, kUniverse), gone(ctx_, kUniverse);
    all.fill();
    gone.assign(odd_ones);
    if (as_bitmap) gone.make_bitmap();
    all.subtract(gone);
    EXPECT_EQ(all.size(), kUniverse - odd_ones.size());
    for (const VertexId v : odd_ones) EXPECT_EQ(content(all).count(v), 0u);
    gone.fill();
    all.subtract(gone);
    EXPECT_TRUE(all.empty());
  }
}

TEST_P(Executors, FilterComputeAndReduceSeeEveryVertexOnce) {
  VertexArray<std::uint64_t> value(ctx_, kUniverse, 0);
  compute(ctx_, kUniverse,
          [&](const Device& d) { return [values = value.on(d)](VertexId v) { values[v] += v; }; });
  const auto sum = reduce(
      ctx_, kUniverse, std::uint64_t{0},
      [&](const Device& d) { return [values = value.on(d)](VertexId v) { return values[v]; }; },
      std::plus<>{});
  EXPECT_EQ(sum, std::uint64_t{kUniverse} * (kUniverse - 1) / 2);

  Frontier all(ctx_, kUniverse), thirds(ctx_, kUniverse), ninths(ctx_, kUniverse);
  all.fill();
  auto divisible_by = [&](std::uint64_t k) {
    return [&value, k](const Device& d) {
      return [values = value.on(d), k](VertexId v) { return values[v] % k == 0; };
    };
  };
  filter(ctx_, all, thirds, divisible_by(3));
  EXPECT_EQ(thirds.size(), 334u);
  thirds.make_list();
  filter(ctx_, thirds, ninths, divisible_by(9));
  EXPECT_EQ(ninths.size(), 112u);
}

TEST_P(Executors, ReplicasAgreeAfterAMerge) {
  VertexArray<int, MergeMin> least(ctx_, kUniverse, 100);
  VertexArray<int, MergeSum> total(ctx_, kUniverse, 0);
  int rank = 1;
  for (const Device& d : ctx_.devices()) {
    ctx_.launch(d, [&] {
      least.on(d)[7] = 10 * rank;
      total.on(d)[7] = rank;
    });
    ++rank;
  }
  merge(least, total);
  const int devices = static_cast<int>(ctx_.devices().size());
  EXPECT_EQ(least.get(7), 10);
  EXPECT_EQ(total.get(7), devices * (devices + 1) / 2);
  for (const Device& d : ctx_.devices()) ctx_.launch(d, [&] { EXPECT_EQ(least.on(d)[7], 10); });
  const Array<int> host = std::move(least).take();
  EXPECT_EQ(host[7], 10);
  EXPECT_EQ(host[8], 100);
}

TEST_P(Executors, AMergeOfTouchedVerticesLeavesTheOthersAlone) {
  VertexArray<int, MergeSum> total(ctx_, kUniverse, 5);  // equal replicas: must not be added up
  const std::vector<VertexId> vertex{7};
  Frontier touched(ctx_, kUniverse);
  touched.assign(vertex);
  for (const Device& d : ctx_.devices()) ctx_.launch(d, [&] { total.on(d)[7] = 1; });
  total.merge(&touched);
  EXPECT_EQ(total.get(7), static_cast<int>(ctx_.devices().size()));
  EXPECT_EQ(total.get(8), 5);
}

INSTANTIATE_TEST_SUITE_P(Cpu, Executors, ::testing::ValuesIn(testing::cpu_configurations()),
                         testing::configuration_name);

TEST(Contexts, RefuseNegativeCounts) {
  CpuOptions options;
  options.threads = -1;
  EXPECT_THROW(Context::cpu(options), Error);
}

TEST(Contexts, ADevicesBudgetIsALimit) {
  CpuOptions options;
  options.devices = 2;
  options.device_memory = 1000;
  const Context ctx = Context::cpu(options);
  EXPECT_THROW(VertexArray<char>(ctx, 1001), Error);
  const VertexArray<char> fits(ctx, 1000);
  EXPECT_EQ(ctx.peak_device_bytes(), 1000u);
}

// The fences only exist under the address sanitizer; there, any access that is not a copy dies.
#if defined(__SANITIZE_ADDRESS__)
class Fences : public ::testing::Test {
 protected:
  static CpuOptions two_devices() {
    CpuOptions options;
    options.devices = 2;
    options.threads = 1;
    return options;
  }
  Context ctx_ = Context::cpu(two_devices());
  VertexArray<int> state_{ctx_, 1000, 1};
  const Device& first_ = ctx_.devices()[0];
  const Device& second_ = ctx_.devices()[1];
};
using FencesDeathTest = Fences;

TEST_F(FencesDeathTest, HostCodeCannotReadDeviceMemory) {
  volatile int* value = state_.on(first_);
  EXPECT_DEATH((void)value[3], "use-after-poison");
}

TEST_F(FencesDeathTest, AKernelCannotReadAnotherDevice) {
  volatile int* value = state_.on(second_);
  EXPECT_DEATH(ctx_.launch(first_, [&] { (void)value[3]; }), "use-after-poison");
}

TEST_F(FencesDeathTest, AKernelCannotReadHostMemory) {
  const Array<int> host(100, 1, ctx_.host_memory());
  volatile const int* value = host.data();
  EXPECT_EQ(value[3], 1);
  EXPECT_DEATH(ctx_.launch(first_, [&] { (void)value[3]; }), "use-after-poison");
}
#endif

}  // namespace
}  // namespace fathom
