// Several GPUs: replicas that agree again, copies between devices, pages dealt out. On one card
// with devices that share it, and across cards where there are two.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/functors.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom {
namespace {

using testing::expect_error;

struct Devices {
  std::string name;
  std::vector<int> ordinals;
  bool peer_access;
  CudaOptions::Nccl nccl = CudaOptions::Nccl::Auto;
};

void PrintTo(const Devices& d, std::ostream* out) {
  *out << d.name;
}

std::vector<Devices> all_devices() {
  std::vector<Devices> all{{"Two", {0, 0}, true},
                           {"Three", {0, 0, 0}, true},
                           {"Seven", {0, 0, 0, 0, 0, 0, 0}, true},
                           {"TwoApart", {0, 0}, false},
                           {"FiveApart", {0, 0, 0, 0, 0}, false}};
  if (testing::gpu_count() > 1) {
    all.push_back({"Cards", {0, 1}, true});
    all.push_back({"CardsTwice", {0, 1, 0, 1}, true});
    all.push_back({"CardsApart", {0, 1}, false});
    all.push_back({"CardsByNccl", {0, 1}, false, CudaOptions::Nccl::Always});
  }
  if (testing::gpu_count() > 3) all.push_back({"FourCards", {3, 2, 1, 0}, true});
  return all;
}

class Multi : public ::testing::TestWithParam<Devices> {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(Context::cuda(options()));
    if (GetParam().nccl == CudaOptions::Nccl::Always && !ctx_->merges_by_nccl())
      GTEST_SKIP() << ctx_->why_not_nccl();
  }
  CudaOptions options(std::size_t memory = std::size_t{512} << 20) const {
    CudaOptions o;
    o.devices = GetParam().ordinals;
    o.peer_access = GetParam().peer_access;
    o.nccl = GetParam().nccl;
    o.device_memory = memory;
    return o;
  }
  std::size_t count() const { return GetParam().ordinals.size(); }

