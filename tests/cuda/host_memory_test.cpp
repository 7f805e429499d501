// Host memory for a GPU, obtained in each way and pinned piece by piece behind its use: copies that
// cross pieces, pieces that the driver refuses, and graphs of several pieces.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/core/random.hpp"
#include "fathom/exec/cuda/host_copies.hpp"
#include "fathom/exec/cuda/pin_host.hpp"
#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/store/make/convert.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/cuda/configurations.hpp"

namespace fathom {
namespace {

constexpr std::size_t kPieceOfHost = PinnedPieces::kPieceBytes;

/// Memory of three pieces and a bit, whose every word says where it is.
class HostMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(Context::cuda());
    words_ = Array<std::uint64_t>(kWords, MemoryPool::unlimited());
    for (std::size_t i = 0; i < kWords; ++i) words_[i] = mix64(i);
  }
  cuda::Gpu& gpu() const { return *ctx_->devices()[0].gpu(); }
  std::span<const std::byte> memory() const { return std::as_bytes(words_.span()); }

  /// Copies random ranges, many at a time, and compares them on the host.
  void copies_are_right(cuda::HostCopies& copies, std::uint64_t seed) {
    constexpr std::size_t kMost = 12, kWordsEach = (std::size_t{24} << 20) / 8;
    const RandomStream random(seed, 1);
    Array<std::uint64_t> there(kMost * kWordsEach, ctx_->devices()[0].memory());
    std::vector<cuda::Transfer> transfers;
    std::vector<std::size_t> first, count;
    for (std::size_t k = 0; k < kMost; ++k) {
      count.push_back(1 + bounded(random.at(2 * k), kWordsEach));
      // Borders of pieces more often than chance would have them.
      const std::size_t near = k % 4 * (kPieceOfHost / 8);
      const std::size_t at =
          k % 2 == 0 ? bounded(random.at(2 * k + 1), kWords) : near - std::min(near, count[k] / 2);
      first.push_back(std::min(at, kWords - count[k]));
      transfers.push_back({there.data() + k * kWordsEach, words_.data() + first[k], count[k] * 8});
    }
    copies.queue(gpu().stream(), transfers);
    std::vector<std::uint64_t> back(kWordsEach);
    for (std::size_t k = 0; k < kMost; ++k) {
      ctx_->copy(back.data(), there.data() + k * kWordsEach, count[k] * 8);
      ASSERT_EQ(std::memcmp(back.data(), words_.data() + first[k], count[k] * 8), 0)
          << "words " << first[k] << " + " << count[k];
    }
  }

  static constexpr std::size_t kWords = (3 * kPieceOfHost + 4096 * 5) / 8;
  std::optional<Context> ctx_;
  Array<std::uint64_t> words_;
};

TEST_F(HostMemory, CopiesAreRightWhilePiecesArePinnedAndAfterwards) {
  cuda::HostCopies copies(*ctx_, gpu());
  const auto pieces = cuda::pin_pieces(memory());
  ASSERT_NE(pieces, nullptr);
  for (std::uint64_t round = 0; round < 4; ++round) copies_are_right(copies, round);
  EXPECT_TRUE(pieces->wait());
  const std::uint64_t staged = copies.staged_bytes();
  for (std::uint64_t round = 4; round < 7; ++round) copies_are_right(copies, round);
  EXPECT_EQ(copies.staged_bytes(), staged) << "what is pinned is not staged";
  // The context's own copies know of pieces too.
  Array<std::uint64_t> there(kWords, ctx_->devices()[0].memory());
  ctx_->copy(there.data(), words_.data(), kWords * 8);
  std::uint64_t last = 0;
  ctx_->copy(&last, there.data() + kWords - 1, 8);
  EXPECT_EQ(last, mix64(kWords - 1));
  cuda::host_pins().unpin(memory().data());
}

TEST_F(HostMemory, WhatIsNeverPinnedIsStaged) {
  class Refusing final : public HostPinner {
    std::string pin(const std::byte*, std::size_t) override { return "not here"; }
    void unpin(const std::byte*) noexcept override {}
  };
  const auto pieces = cuda::host_pins().pin(std::make_shared<Refusing>(), memory());
  ASSERT_NE(pieces, nullptr);
  EXPECT_FALSE(pieces->wait());
  cuda::HostCopies copies(*ctx_, gpu());
  copies_are_right(copies, 11);
  EXPECT_GT(copies.staged_bytes(), 0u);
  copies.drop_ring();
  copies_are_right(copies, 12);
  // Without room for a ring the driver copies in its own way.
  CudaOptions tight;
  tight.host_memory = std::size_t{1} << 20;
  const Context small = Context::cuda(tight);
  cuda::HostCopies without(small, gpu());
  copies_are_right(without, 13);
  EXPECT_EQ(small.peak_host_bytes(), 0u);
  cuda::host_pins().unpin(memory().data());
}

