// Graphs on several GPUs: pages dealt out, shares of the lists. On one card with devices that share
// it, and across cards where there are two.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "tests/cuda/several/several_devices.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom {
namespace {

using testing::expect_error;

class MultiGraph : public testing::Multi {
 protected:
  void SetUp() override {
    testing::Multi::SetUp();
    raw_ = {"Random", 20000, true, zoo::random_edges(20000, 300000, 7), {}};
    built_ = zoo::build(raw_);
  }
  Graph graph(const ResidencyOptions& residency) const {
    const CsrView in = built_.in->view();
    return make_graph(*ctx_, built_.out.view(), &in, true, residency);
  }
  static ResidencyOptions streamed(PageMove move) {
    ResidencyOptions r;
    r.kind = ResidencyOptions::Kind::Stream;
    r.paging.page_bytes = 4096;
    r.paging.page_move = move;
    return r;
  }

  zoo::RawGraph raw_;
  graph::BuiltGraph built_;
};

TEST_P(MultiGraph, EachPageIsFetchedByOneDeviceAlone) {
  const Graph g = graph(streamed(PageMove::Copy));
  EXPECT_EQ(g.residency(), "stream");
  Frontier all(*ctx_, g.vertices());
  all.fill();
  std::vector<std::atomic<int>> passes(count());
  g.out().sweep(*ctx_, all, {},
                [&](const Pass& pass) { ++passes[static_cast<std::size_t>(pass.device.index())]; });
  EXPECT_EQ(g.traffic().bytes, g.edges() * sizeof(VertexId));
  for (const auto& of_device : passes) EXPECT_GT(of_device.load(), 0);
  // Frames hold all of them: nothing is fetched twice.
  g.out().sweep(*ctx_, all, {}, [](const Pass&) {});
  EXPECT_EQ(g.traffic().bytes, g.edges() * sizeof(VertexId));
}

TEST_P(MultiGraph, APassThatWaitsHoldsUpNoOtherDevice) {
  const Graph g = graph(streamed(PageMove::Auto));
  Frontier all(*ctx_, g.vertices());
  all.fill();
  std::vector<std::thread::id> thread(count());
  std::vector<std::atomic<bool>> came(count());
  std::atomic<std::size_t> here{0};
  std::atomic<bool> in_time{true};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  g.out().sweep(*ctx_, all, {}, [&](const Pass& pass) {
    const auto d = static_cast<std::size_t>(pass.device.index());
    thread[d] = std::this_thread::get_id();
    if (came[d].exchange(true)) return;
    ++here;
    while (here < count() && in_time) {  // for a pass of every device
      if (std::chrono::steady_clock::now() > until) in_time = false;
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(in_time);
  EXPECT_EQ(std::set(thread.begin(), thread.end()).size(), count());
}

TEST_P(MultiGraph, TheFirstFailureOfADeviceIsThrownOnce) {
  const Graph g = graph(streamed(PageMove::Copy));
  Frontier all(*ctx_, g.vertices());
  all.fill();
  const int last = static_cast<int>(count()) - 1;
  for (int attempt = 0; attempt < 3; ++attempt)
    expect_error(ErrorCode::Interrupted, [&] {
      g.out().sweep(*ctx_, all, {}, [&](const Pass& pass) {
        if (pass.device.index() == last) throw Error(ErrorCode::Interrupted, "enough");
      });
    });
  // And everything works afterwards.
  const BfsResult result = bfs(*ctx_, g, {{VertexId{0}}});
  const auto expected = reference::bfs_depths(zoo::to_reference(raw_), {0});
  for (std::size_t v = 0; v < expected.size(); ++v)
    ASSERT_EQ(result.depth[v], static_cast<std::uint32_t>(expected[v]));
}

TEST_P(MultiGraph, BudgetsOfAllDevicesHold) {
  constexpr std::size_t kMemory = std::size_t{4} << 20;
  ctx_.emplace(Context::cuda(options(kMemory)));
  {
    const Graph g = graph(streamed(PageMove::Auto));
    const PagerankResult result = pagerank(*ctx_, g, {});
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.report.peak_device_bytes, kMemory);
    for (const Device& device : ctx_->devices()) {
      EXPECT_LE(device.memory()->peak(), kMemory);
      EXPECT_GT(device.memory()->peak(), std::size_t{0});
    }
  }
  for (const Device& device : ctx_->devices()) EXPECT_LT(device.memory()->used(), kMemory / 2);
}

TEST_P(MultiGraph, SharesOfTheListsAreShownOnceAndAreNearWhereTheyFit) {
  for (const bool cached : {true, false}) {
    ResidencyOptions residency;
    if (!cached) {
      residency.kind = ResidencyOptions::Kind::ZeroCopy;
      residency.gpu.cache = CachePolicy::None;
    }
    const Graph g = graph(residency);
    EXPECT_EQ(g.residency(), "zerocopy");
    const BfsResult result = bfs(*ctx_, g, {{VertexId{0}}});
    const auto expected = reference::bfs_depths(zoo::to_reference(raw_), {0});
    for (std::size_t v = 0; v < expected.size(); ++v)
      ASSERT_EQ(result.depth[v], static_cast<std::uint32_t>(expected[v]));
    EXPECT_EQ(g.traffic().bytes == 0, cached);
    Frontier all(*ctx_, g.vertices());
    all.fill();
    std::vector<std::atomic<int>> seen(g.vertices());
    g.out().sweep(*ctx_, all, {}, [&](const Pass& pass) {
      EXPECT_EQ(pass.remote, !cached);
      for (VertexId v = pass.first; v < pass.last; ++v) ++seen[v];
    });
    const CsrView lists = built_.out.view();
    for (VertexId v = 0; v < g.vertices(); ++v)
      ASSERT_TRUE(lists.degree(v) == 0 || seen[v].load() == 1) << v;
  }
}

/// Shares of which each device has copies of about a third, chosen by a policy.
ResidencyOptions copies_of_some(CachePolicy policy, const Graph& like, std::size_t devices) {
  ResidencyOptions residency;
  residency.kind = ResidencyOptions::Kind::ZeroCopy;
  residency.gpu.cache = policy;
  residency.gpu.cache_bytes = (like.vertices() + like.edges() / 3) * sizeof(VertexId) / devices;
  return residency;
}

TEST_P(MultiGraph, SharesHaveCopiesOfSomeListsByAPolicy) {
  const auto expected = reference::bfs_depths(zoo::to_reference(raw_), {0});
  for (const CachePolicy policy :
       {CachePolicy::LowDegree, CachePolicy::HighDegree, CachePolicy::Prefix, CachePolicy::Reuse}) {
    const Graph g = graph(copies_of_some(policy, graph({}), count()));
    const BfsResult result = bfs(*ctx_, g, {{VertexId{0}}});
    for (std::size_t v = 0; v < expected.size(); ++v)
      ASSERT_EQ(result.depth[v], static_cast<std::uint32_t>(expected[v]));
    EXPECT_GT(g.out().near_edges(), g.edges() / 4);
    EXPECT_LT(g.out().near_edges(), g.edges() / 2);
    EXPECT_GT(g.traffic().bytes, 0u);
  }
}

TEST_P(MultiGraph, HintsOfSharesAreTheSameOnEveryDevice) {
  const CsrView in = built_.in->view();
  std::vector<VertexId> expected(in.vertices, kNoVertex);
  for (VertexId v = 0; v < in.vertices; ++v)
    for (EdgeId e = in.offset[v]; e < in.offset[v + 1]; ++e) {
      const VertexId u = in.target[e], best = expected[v];
      const bool longer = best == kNoVertex || in.degree(u) > in.degree(best);
      if (longer || (in.degree(u) == in.degree(best) && u < best)) expected[v] = u;
    }
  ResidencyOptions none;
  none.kind = ResidencyOptions::Kind::ZeroCopy;
  none.gpu.cache = CachePolicy::None;
  for (const ResidencyOptions& residency :
       {ResidencyOptions{}, none, copies_of_some(CachePolicy::Auto, graph({}), count())}) {
    const Graph g = graph(residency);
    EXPECT_EQ(g.in().hints(ctx_->devices()[0]), nullptr);
    bfs(*ctx_, g, {{VertexId{0}}});
    for (const Device& device : ctx_->devices()) {
      ASSERT_NE(g.in().hints(device), nullptr);
      EXPECT_EQ(read(g.in().hints(device), in.vertices), expected) << "device " << device.index();
    }
  }
}

TEST_P(MultiGraph, OtherResidenciesAreRefused) {
  using Kind = ResidencyOptions::Kind;
  for (const Kind kind : {Kind::Resident, Kind::Managed}) {
    ResidencyOptions residency;
    residency.kind = kind;
    expect_error(ErrorCode::Usage, [&] { graph(residency); });
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, MultiGraph, ::testing::ValuesIn(testing::all_devices()),
                         testing::device_name);

}  // namespace
}  // namespace fathom
