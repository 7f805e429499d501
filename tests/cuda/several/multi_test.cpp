// Several GPUs: replicas that agree again, copies between devices. On one card with devices that
// share it, and across cards where there are two.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <thread>

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "tests/cuda/several/several_devices.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

class Multi : public testing::Multi {
 protected:
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

INSTANTIATE_TEST_SUITE_P(Gpus, Multi, ::testing::ValuesIn(testing::all_devices()),
                         testing::device_name);

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
