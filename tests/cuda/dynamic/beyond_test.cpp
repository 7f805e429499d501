// Graphs that change and that a GPU's budget has no room for: pages in host memory, within both
// budgets, and the same lists and results.
#include <gtest/gtest.h>

#include "fathom/generate/generate.hpp"
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

Context gpu_of(std::size_t device, std::size_t host = MemoryPool::kUnlimited) {
  CudaOptions options;
  options.device_memory = device;
  options.host_memory = host;
  return Context::cuda(options);
}

DynamicGraphOptions roomy(DynamicLayoutKind layout, PageAllocator allocator) {
  DynamicGraphOptions wanted;
  wanted.layout = layout;
  wanted.allocator = allocator;
  wanted.memory = std::size_t{1} << 30;
  wanted.most_vertices = 1u << 20;
  return wanted;
}

/// Lists of 1 to 64 edges, and a few of thousands.
std::vector<EdgeUpdate> edges_of(VertexId vertices, std::uint64_t seed) {
  zoo::Dice dice(seed);
  std::vector<EdgeUpdate> updates;
  for (VertexId u = 0; u < vertices; ++u) {
    const std::uint32_t degree = u % 5000 == 7 ? 20000 : 1 + dice.roll(64);
    for (std::uint32_t i = 0; i < degree; ++i)
      updates.push_back(EdgeUpdate::insert(u, dice.roll(static_cast<std::uint32_t>(vertices))));
  }
  return updates;
}

class GpuBeyond : public ::testing::TestWithParam<std::tuple<DynamicLayoutKind, PageAllocator>> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
  static DynamicGraphOptions options() {
    return roomy(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};

INSTANTIATE_TEST_SUITE_P(
    Pages, GpuBeyond,
    ::testing::Combine(::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                         DynamicLayoutKind::Aim),
                       ::testing::Values(PageAllocator::Pool, PageAllocator::SP, PageAllocator::VAC,
                                         PageAllocator::VLP)),
    [](const auto& param) {
      return name_of_layout(std::get<0>(param.param)) + "_" +
             name_of_allocator(std::get<1>(param.param));
    });

TEST_P(GpuBeyond, BatchesGoOnInHostMemoryAndListsAndResultsAreTheSame) {
  constexpr VertexId kVertices = 60000;
  const Context ctx = gpu_of(48 * kMiB), host = Context::cpu();
  DynamicGraphOptions wanted = options(), plain = roomy(wanted.layout, PageAllocator::Pool);
  DynamicGraph graph(ctx, wanted), other(host, plain);
  const auto all = edges_of(kVertices, 3);
  constexpr std::size_t kBatch = 40000;
  for (std::size_t at = 0; at < all.size(); at += kBatch) {
    const auto part = std::span(all).subspan(at, std::min(kBatch, all.size() - at));
    const VertexId fresh = at == 0 ? kVertices : 0;
    expect_same_report(graph.apply({.new_vertices = fresh, .edges = part}),
                       other.apply({.new_vertices = fresh, .edges = part}));
    ASSERT_FALSE(HasFailure());
  }
  const DynamicMemory memory = graph.memory();
  EXPECT_GT(memory.host_bytes, 4 * kMiB);
  EXPECT_LE(ctx.devices()[0].memory()->peak(), 48 * kMiB);
  EXPECT_GE(ctx.host_memory()->used(), memory.host_bytes);
  expect_equal(graph.to_csr(), other.to_csr());
  const VertexId source = 7;
  EXPECT_TRUE(std::ranges::equal(bfs(ctx, graph.graph(), {&source, 1}).depth,
                                 bfs(host, other.graph(), {&source, 1}).depth));
  // Lists shrink and go again, wherever they are.
  std::vector<EdgeUpdate> gone(all.begin(),
                               all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  for (EdgeUpdate& e : gone) e.deletion = true;
  for (std::size_t at = 0; at < gone.size(); at += kBatch) {
    const auto part = std::span(gone).subspan(at, std::min(kBatch, gone.size() - at));
    expect_same_report(graph.apply({.edges = part}), other.apply({.edges = part}));
  }
  expect_equal(graph.to_csr(), other.to_csr());
}

TEST_P(GpuBeyond, AGraphStartsBeyondTheDevicesMemory) {
  constexpr VertexId kVertices = 60000;
  const Context ctx = gpu_of(32 * kMiB), host = Context::cpu();
  DynamicGraph made(host, roomy(DynamicLayoutKind::Ouro, PageAllocator::Pool));
  const auto all = edges_of(kVertices, 4);
  made.apply({.new_vertices = kVertices, .edges = all});
  const Csr csr = made.to_csr();
  const DynamicGraph graph(ctx, csr.view(), nullptr, options());
  EXPECT_GT(graph.memory().host_bytes, 2 * kMiB);
  EXPECT_LE(ctx.devices()[0].memory()->peak(), 32 * kMiB);
  expect_equal(graph.to_csr(), csr);
}

TEST_P(GpuBeyond, WithoutHostMemoryBatchesAreRefusedWholeAndBothBudgetsAreKept) {
  constexpr VertexId kVertices = 40000;
  const auto all = edges_of(kVertices, 5);
  for (const bool host_pages : {false, true}) {
    const Context ctx = gpu_of(24 * kMiB, host_pages ? 24 * kMiB : MemoryPool::kUnlimited);
    DynamicGraphOptions wanted = options();
    wanted.host_pages = host_pages;
    wanted.page_bytes = 4096;  // of linked ones: a multiple of what there is
    DynamicGraph graph(ctx, wanted);
    constexpr std::size_t kBatch = 20000;
    graph.apply({.new_vertices = kVertices, .edges = std::span(all).first(kBatch / 8)});
    bool refused = false;
    for (std::size_t at = 0; !refused && at < all.size(); at += kBatch) {
      const auto part = std::span(all).subspan(at, std::min(kBatch, all.size() - at));
      const EdgeId before = graph.edges();
      const std::size_t pages = graph.memory().page_bytes;
      try {
        graph.apply({.edges = part});
      } catch (const Error& e) {
        ASSERT_EQ(e.code(), ErrorCode::DoesNotFit) << e.what();
        EXPECT_EQ(graph.edges(), before);
        EXPECT_EQ(graph.memory().page_bytes, pages);
        refused = true;
      }
    }
    EXPECT_TRUE(refused || wanted.layout == DynamicLayoutKind::Ouro);
    if (wanted.layout == DynamicLayoutKind::Ouro) {
      EXPECT_EQ(graph.memory().host_bytes != 0, host_pages);
    }
    EXPECT_LE(ctx.devices()[0].memory()->peak(), 24 * kMiB);
    if (host_pages) {
      EXPECT_LE(ctx.host_memory()->peak(), 24 * kMiB);
    }
  }
}

TEST(GpuBeyondPool, AlgorithmsThatComparePairsOfListsRun) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  constexpr VertexId kVertices = 60000;
  const Context ctx = gpu_of(24 * kMiB), host = Context::cpu();
  DynamicGraphOptions wanted = roomy(DynamicLayoutKind::Ouro, PageAllocator::Pool);
  wanted.directed = false;
  DynamicGraph graph(ctx, wanted), other(host, wanted);
  const auto all = edges_of(kVertices, 8);
  for (DynamicGraph* g : {&graph, &other}) {
    g->apply({.new_vertices = kVertices});
    constexpr std::size_t kBatch = 20000;
    for (std::size_t at = 0; at < all.size(); at += kBatch)
      g->apply({.edges = std::span(all).subspan(at, std::min(kBatch, all.size() - at))});
  }
  EXPECT_GT(graph.memory().host_bytes, 0u);
  EXPECT_EQ(count_triangles(ctx, graph.graph()).total, count_triangles(host, other.graph()).total);
  EXPECT_LE(ctx.devices()[0].memory()->peak(), 24 * kMiB);
}

