// Weights and types of vertices of a graph that changes in the memory of a GPU. Skipped without a
// device.
#include <numeric>

#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

class GpuVertexFields : public GpuDynamic {};

std::vector<VertexId> all_of(const DynamicGraph& graph) {
  std::vector<VertexId> all(graph.vertices());
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

/// Answers that the GPU reads and writes.
std::vector<VertexFields> asked_there(const Context& ctx, const DynamicGraph& graph,
                                      const std::vector<VertexId>& vertices) {
  const auto memory = ctx.devices()[0].memory();
  Array<VertexId> asked(vertices.size(), memory);
  Array<VertexFields> there(vertices.size(), memory);
  ctx.copy(asked.data(), vertices.data(), vertices.size() * sizeof(VertexId));
  graph.vertex_fields_on_device(asked.span(), there.span());
  std::vector<VertexFields> fields(vertices.size());
  ctx.copy(fields.data(), there.data(), fields.size() * sizeof(VertexFields));
  return fields;
}

TEST_P(GpuVertexFields, AreThoseOfAGraphOnTheHost) {
  const Context host = Context::cpu();
  DynamicGraph graph(ctx(), options()), twin(host, small());
  zoo::Dice dice(5);
  std::optional<Snapshot> shot, twins;
  for (int round = 0; round < 20; ++round) {
    const VertexId fresh = round == 0 ? 1000 : dice.roll(50);
    std::vector<VertexUpdate> said;
    const std::uint32_t statements = round < 2 ? 0 : dice.roll(400);  // with repeats
    std::vector<VertexId> gone;
    for (std::uint32_t i = dice.roll(20); i > 0; --i) gone.push_back(dice.roll(900));
    std::erase_if(gone, [&](VertexId v) { return !twin.exists(v); });
    const std::vector<VertexId> fresh_ones = twin.next_vertices(fresh);
    for (std::uint32_t i = 0; i < statements; ++i) {
      const VertexId v = dice.roll(static_cast<std::uint32_t>(twin.vertices()));
      if (twin.exists(v)) said.push_back({v, {static_cast<Weight>(dice.roll(9)), dice.roll(3)}});
    }
    for (const VertexId v : fresh_ones)
      if (dice.roll(2) == 0 && round > 1) said.push_back({v, {2, dice.roll(7)}});
    for (DynamicGraph* const g : {&graph, &twin})
      g->apply({.new_vertices = fresh, .deleted_vertices = gone, .vertex_updates = said});
    const std::vector<VertexId> all = all_of(twin);
    const std::vector<VertexFields> expected = twin.vertex_fields(all);
    ASSERT_EQ(graph.vertex_fields(all), expected) << round;
    ASSERT_EQ(asked_there(ctx(), graph, all), expected) << round;
    ASSERT_EQ(graph.has_vertex_fields(), twin.has_vertex_fields()) << round;
    if (shot) {
      std::vector<VertexId> then(shot->vertices());
      std::iota(then.begin(), then.end(), VertexId{0});
      ASSERT_EQ(shot->vertex_fields(then), twins->vertex_fields(then)) << round;
      ASSERT_EQ(shot->has_vertex_fields(), twins->has_vertex_fields()) << round;
    }
    if (round % 4 == 1) {
      shot.emplace(graph.snapshot());
      twins.emplace(twin.snapshot());
    }
  }
  EXPECT_TRUE(graph.has_vertex_fields());
}

TEST_P(GpuVertexFields, LieInTheMemoryOfTheGpuAndComeBack) {
  constexpr VertexId kMany = 1u << 20;
  DynamicGraphOptions wanted = options();
  wanted.most_vertices = kMany;
  const auto& memory = ctx().devices()[0].memory();
  const std::size_t before = memory->used();
  {
    DynamicGraph graph(ctx(), wanted);
    graph.apply({.new_vertices = kMany});
    const std::size_t unsaid = graph.memory().record_bytes, used = memory->used();
    const std::vector<VertexUpdate> one{{.vertex = kMany - 1, .fields = {.weight = 3, .type = 4}}};
    graph.apply({.vertex_updates = one});
    const std::size_t more = graph.memory().record_bytes - unsaid;
    EXPECT_GE(more, kMany * sizeof(VertexFields));
    EXPECT_LT(more, kMany * sizeof(VertexFields) * 3 / 2);
    EXPECT_GE(memory->used(), used + more);
    const std::vector<VertexId> asked{0, kMany - 1};
    EXPECT_EQ(asked_there(ctx(), graph, asked), (std::vector<VertexFields>{{}, {3, 4}}));
  }
  EXPECT_EQ(memory->used(), before);
}

TEST_P(GpuVertexFields, ABatchThatIsRefusedSaysNothing) {
  DynamicGraph graph(ctx(), options());
  const std::vector<VertexUpdate> first{{7, {2, 3}}}, second{{7, {4, 5}}, {8, {6, 7}}};
  graph.apply({.new_vertices = 100, .vertex_updates = first});
  const std::vector<EdgeUpdate> bad{EdgeUpdate::insert(1, 100)};
  expect_error(
      ErrorCode::Usage, [&] { graph.apply({.edges = bad, .vertex_updates = second}); }, "100");
  const std::vector<VertexId> asked{7, 8};
  EXPECT_EQ(graph.vertex_fields(asked), (std::vector<VertexFields>{{2, 3}, {}}));
  const std::vector<VertexId> gone{7};
  graph.apply({.deleted_vertices = gone});
  EXPECT_EQ(asked_there(ctx(), graph, asked), (std::vector<VertexFields>(2)));
  expect_error(
      ErrorCode::Usage,
      [&] {
        asked_there(ctx(), graph, {3, 200, 300});
      },
      "vertex 200 was asked about");
}

TEST_P(GpuVertexFields, DoNotFitWhereTheBudgetIsShort) {
  if (GetParam() != DynamicLayoutKind::Ouro) GTEST_SKIP() << "the same for all layouts";
  constexpr VertexId kMany = 1u << 21;
  CudaOptions little;
  little.device_memory = kMany * (sizeof(DynamicRecord) + 1) + (std::size_t{12} << 20);
  const Context short_one = Context::cuda(little);
  DynamicGraphOptions wanted = options();
  wanted.most_vertices = kMany;
  wanted.directed = false;
  DynamicGraph graph(short_one, wanted);
  graph.apply({.new_vertices = kMany});
  const std::vector<VertexUpdate> said{{kMany - 1, {2, 3}}};
  expect_error(
      ErrorCode::DoesNotFit, [&] { graph.apply({.vertex_updates = said}); }, "");
  EXPECT_FALSE(graph.has_vertex_fields());
  const std::vector<EdgeUpdate> edge{EdgeUpdate::insert(0, 1)};
  graph.apply({.edges = edge});
  EXPECT_EQ(graph.edges(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Layouts, GpuVertexFields,
                         ::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim),
                         [](const auto& param) { return name_of_layout(param.param); });

}  // namespace
}  // namespace fathom::testing
