// The CUDA context: devices that are not there, budgets, and what a failing kernel looks like.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/ops/compute.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/cuda/faulty_functor.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

template <class Call>
ErrorCode code_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode{0};
}

CudaOptions limited(std::size_t bytes) {
  CudaOptions options;
  options.device_memory = bytes;
  return options;
}

TEST(CudaContext, RefusesADeviceThatIsNotThere) {
  CudaOptions options;
  options.device = 99;
  EXPECT_EQ(code_of([&] { Context::cuda(options); }), ErrorCode::Device);
}

class WithGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
  static std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return free;
  }
};

TEST_F(WithGpu, RefusesALimitBeyondWhatIsFree) {
  EXPECT_EQ(code_of([] { Context::cuda(limited(std::size_t{1} << 50)); }), ErrorCode::DoesNotFit);
}

TEST_F(WithGpu, EveryAllocationCountsAgainstTheLimit) {
  const Context ctx = Context::cuda(limited(std::size_t{64} << 20));
  const std::size_t own = ctx.peak_device_bytes();  // a status word
  const VertexArray<std::uint32_t> half(ctx, std::size_t{8} << 20);
  EXPECT_EQ(code_of([&] { VertexArray<std::uint32_t>(ctx, std::size_t{9} << 20); }),
            ErrorCode::DoesNotFit);
  EXPECT_EQ(ctx.peak_device_bytes(), own + (std::size_t{32} << 20));
}

TEST_F(WithGpu, WhatTheDriverSaysIsTakenAgreesWithTheBudget) {
  constexpr std::size_t kLimit = std::size_t{512} << 20, kSlack = std::size_t{64} << 20;
  const Context ctx = Context::cuda(limited(kLimit));
  const graph::BuiltGraph built = zoo::build(zoo::rmat(false));
  const Graph graph = make_graph(ctx, built.out.view(), nullptr, false);
  bfs(ctx, graph, {{0}});  // kernels are loaded when first used, which takes memory of the driver's
  const std::size_t before = free_memory();
  for (int round = 0; round < 8; ++round) {
    // Sizes that do not fit the holes the last round left.
    const VertexArray<std::byte> a(ctx, (std::size_t{100} << 20) + std::size_t(round) * 9000000);
    const VertexArray<std::byte> b(ctx, (std::size_t{300} << 20) - std::size_t(round) * 9000000);
    ctx.wait();
    const std::size_t taken = before - free_memory();
    EXPECT_LE(taken, kLimit + kSlack) << round;
    EXPECT_GE(taken + kSlack, std::size_t{390} << 20) << round;
  }
}

TEST_F(WithGpu, ASearchThatDoesNotFitIsRefused) {
  const Context ctx = Context::cuda(limited(20000));  // less than its depths take
  const graph::BuiltGraph built = zoo::build(zoo::star(false));
  EXPECT_EQ(code_of([&] {
              const Graph graph = make_graph(ctx, built.out.view(), nullptr, false);
              bfs(ctx, graph, {{0}});
            }),
            ErrorCode::DoesNotFit);
}

TEST_F(WithGpu, AFunctorWithoutDeviceCodeIsRefused) {
  const Context ctx = Context::cuda();
  EXPECT_EQ(code_of([&] { compute(ctx, 10, [](const Device&) { return [](VertexId) {}; }); }),
            ErrorCode::Device);
}

TEST_F(WithGpu, AKernelThatFailsIsADeviceError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own: the failure stays
  EXPECT_EXIT(
      {
        const Context ctx = Context::cuda();
        const ErrorCode code = code_of([&] {
          compute(ctx, 10, [](const Device&) { return testing::Trap{}; });
          ctx.wait();
        });
        std::_Exit(static_cast<int>(code));
      },
      ::testing::ExitedWithCode(static_cast<int>(ErrorCode::Device)), "");
}

TEST(CudaContext, ReportsTheFirstFaultOfAKernelOnceAndGoesOn) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = Context::cuda();
  for (int round = 0; round < 2; ++round) {
    try {
      compute(ctx, 1000,
              [](const Device& d) { return testing::ReportOutOfRange{d.gpu()->status()}; });
      ctx.wait();
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Device);
      EXPECT_NE(std::string(e.what()).find("1,000,"), std::string::npos) << e.what();
    }
    EXPECT_NO_THROW(ctx.wait());
  }
}

TEST(CudaStream, CountsThePagesItCopiesAndThoseItFindsInFrames) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  // 4,096 vertices in a ring: 8,192 edges, 128 pages of 64 edges.
  zoo::RawGraph ring{"Ring", 4096, false, {}, {}};
  for (std::uint32_t v = 0; v < 4096; ++v) ring.edges.emplace_back(v, (v + 1) % 4096);
  const auto built = zoo::build(ring);
  const Context ctx = Context::cuda();
  ResidencyOptions options;
  options.kind = ResidencyOptions::Kind::Stream;
  options.paging = {64 * sizeof(VertexId), 32};
  options.paging.page_move = PageMove::Copy;
  const Graph graph = make_graph(ctx, built.out.view(), nullptr, false, options);
  PagerankOptions one;
  one.max_iterations = 1;
  const Traffic first = pagerank(ctx, graph, one).report.link;
  EXPECT_EQ(first.cache_misses, 128u);
  EXPECT_EQ(first.cache_hits, 0u);
  EXPECT_EQ(first.bytes, 8192 * sizeof(VertexId));
  // What the frames held at the end is found first: a sweep over all pages never misses them.
  const Traffic second = pagerank(ctx, graph, one).report.link;
  EXPECT_EQ(second.cache_hits, 32u);
  EXPECT_EQ(second.cache_misses, 96u);
  EXPECT_EQ(second.bytes, 6144 * sizeof(VertexId));
}

TEST(CudaStream, RefusesPagesThatAreNoPowerOfTwo) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  const auto built = zoo::build(zoo::all_graphs().back());
  const Context ctx = Context::cuda();
  ResidencyOptions options;
  options.kind = ResidencyOptions::Kind::Stream;
  options.paging.page_bytes = 1000;
  EXPECT_EQ(code_of([&] { make_graph(ctx, built.out.view(), nullptr, false, options).out(); }),
            ErrorCode::Usage);
}

}  // namespace
}  // namespace fathom
