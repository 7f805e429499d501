// Batches of graphs that change in the memory of a GPU, by size, shape and place, against the same
// graph in host memory; and how long they take. Skipped without a device.

#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

TEST_P(GpuDynamic, LargeBatchesGiveWhatTheHostGives) {
  const Context host = Context::cpu();
  constexpr VertexId kVertices = 1u << 17;
  DynamicGraphOptions wanted = options();
  wanted.memory = std::size_t{1} << 30;
  wanted.edges = EdgeKind::Weighted;
  DynamicGraph graph(ctx(), wanted), twin(host, wanted);
  zoo::Dice dice(3);
  for (int b = 0; b < 6; ++b) {
    std::vector<EdgeUpdate> updates;
    for (int i = 0; i < 300000; ++i) {
      // Some of a few hubs, whose lists are longer than a warp takes at a time.
      const VertexId u = i % 16 == 0 ? dice.roll(4) : dice.roll(kVertices);
      updates.push_back({u, dice.roll(kVertices), static_cast<Weight>(dice.roll(100)),
                         b > 0 && dice.roll(2) == 0});
    }
    // What was there before goes, for real deletions.
    if (b > 0) {
      const Csr now = twin.to_csr();
      for (VertexId v = 0; v < kVertices; v += 3)
        for (EdgeId e = now.offset[v]; e < now.offset[v + 1]; e += 2)
          updates.push_back(EdgeUpdate::remove(v, now.target[e]));
    }
    const VertexId fresh = b == 0 ? kVertices : 0;
    expect_same_report(graph.apply({fresh, updates, {}}), twin.apply({fresh, updates, {}}));
    expect_equal(graph.to_csr(), twin.to_csr());
    EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(GpuDynamic, PathologicalBatchesGiveWhatTheHostGives) {
  const Context host = Context::cpu();
  for (const DuplicatePolicy policy :
       {DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite, DuplicatePolicy::Keep}) {
    DynamicGraphOptions wanted = options();
    wanted.duplicates = policy;
    wanted.edges = EdgeKind::Weighted;
    DynamicGraph graph(ctx(), wanted), twin(host, wanted);
    constexpr VertexId kVertices = 30000;
    std::vector<EdgeUpdate> hub, same, loops, undo;
    for (VertexId v = 0; v < kVertices; ++v) {
      hub.push_back(EdgeUpdate::insert(5, v, static_cast<Weight>(v)));
      same.push_back({7, 8, static_cast<Weight>(v), false});
      loops.push_back(EdgeUpdate::insert(v, v));
      undo.push_back(EdgeUpdate::remove(5, v));
    }
    const auto both = [&](VertexId fresh, const std::vector<EdgeUpdate>& updates) {
      expect_same_report(graph.apply({fresh, updates, {}}), twin.apply({fresh, updates, {}}));
      expect_equal(graph.to_csr(), twin.to_csr());
      EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
    };
    both(0, {});
    both(kVertices, {});
    both(0, hub);
    both(0, same);
    both(0, same);
    both(0, loops);
    both(0, hub);
    both(0, undo);
    both(0, {});
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(GpuDynamic, InsertionsAndDeletionsOfTheSameEdgesReuseTheirMemoryAndWaitOnce) {
  DynamicGraph graph(ctx(), options());
  std::vector<EdgeUpdate> in, out;
  for (VertexId u = 0; u < 20000; ++u)
    for (VertexId k = 1; k <= 1 + u % 40; ++k) {
      in.push_back(EdgeUpdate::insert(u, (u + k * k) % 20000));
      out.push_back(EdgeUpdate::remove(u, (u + k * k) % 20000));
    }
  graph.apply({20000, in, {}});
  const std::size_t most = graph.memory().reserved_bytes;
  for (int round = 0; round < 30; ++round) {
    EXPECT_EQ(graph.apply({0, out, {}}).waits, 1u);
    EXPECT_EQ(graph.edges(), 0u);
    if (GetParam() != DynamicLayoutKind::Aim) {
      EXPECT_EQ(graph.memory().page_bytes, 0u);
    }
    EXPECT_EQ(graph.apply({0, in, {}}).waits, 1u);
  }
  EXPECT_EQ(graph.memory().reserved_bytes, most);
}

TEST_P(GpuDynamic, SemanticUpdatesInItsMemoryMayChangeAsSoonAsTheBatchIsApplied) {
  const Context host = Context::cpu(), other = small_gpu();  // whose copies wait for no kernel here
  constexpr VertexId kVertices = 20000;
  constexpr std::size_t kUpdates = 200000;
  for (const bool directed : {true, false}) {
    DynamicGraphOptions wanted = options();
    wanted.edges = EdgeKind::Semantic;
    wanted.duplicates = DuplicatePolicy::Overwrite;
    wanted.directed = directed;
    DynamicGraph graph(ctx(), wanted), twin(host, wanted);
    zoo::Dice dice(11);
    const auto& memory = ctx().devices()[0].memory();
    Array<EdgeUpdate> there(kUpdates, memory);
    Array<EdgeFields> their_fields(kUpdates, memory);
    for (int b = 0; b < 4; ++b) {
      std::vector<EdgeUpdate> updates;
      std::vector<EdgeFields> fields;
      for (std::uint32_t i = 0; i < kUpdates; ++i) {
        const VertexId u = i % 16 == 0 ? dice.roll(4) : dice.roll(kVertices);
        updates.push_back(
            {u, dice.roll(kVertices), static_cast<Weight>(dice.roll(9)), dice.roll(4) == 0});
        fields.push_back({i, std::uint64_t{i} << 33, ~std::uint64_t{dice.roll(1u << 30)}});
      }
      const auto upload = [&](const Context& by) {
        by.copy(there.data(), updates.data(), kUpdates * sizeof(EdgeUpdate));
        by.copy(their_fields.data(), fields.data(), kUpdates * sizeof(EdgeFields));
      };
      const VertexId fresh = b == 0 ? kVertices : 0;
      const BatchReport known = twin.apply({fresh, updates, {}, false, fields});
      if (b % 2 == 0) {
        upload(ctx());
        expect_same_report(
            graph.apply(
                {fresh, {there.data(), kUpdates}, {}, true, {their_fields.data(), kUpdates}}),
            known);
        updates.assign(kUpdates, {});
        fields.assign(kUpdates, {});
        upload(other);
      } else {
        expect_same_report(graph.apply({fresh, updates, {}, false, fields}), known);
      }
      Array<EdgeFields> found, expected;
      expect_equal(graph.to_csr(&found), twin.to_csr(&expected));
      EXPECT_TRUE(std::ranges::equal(found, expected));
      EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_P(GpuDynamic, OneSnapshotOverManyBatchesTakesNoMoreMemory) {
  DynamicGraph graph(ctx(), options());
  std::vector<EdgeUpdate> in, out;
  for (VertexId u = 0; u < 2000; ++u)
    for (VertexId k = 1; k <= 40; ++k) {
      in.push_back(EdgeUpdate::insert(u, (u + k) % 2000));
      if (k > 3) out.push_back(EdgeUpdate::remove(u, (u + k) % 2000));
    }
  graph.apply({2000, in, {}});
  const Csr before = graph.to_csr();
  const Snapshot snapshot = graph.snapshot();
  std::size_t used = 0;
  for (int round = 0; round < 100; ++round) {
    graph.apply({0, out, {}});
    graph.apply({0, in, {}});
    if (round == 3) used = ctx().devices()[0].memory()->used();
  }
  EXPECT_EQ(ctx().devices()[0].memory()->used(), used);
  expect_equal(graph.to_csr(), before);
  EXPECT_EQ(snapshot.edges(), before.target.size());
}

TEST_P(GpuDynamic, VerticesThatAreDeletedOverAndOverAreDeletedOnce) {
  constexpr VertexId kVertices = 40000;
  DynamicGraph graph(ctx(), options());
  std::vector<EdgeUpdate> hub;
  for (VertexId v = 1; v < kVertices; ++v) hub.push_back(EdgeUpdate::insert(0, v));
  graph.apply({kVertices, hub, {}});
  const std::vector<VertexId> gone(kVertices, 0);
  const BatchReport report = graph.apply({0, {}, gone});
  EXPECT_EQ(report.removed, kVertices - 1);
  EXPECT_EQ(report.waits, 2u);
  EXPECT_EQ(graph.edges(), 0u);
  EXPECT_EQ(graph.existing_vertices(), kVertices - 1);
}

TEST_P(GpuDynamic, MoreVerticesThanThereMayBeAreRefused) {
  DynamicGraphOptions wanted = options();
  wanted.most_vertices = 10;
  DynamicGraph graph(ctx(), wanted);
  graph.apply({8, {}, {}});
  for (const VertexId fresh : {VertexId{3}, kNoVertex - 8, kNoVertex})
    expect_error(
        ErrorCode::DoesNotFit,
        [&] {
          graph.apply({fresh, {}, {}});
        },
        "at most 10 vertices");
  EXPECT_EQ(graph.vertices(), 8u);
}

Array<EdgeUpdate> on_device(const Context& ctx, const std::vector<EdgeUpdate>& updates) {
  Array<EdgeUpdate> copy(updates.size(), ctx.devices()[0].memory());
  ctx.copy(copy.data(), updates.data(), updates.size() * sizeof(EdgeUpdate));
  return copy;
}

TEST_P(GpuDynamic, UpdatesInDeviceMemoryDoWhatTheyDoInHostMemory) {
  const Context host = Context::cpu();
  constexpr VertexId kVertices = 5000;
  for (const bool directed : {false, true}) {
    DynamicGraphOptions wanted = options();
    wanted.directed = directed;
    wanted.edges = EdgeKind::Weighted;
    DynamicGraph graph(ctx(), wanted), twin(host, wanted);
    zoo::Dice dice(8);
    for (int b = 0; b < 4; ++b) {
      std::vector<EdgeUpdate> updates;
      for (int i = 0; i < 30000; ++i) {
        const VertexId u = dice.roll(kVertices);
        const VertexId v = dice.roll(10) == 0 ? u : dice.roll(kVertices);
        updates.push_back({u, v, static_cast<Weight>(i), dice.roll(3) == 0});
      }
      const Array<EdgeUpdate> copy = on_device(ctx(), updates);
      const VertexId fresh = b == 0 ? kVertices : 0;
      const BatchReport report = graph.apply({fresh, copy.span(), {}, true});
      expect_same_report(report, twin.apply({fresh, updates, {}}));
      EXPECT_LE(report.waits, directed ? 3u : 4u);
      expect_equal(graph.to_csr(), twin.to_csr());
    }
    const std::vector<EdgeUpdate> one{EdgeUpdate::insert(0, 1)};
    expect_error(
        ErrorCode::Usage,
        [&] {
          twin.apply({0, one, {}, true});
        },
        "host memory");
  }
}

TEST_P(GpuDynamic, TheFirstUpdateOfAVertexThatDoesNotExistIsNamed) {
  DynamicGraphOptions wanted = options();
  for (const bool directed : {false, true}) {
    wanted.directed = directed;
    DynamicGraph graph(ctx(), wanted);
    std::vector<EdgeUpdate> one{EdgeUpdate::insert(0, 0)};
    const auto refused = [&](VertexId fresh, const std::vector<EdgeUpdate>& updates,
                             const std::string& what, const std::vector<VertexId>& gone = {}) {
      const Array<EdgeUpdate> copy = on_device(ctx(), updates);
      expect_error(
          ErrorCode::Usage,
          [&] {
            graph.apply({fresh, updates, gone});
          },
          what);
      expect_error(
          ErrorCode::Usage,
          [&] {
            graph.apply({fresh, copy.span(), gone, true});
          },
          what);
    };
    refused(0, one, "update 0 of the batch names vertex 0,");
    graph.apply({100, {}, {}});
    std::vector<EdgeUpdate> many(70000, EdgeUpdate::insert(3, 4));
    graph.apply({0, many, {}});
    const Csr before = graph.to_csr();
    many[60000] = EdgeUpdate::insert(5, 100);
    many[50001] = EdgeUpdate::remove(kNoPage - 1, kNoPage - 1);
    refused(0, many, "update 50001 of the batch names vertex 4294967294,");
    many[50000] = EdgeUpdate::insert(5, 107);
    refused(7, many, "update 50000 of the batch names vertex 107,");
    refused(0, {EdgeUpdate::insert(0, 1), EdgeUpdate::insert(101, 1)}, "update 1 of");
    expect_equal(graph.to_csr(), before);
    const std::vector<VertexId> gone{7, 9};
    graph.apply({0, {}, gone});
    refused(0, {EdgeUpdate::insert(9, 1)}, "update 0 of the batch names vertex 9,");
    // An index that comes back in a batch that is refused does not exist afterwards.
    refused(1, {EdgeUpdate::insert(9, 1), EdgeUpdate::insert(7, 1)}, "update 1 of");
    refused(0, {EdgeUpdate::insert(1, 9)}, "update 0 of the batch names vertex 9,");
    const std::vector<EdgeUpdate> fine{EdgeUpdate::insert(9, 1), EdgeUpdate::insert(7, 9)};
    EXPECT_EQ(graph.apply({2, fine, {}}).inserted, 2u);
    EXPECT_EQ(graph.vertices(), 100u);
  }
}

TEST_P(GpuDynamic, BatchesOfFewSourcesGiveWhatTheHostGives) {
  const Context host = Context::cpu();
  constexpr VertexId kVertices = 20000;
  for (const DuplicatePolicy policy :
       {DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite, DuplicatePolicy::Keep}) {
    DynamicGraphOptions wanted = options();
    wanted.duplicates = policy;
    wanted.edges = policy != DuplicatePolicy::Ignore ? EdgeKind::Weighted : EdgeKind::Simple;
    wanted.structure_of_arrays = policy == DuplicatePolicy::Keep;
    if (wanted.layout == DynamicLayoutKind::Ouro) {
      wanted.slack = 0.5;
      wanted.shrink_below = 0.25;
    }
    DynamicGraph graph(ctx(), wanted), twin(host, wanted);
    zoo::Dice dice(5);
    for (int b = 0; b < 6; ++b) {
      std::vector<EdgeUpdate> updates;
      const std::uint32_t count = b == 4 ? 300 : 60000;
      for (std::uint32_t i = 0; i < count; ++i) {
        const VertexId u = dice.roll(4) == 0 ? dice.roll(2) : dice.roll(40);
        updates.push_back({u, dice.roll(b % 2 == 0 ? kVertices : 2000), static_cast<Weight>(i),
                           dice.roll(3) == 0});
      }
      const VertexId fresh = b == 0 ? kVertices : 0;
      expect_same_report(graph.apply({fresh, updates, {}}), twin.apply({fresh, updates, {}}));
      expect_equal(graph.to_csr(), twin.to_csr());
      EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
    }
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace fathom::testing
