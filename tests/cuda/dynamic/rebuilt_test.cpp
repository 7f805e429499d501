// Graphs in the memory of a GPU that are made anew in it. Skipped without a device.
#include <gtest/gtest.h>

#include <span>

#include "fathom/fathom.hpp"
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::testing {
namespace {

DynamicGraphOptions with_host_pages(DynamicGraphOptions options) {
  options.allocator = PageAllocator::Pool;
  return options;
}

/// With gaps among its vertices, several edges of a pair, and lists that have moved about.
DynamicGraph some_graph_on(const Context& ctx, const DynamicGraphOptions& options,
                           VertexId vertices) {
  DynamicGraph graph(ctx, options);
  zoo::Dice dice(3);
  std::vector<EdgeUpdate> updates;
  std::vector<EdgeFields> fields;
  for (std::uint32_t i = 0; i < 20 * vertices; ++i) {
    updates.push_back({20 + dice.roll(static_cast<std::uint32_t>(vertices) - 20),
                       20 + dice.roll(static_cast<std::uint32_t>(vertices) - 20),
                       static_cast<Weight>(dice.roll(9)), dice.roll(4) == 0});
    fields.push_back(some_fields(i));
  }
  const std::vector<VertexId> gone{3, 17, 11};
  const std::size_t half = updates.size() / 2;
  graph.apply({vertices, {}, gone});
  for (const std::size_t first : {std::size_t{0}, half})
    graph.apply({0,
                 std::span(updates).subspan(first, half),
                 {},
                 false,
                 std::span(fields).subspan(first, half)});
  return graph;
}

TEST_P(GpuDynamic, GraphsThatAreRebuiltThereAreTheSameInEveryLayoutAndGoOn) {
  constexpr VertexId kVertices = 2000;
  const Context host = Context::cpu(), other = small_gpu();
  for (const EdgeKind kind : {EdgeKind::Simple, EdgeKind::Weighted, EdgeKind::Semantic})
    for (const DynamicLayoutKind to :
         {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim})
      for (const bool directed : {true, false}) {
        SCOPED_TRACE(name_of_layout(to) + (directed ? " directed" : " undirected"));
        DynamicGraphOptions wanted = options();
        wanted.edges = kind;
        wanted.directed = directed;
        wanted.duplicates = DuplicatePolicy::Keep;
        const DynamicGraph graph = some_graph_on(ctx(), wanted, kVertices);
        const DynamicGraph before = graph.rebuilt(host, wanted);  // of the pool
        wanted.layout = to;
        wanted.structure_of_arrays = true;
        wanted.allocator = to == DynamicLayoutKind::Faim ? PageAllocator::VLP : PageAllocator::Pool;
        for (const Context* where : {&ctx(), &other}) {
          DynamicGraph made = graph.rebuilt(*where, wanted);
          EXPECT_EQ(made.edges(), graph.edges());
          EXPECT_EQ(made.next_vertices(5), graph.next_vertices(5));
          const DynamicGraph back = made.rebuilt(host, with_host_pages(wanted));
          for (const bool in : {false, true})
            for (VertexId v = 0; directed || !in ? v < kVertices : false; ++v)
              ASSERT_EQ(entries_of(back.lists(in), v), entries_of(before.lists(in), v)) << v;
          // Vertices that were gone still are.
          const std::vector<EdgeUpdate> wrong{EdgeUpdate::insert(20, 17)};
          expect_error(ErrorCode::Usage, [&] { made.apply({0, wrong, {}}); });
          DynamicGraph twin = back.rebuilt(host, with_host_pages(wanted));
          const std::vector<EdgeUpdate> more{EdgeUpdate::remove(20, 21), EdgeUpdate::insert(22, 21),
                                             EdgeUpdate::insert(1999, 20)};
          for (DynamicGraph* g : {&made, &twin}) g->apply({0, more, {}});
          expect_equal(made.to_csr(), twin.to_csr());
        }
      }
}

TEST_P(GpuDynamic, GraphsThatAreRebuiltOnTheirGpuNeedNoHostMemory) {
  CudaOptions cuda;
  cuda.device_memory = std::size_t{1} << 30;
  cuda.host_memory = std::size_t{4} << 20;  // for updates; all targets take 8 MB
  const Context tight = Context::cuda(cuda);
  constexpr VertexId kVertices = 100000;
  DynamicGraphOptions wanted = options();
  wanted.in_edges = false;
  DynamicGraph graph(tight, wanted);
  graph.apply({kVertices, {}, {}});
  for (VertexId k = 1; k <= 20; ++k) {
    std::vector<EdgeUpdate> updates;
    for (VertexId v = 0; v < kVertices; ++v)
      updates.push_back(EdgeUpdate::insert(v, (v * 7 + k * k) % kVertices));
    graph.apply({0, updates, {}});
  }
  expect_error(ErrorCode::DoesNotFit, [&] { graph.to_csr(); });
  for (const DynamicLayoutKind to : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim}) {
    wanted.layout = to;
    const DynamicGraph made = graph.rebuilt(tight, wanted);
    EXPECT_EQ(made.edges(), graph.edges());
    const std::vector<Edge> asked{{0, 1}, {5, 36}, {5, 37}};
    EXPECT_EQ(made.has_edges(asked), graph.has_edges(asked));
  }
}

}  // namespace
}  // namespace fathom::testing
