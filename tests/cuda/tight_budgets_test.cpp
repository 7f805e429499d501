// Searches whose GPUs have hardly enough memory: what helps, and what a run can do without, never
// costs the answer.
#include <gtest/gtest.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;

constexpr std::size_t kStep = std::size_t{24} << 10, kMost = 180 * kStep;

/// Many small supersteps, and state that is a good part of what they have room for.
zoo::RawGraph long_path() {
  zoo::RawGraph raw{"LongPath", 60000, false, zoo::path_edges(150), {}};
  for (std::uint32_t v = 150; v < 600; ++v) raw.edges.emplace_back(0, v);
  return raw;
}

/// Few supersteps, of which some are pulled.
zoo::RawGraph broad() {
  return {"Broad", 30000, true, zoo::random_edges(30000, 400000, 5), {}};
}

class TightBudgets : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  }

  struct Lists {
    graph::BuiltGraph built;
    bool directed;
    std::vector<std::uint32_t> expected;

    explicit Lists(const zoo::RawGraph& raw) : built(zoo::build(raw)), directed(raw.directed) {
      const Context host = Context::cpu();
      expected = depths(host, place(host, {}));
    }
    Graph place(const Context& ctx, const ResidencyOptions& where) const {
      const std::optional<CsrView> in = built.in ? std::optional(built.in->view()) : std::nullopt;
      return make_graph(ctx, built.out.view(), in ? &*in : nullptr, directed, where);
    }
  };
  static std::vector<std::uint32_t> depths(const Context& ctx, const Graph& graph) {
    const BfsResult result = bfs(ctx, graph, std::vector<VertexId>{0});
    return {result.depth.begin(), result.depth.end()};
  }
  static ResidencyOptions residency() {
    ResidencyOptions where;
    where.kind = GetParam();
    where.paging.page_bytes = 1024;
    where.paging.frames = 16;
    return where;
  }
  /// What it finds; nothing where it does not fit, and why.
  static std::optional<std::vector<std::uint32_t>> search(const Lists& lists, const Context& ctx,
                                                          std::string* why = nullptr) {
    try {
      const Graph graph = lists.place(ctx, residency());
      graph.out();
      return depths(ctx, graph);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      if (why) *why = e.what();
      return std::nullopt;
    }
  }
};

TEST_P(TightBudgets, MoreMemoryIsNeverRefused) {
  for (const zoo::RawGraph& raw : {long_path(), broad()}) {
    const Lists lists(raw);
    std::size_t enough = 0;
    for (std::size_t bytes = kStep; bytes < kMost; bytes += bytes < kMost / 4 ? kStep : 3 * kStep) {
      CudaOptions options;
      options.device_memory = bytes;
      options.threads = 2;
      const Context ctx = Context::cuda(options);
      std::string why;
      const auto found = search(lists, ctx, &why);
      if (!found) {
        EXPECT_EQ(enough, 0u) << raw.name << " is refused with " << bytes << ": " << why;
        continue;
      }
      if (enough == 0) enough = bytes;
      ASSERT_EQ(*found, lists.expected) << raw.name << " with " << bytes;
    }
    EXPECT_GT(enough, kStep) << raw.name;
  }
}

TEST_P(TightBudgets, DevicesWithUnequalRoomAgree) {
  if (GetParam() != Kind::Stream) GTEST_SKIP() << "several devices stream";
  const Lists lists(broad());
  for (const std::size_t tight : {0u, 1u}) {
    std::size_t answered = 0;
    for (std::size_t left = 4 * kStep; left < kMost / 2; left += 2 * kStep) {
      CudaOptions options;
      options.devices = {0, 0};
      options.device_memory = kMost;
      options.threads = 2;
      const Context ctx = Context::cuda(options);
      const std::shared_ptr<MemoryPool>& pool = ctx.devices()[tight].memory();
      const Array<std::byte> taken(pool->available() - left, pool);
      if (const auto found = search(lists, ctx)) {
        ++answered;
        ASSERT_EQ(*found, lists.expected) << left << " on device " << tight;
      }
    }
    EXPECT_GT(answered, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TightBudgets,
                         ::testing::Values(Kind::Stream, Kind::ZeroCopy, Kind::Auto),
                         [](const auto& name) {
                           return name.param == Kind::Stream     ? "Stream"
                                  : name.param == Kind::ZeroCopy ? "ZeroCopy"
                                                                 : "Auto";
                         });

}  // namespace
}  // namespace fathom