TEST_F(HostMemory, ARefusedPieceIsReportedAndLeftAlone) {
  // The driver refuses what is registered already: the third piece.
  auto* const taken = const_cast<std::byte*>(memory().data()) + 2 * kPieceOfHost;
  ASSERT_EQ(cudaHostRegister(taken, 4096, cudaHostRegisterDefault), cudaSuccess);
  {
    const auto block = HostBlock::pin(gpu(), memory().data(), memory().size());
    ASSERT_NE(block, nullptr);
    EXPECT_FALSE(block->wait({}));
    EXPECT_TRUE(block->pinned(0, 2 * kPieceOfHost));
    EXPECT_FALSE(block->pinned(2 * kPieceOfHost - 1, 2));
    const HostMemoryBlock report = block->report();
    EXPECT_EQ(report.pinned_bytes, 2 * kPieceOfHost);
    EXPECT_NE(report.note.find("already"), std::string::npos) << report.note;
  }
  // For kernels, which read in place, a copy takes its place; it is counted while it lives.
  const std::size_t before = ctx_->host_memory()->used();
  {
    const auto block =
        HostBlock::over_link(*ctx_, gpu(), ZeroCopyWay::Register, memory().data(), memory().size(),
                             [&](std::size_t first, std::size_t last, std::byte* to) {
                               std::memcpy(to, memory().data() + first, last - first);
                             });
    EXPECT_NE(block->data(), memory().data());
    EXPECT_EQ(std::memcmp(block->data(), memory().data(), memory().size()), 0);
    EXPECT_EQ(ctx_->host_memory()->used(), before + memory().size());
    EXPECT_EQ(block->report().way, "register");
  }
  EXPECT_EQ(ctx_->host_memory()->used(), before);
  EXPECT_EQ(cudaHostUnregister(taken), cudaSuccess);
}

TEST_F(HostMemory, EachWayHoldsWhatItWasFilledWith) {
  for (const ZeroCopyWay way : kZeroCopyWays) {
    SCOPED_TRACE(name_of(way));
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}, memory().size()}) {
      const auto block = HostBlock::holding(*ctx_, gpu(), way, memory().data(), bytes);
      EXPECT_EQ(std::memcmp(block->data(), memory().data(), bytes), 0);
      EXPECT_TRUE(block->pinned(0, bytes));
      EXPECT_TRUE(block->wait({}));
      const HostMemoryBlock report = block->report();
      EXPECT_EQ(report.bytes, bytes);
      EXPECT_EQ(report.note, "");
      if (bytes == memory().size()) {
        EXPECT_EQ(report.way, name_of(way));
      }
    }
  }
}

TEST_F(HostMemory, FillingIsCancelled) {
  std::stop_source stop;
  CudaOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cuda(options);
  stop.request_stop();
  try {
    HostBlock::holding(ctx, *ctx.devices()[0].gpu(), ZeroCopyWay::Register, memory().data(),
                       memory().size());
    ADD_FAILURE() << "went on";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Interrupted);
  }
  EXPECT_EQ(ctx.host_memory()->used(), 0u);
}

/// Lists of several pieces, streamed while they are pinned, by each source that can.
TEST_F(HostMemory, GraphsOfSeveralPiecesAreStreamedWhileTheyArePinned) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("g.fg");
  generate::Spec spec;
  spec.kind = generate::Kind::Uniform;  // few edges twice
  spec.scale = 19;
  spec.edge_factor = 72;
  store::generate(generate::Generator(spec), path, {});
  const Context host = Context::cpu();
  const Graph whole = load(host, path);
  ASSERT_GT(whole.edges() * sizeof(VertexId), 2 * kPieceOfHost);
  const BfsResult depths = bfs(host, whole, {{5}});
  const PagerankOptions ranking;
  for (const std::size_t device_memory : {std::size_t{100} << 20, std::size_t{33} << 20})
    for (const PageMove move : {PageMove::Auto, PageMove::Copy, PageMove::InPlace})
      for (const std::vector<int>& devices : {std::vector{0}, {0, 0}}) {
        SCOPED_TRACE(std::to_string(device_memory >> 20) + " MiB, move " +
                     std::to_string(static_cast<int>(move)) + ", " +
                     std::to_string(devices.size()) + " devices");
        CudaOptions options;
        options.devices = devices;
        options.device_memory = device_memory;
        const Context ctx = Context::cuda(options);
        ResidencyOptions residency;
        residency.kind = ResidencyOptions::Kind::Stream;
        residency.paging.page_move = move;
        const Graph graph = load(ctx, path, residency);
        const PagerankResult ranks = pagerank(ctx, graph, ranking);
        verify_pagerank(host, whole, ranking, ranks);
        const BfsResult found = bfs(ctx, graph, {{5}});
        EXPECT_TRUE(std::equal(found.depth.begin(), found.depth.end(), depths.depth.begin()));
        EXPECT_EQ(found.report.link.disk.bytes, 0u);
        const HostMemoryReport report = host_memory_of(graph);
        EXPECT_EQ(report.ways(), std::vector<std::string>{"file"});
        EXPECT_EQ(report.bytes(), 2 * whole.edges() * sizeof(VertexId));
        EXPECT_EQ(ctx.host_memory()->limit(), MemoryPool::kUnlimited);
      }
}

}  // namespace
}  // namespace fathom