  template <class T>
  void put(T* to, const std::vector<T>& values) const {
    ctx_->copy(to, values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> read(const T* from, std::size_t size) const {
    std::vector<T> values(size);
    ctx_->copy(values.data(), from, size * sizeof(T));
    return values;
  }

  /// Merges arrays of values that differ between devices, and looks at every replica.
  template <class T, class Rule>
  void merges(std::size_t size, const Frontier* touched, const std::vector<bool>& chosen) {
    VertexArray<T, Rule> array(*ctx_, size);
    std::vector<T> expected(size);
    for (std::size_t d = 0; d < count(); ++d) {
      std::vector<T> values(size);
      for (std::size_t i = 0; i < size; ++i) {
        const bool differs = !touched || chosen[i];
        values[i] = static_cast<T>((i * 7 + (differs ? (d * 13 + i) % 11 : 0)) % 1000);
        expected[i] = d == 0 || !differs ? values[i] : Rule{}(expected[i], values[i]);
      }
      put(array.on(ctx_->devices()[d]), values);
    }
    array.merge(touched);
    for (const Device& device : ctx_->devices())
      ASSERT_EQ(read(array.on(device), size), expected) << "device " << device.index();
  }

  std::optional<Context> ctx_;
};

// The last one is more than what is copied at a time from devices that are not reached.
constexpr std::size_t kSizes[] = {1, 63, 64, 1000, 1'500'037};

TEST_P(Multi, ReplicasOfAllTypesAgreeAfterAMerge) {
  for (const std::size_t size : kSizes) {
    merges<double, MergeSum>(size, nullptr, {});
    merges<float, MergeMin>(size, nullptr, {});
    merges<std::uint64_t, MergeOr>(size, nullptr, {});
    merges<std::uint32_t, MergeSum>(size, nullptr, {});
    merges<std::uint32_t, MergeMin>(size, nullptr, {});
    merges<int, MergeSum>(size, nullptr, {});
  }
}

TEST_P(Multi, OnlyTouchedValuesAreMerged) {
  for (const std::size_t size : kSizes) {
    std::vector<VertexId> some;
    std::vector<bool> chosen(size);
    for (std::size_t i = 0; i < size; i += 3) {
      some.push_back(static_cast<VertexId>(i));
      chosen[i] = true;
    }
    Frontier touched(*ctx_, static_cast<VertexId>(size));
    touched.assign(some);
    merges<std::uint32_t, MergeSum>(size, &touched, chosen);
    Frontier nothing(*ctx_, static_cast<VertexId>(size));
    merges<std::uint32_t, MergeSum>(size, &nothing, std::vector<bool>(size));
  }
}

TEST_P(Multi, LinksOfAllReplicasAreJoined) {
  constexpr std::size_t kSize = 3'000'000;  // more than is copied at a time
  const std::size_t stride = count() + 1;
  VertexArray<VertexId, MergeLinks> label(*ctx_, kSize);
  for (std::size_t d = 0; d < count(); ++d) {
    std::vector<VertexId> mine(kSize);
    std::iota(mine.begin(), mine.end(), VertexId{0});
    // Device d knows that each vertex d + 1 of a group is joined with the one before.
    for (std::size_t v = d + 1; v < kSize; v += stride) mine[v] = static_cast<VertexId>(v - 1);
    put(label.on(ctx_->devices()[d]), mine);
  }
  label.merge();
  for (const Device& device : ctx_->devices()) {
    const std::vector<VertexId> found = read(label.on(device), kSize);
    for (std::size_t v = 0; v < kSize; ++v) {
      VertexId root = found[v];
      while (found[root] != root) root = found[root];
      ASSERT_EQ(root, v / stride * stride) << v;
    }
  }
}

TEST_P(Multi, FrontiersUniteWhatDevicesHaveFound) {
  constexpr VertexId kSize = 100'003;
  Frontier frontier(*ctx_, kSize);
  frontier.begin_bitmap();
  for (const Device& device : ctx_->devices()) {
    std::vector<std::uint64_t> bits((kSize + 63) / 64);
    for (VertexId v = static_cast<VertexId>(device.index()); v < kSize; v += 10)
      bits[v / 64] |= std::uint64_t{1} << (v % 64);
    put(frontier.bits(device), bits);
  }
  frontier.end_bitmap();
  std::size_t expected = 0;
  std::vector<bool> there(kSize);
  for (VertexId v = 0; v < kSize; ++v) expected += there[v] = v % 10 < count();
  EXPECT_EQ(frontier.size(), expected);
  for (const Device& device : ctx_->devices()) {
    const auto bits = read(frontier.on(device).bits, (kSize + 63) / 64);
    for (VertexId v = 0; v < kSize; ++v)
      ASSERT_EQ((bits[v / 64] >> (v % 64) & 1) != 0, there[v]) << v;
  }
}

TEST_P(Multi, CopiesBetweenDevicesFollowTheKernelsOfBoth) {
  constexpr std::size_t kSize = 1 << 20;
  VertexArray<std::uint32_t> a(*ctx_, kSize), b(*ctx_, kSize);
  for (std::uint32_t round = 1; round < 20; ++round)
    for (const Device& from : ctx_->devices())
      for (const Device& to : ctx_->devices()) {
        const auto value = static_cast<std::uint32_t>(round * 100 + from.index() * 10 + to.index());
        ctx_->fill(from, a.on(from), kSize, &value, sizeof(value));
        ctx_->copy(b.on(to), a.on(from), kSize * sizeof(value));
        const std::size_t last[] = {kSize - 1};
        std::uint32_t found = 0;
        ctx_->gather(to, b.on(to), sizeof(found), last, &found);
        ASSERT_EQ(found, value);
      }
}

TEST_P(Multi, EveryDeviceIsServedByAThreadOfItsOwn) {
  std::vector<std::thread::id> first(count()), second(count());
  const auto note = [](std::vector<std::thread::id>& ids) {
    return [&](const Device& d) {
      ids[static_cast<std::size_t>(d.index())] = std::this_thread::get_id();
    };
  };
  ctx_->on_each(note(first));
  ctx_->on_each(note(second));
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), count());
}

class MultiGraph : public Multi {
 protected:
  void SetUp() override {
    Multi::SetUp();
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

TEST_P(MultiGraph, OtherResidenciesAreRefused) {
  using Kind = ResidencyOptions::Kind;
  for (const Kind kind : {Kind::Resident, Kind::Managed}) {
    ResidencyOptions residency;
    residency.kind = kind;
    expect_error(ErrorCode::Usage, [&] { graph(residency); });
  }
}

std::string device_name(const ::testing::TestParamInfo<Devices>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Gpus, Multi, ::testing::ValuesIn(all_devices()), device_name);
INSTANTIATE_TEST_SUITE_P(Gpus, MultiGraph, ::testing::ValuesIn(all_devices()), device_name);

TEST(MultiContext, RefusesDevicesThatAreNotThere) {
  CudaOptions options;
  options.devices = {0, 99};
  expect_error(ErrorCode::Device, [&] { Context::cuda(options); });
}

TEST(MultiContext, RefusesMoreMemoryThanACardHasForAllItsDevices) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  CudaOptions options;
  options.device_memory = free / 3 * 2;
  EXPECT_NO_THROW(Context::cuda(options));
  options.devices = {0, 0};
  expect_error(ErrorCode::DoesNotFit, [&] { Context::cuda(options); });
}

}  // namespace
}  // namespace fathom
