// Components of graphs whose first neighbours form paths as long as the graph.
#include "fathom/algorithms/components/components.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cuda/configurations.hpp"

namespace fathom {
namespace {

struct Grid {
  VertexId rows, columns;
};

/// Both directions of a grid's edges, row by row.
struct GridLists {
  explicit GridLists(const Grid& grid) {
    for (VertexId r = 0; r < grid.rows; ++r)
      for (VertexId c = 0; c < grid.columns; ++c) {
        const VertexId v = r * grid.columns + c;
        if (r > 0) target.push_back(v - grid.columns);
        if (c > 0) target.push_back(v - 1);
        if (c + 1 < grid.columns) target.push_back(v + 1);
        if (r + 1 < grid.rows) target.push_back(v + grid.columns);
        offset.push_back(target.size());
      }
  }
  CsrView csr() const {
    return {static_cast<VertexId>(offset.size() - 1), target.size(), offset.data(), target.data(),
            nullptr};
  }
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
};

class GpuComponentsOfGrids : public ::testing::TestWithParam<Grid> {};

TEST_P(GpuComponentsOfGrids, AreOneInEveryResidency) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no GPU";
  const GridLists lists(GetParam());
  const Context host = Context::cpu({});
  const Graph on_host = make_graph(host, lists.csr(), nullptr, false, {});
  using Kind = ResidencyOptions::Kind;
  for (const Kind kind : {Kind::Resident, Kind::ZeroCopy, Kind::Stream}) {
    const Context ctx = Context::cuda({});
    ResidencyOptions options;
    options.kind = kind;
    const Graph graph = make_graph(ctx, lists.csr(), nullptr, false, options);
    for (const bool sample : {true, false}) {
      const ComponentsResult result = connected_components(ctx, graph, {.sample = sample});
      EXPECT_EQ(result.components, 1u);
      EXPECT_EQ(result.largest, graph.vertices());
      EXPECT_NO_THROW(verify_components(host, on_host, result));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, GpuComponentsOfGrids,
                         ::testing::Values(Grid{1, 1u << 20}, Grid{1u << 20, 1}, Grid{1000, 1000},
                                           Grid{1u << 17, 8}, Grid{8, 1u << 17}),
                         [](const auto& test) {
                           return std::to_string(test.param.rows) + "_by_" +
                                  std::to_string(test.param.columns);
                         });

}  // namespace
}  // namespace fathom
