// Neighbour sampling of a graph that stays on disk.
#include <gtest/gtest.h>

#include "tests/cpu/ssd/streamed.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/sampling_suite.hpp"

namespace fathom {
namespace {

using store::kMi;
using testing::SampledCase;
using testing::sampling_cases;

TEST_F(Streamed, SamplesAreThoseOfTheMappedGraphWithinTheBudget) {
  const Context plain = context(MemoryPool::kUnlimited);
  for (const bool directed : {false, true}) {
    const Graph mapped = load(plain, path(directed));
    for (const auto& [devices, slotted] : {std::pair(0, directed), {2, !directed}}) {
      const std::size_t unit = kMi * sizeof(VertexId) / 4;  // of ids, mostly
      const std::size_t host = (directed ? 20 : 9) * unit;
      const Context ctx = context(host, devices, 9 * unit);
      PagingOptions paging;
      paging.page_bytes = kMi / 4;
      const Graph graph = load(ctx, path(directed, slotted), streamed(paging));
      for (const auto& its : sampling_cases(true)) {
        SampledCase here(its, mapped);
        const auto expected = here.run(plain, mapped, SampleReads::Host);
        EXPECT_EQ(here.run(ctx, graph, SampleReads::Auto), expected) << its.name;
      }
      NeighborSamplingOptions options;
      options.fan_out = {2};
      EXPECT_FALSE(NeighborSampler(ctx, graph, options).reads_on_host());
      EXPECT_GT(graph.traffic().disk.bytes, 0u);
      EXPECT_LE(ctx.peak_host_bytes(), host);
      options.reads = SampleReads::Host;
      testing::expect_error(
          ErrorCode::Usage, [&] { NeighborSampler(ctx, graph, options); }, "streamed");
    }
  }
}

}  // namespace
}  // namespace fathom