TEST(GpuBeyondPool, TheShortListsAreTheDevices) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  constexpr VertexId kVertices = 60000;
  const Context ctx = gpu_of(32 * kMiB), host = Context::cpu();
  const DynamicGraphOptions wanted = roomy(DynamicLayoutKind::Ouro, PageAllocator::Pool);
  DynamicGraph made(host, wanted);
  made.apply({.new_vertices = kVertices, .edges = edges_of(kVertices, 6)});
  const Csr csr = made.to_csr();
  const DynamicGraph graph(ctx, csr.view(), nullptr, wanted);
  ASSERT_GT(graph.memory().host_bytes, 0u);
  std::vector<DynamicRecord> record(kVertices);
  ctx.copy(record.data(), graph.lists().record, record.size() * sizeof(DynamicRecord));
  // Pages in host memory come from the end of the region.
  std::uint32_t shortest = ~0u, lists = 0;
  const auto middle = static_cast<std::uint32_t>(wanted.memory / kDynamicUnit / 2);
  for (const DynamicRecord& its : record)
    if (const DynamicList l = graph.lists().layout.list(its); l.page >= middle) {
      shortest = std::min(shortest, l.capacity);
      ++lists;
    }
  EXPECT_GT(lists, 0u);
  EXPECT_GE(shortest, 64u);
}

/// CUDA's heap falls to pieces.
class GpuLargePages : public ::testing::TestWithParam<PageAllocator> {};

INSTANTIATE_TEST_SUITE_P(Each, GpuLargePages,
                         ::testing::Values(PageAllocator::Pool, PageAllocator::SP,
                                           PageAllocator::SC, PageAllocator::VAP,
                                           PageAllocator::VAC, PageAllocator::VLP,
                                           PageAllocator::VLC),
                         [](const auto& param) { return name_of_allocator(param.param); });

TEST_P(GpuLargePages, ComeOnceArenasAreThere) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = small_gpu();
  constexpr VertexId kVertices = 700000;
  DynamicGraphOptions wanted = small();
  wanted.allocator = GetParam();
  wanted.in_edges = false;
  DynamicGraph graph(ctx, wanted);
  const Context host = Context::cpu();
  DynamicGraph other(host, small({.in_edges = false}));
  std::vector<EdgeUpdate> small_lists;
  for (VertexId u = 0; u < kVertices / 7; ++u)
    for (VertexId k = 1; k <= 1 + u % 9; ++k)
      small_lists.push_back(EdgeUpdate::insert(u, (u + k * k) % kVertices));
  for (DynamicGraph* g : {&graph, &other}) g->apply({kVertices, small_lists, {}});
  for (VertexId hub = 0; hub < 4; ++hub) {
    std::vector<EdgeUpdate> its;
    for (VertexId v = 0; v < 300000 + 90000 * hub; ++v) its.push_back(EdgeUpdate::insert(hub, v));
    for (DynamicGraph* g : {&graph, &other}) g->apply({0, its, {}});
  }
  expect_equal(graph.to_csr(), other.to_csr());
}

}  // namespace
}  // namespace fathom::testing
