// Questions in bulk about graphs that change in the memory of a GPU, asked from either memory.
// Skipped without a device.
#include <cmath>

#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kAsked = 3000;

template <class T>
Array<T> copied_to(const Context& ctx, const std::vector<T>& values) {
  Array<T> copy(values.size(), ctx.devices()[0].memory());
  ctx.copy(copy.data(), values.data(), values.size() * sizeof(T));
  return copy;
}

template <class T>
std::vector<T> copied_back(const Context& ctx, const Array<T>& values) {
  std::vector<T> copy(values.size());
  ctx.copy(copy.data(), values.data(), copy.size() * sizeof(T));
  return copy;
}

std::vector<Edge> random_questions(std::size_t n) {
  zoo::Dice dice(12);
  std::vector<Edge> edges(n);
  for (Edge& e : edges) e = {dice.roll(kAsked), dice.roll(40)};
  return edges;
}

class GpuQueries : public GpuDynamic {
 protected:
  std::vector<EdgeUpdate> updates() const {
    zoo::Dice dice(11);
    std::vector<EdgeUpdate> all;
    for (int i = 0; i < 40000; ++i)
      all.push_back({dice.roll(kAsked), dice.roll(40), static_cast<Weight>(i), false});
    return all;
  }
};

TEST_P(GpuQueries, AnswersInEitherMemoryAreThoseOfTheHost) {
  const Context host = Context::cpu();
  DynamicGraphOptions wanted = options();
  wanted.edges = EdgeKind::Semantic;
  DynamicGraph graph(ctx(), wanted), twin(host, wanted);
  const std::vector<EdgeUpdate> edges_in = updates();
  std::vector<EdgeFields> said;
  for (std::uint64_t i = 0; i < edges_in.size(); ++i)
    said.push_back({static_cast<std::uint32_t>(i), i << 33, ~i});
  graph.apply({kAsked, edges_in, {}, false, said});
  twin.apply({kAsked, edges_in, {}, false, said});
  // More than what is copied by a single thread.
  const std::vector<Edge> edges = random_questions(200000);
  std::vector<VertexId> sources;
  for (const Edge& e : edges) sources.push_back(e.source);
  const auto has = twin.has_edges(edges);
  const auto weights = twin.weights(edges);
  const auto same_weights = [&](const std::vector<Weight>& found) {
    return std::ranges::equal(found, weights, [](Weight a, Weight b) {
      return a == b || (std::isnan(a) && std::isnan(b));
    });
  };
  EXPECT_GT(std::ranges::count(has, 1), 1000);
  EXPECT_GT(std::ranges::count(has, 0), 1000);
  EXPECT_EQ(graph.has_edges(edges), has);
  EXPECT_TRUE(same_weights(graph.weights(edges)));
  const auto fields = twin.fields(edges);
  EXPECT_EQ(graph.fields(edges), fields);
  EXPECT_EQ(graph.degrees(sources), twin.degrees(sources));

  const auto memory = ctx().devices()[0].memory();
  const Array<Edge> asked = copied_to(ctx(), edges);
  const Array<VertexId> asked_sources = copied_to(ctx(), sources);
  Array<std::uint8_t> has_there(edges.size(), memory);
  Array<Weight> weights_there(edges.size(), memory);
  Array<EdgeId> degrees_there(edges.size(), memory);
  graph.has_edges_on_device(asked.span(), has_there.span());
  graph.weights_on_device(asked.span(), weights_there.span());
  graph.degrees_on_device(asked_sources.span(), degrees_there.span());
  Array<EdgeFields> fields_there(edges.size(), memory);
  graph.fields_on_device(asked.span(), fields_there.span());
  EXPECT_EQ(copied_back(ctx(), fields_there), fields);
  EXPECT_EQ(copied_back(ctx(), has_there), has);
  EXPECT_TRUE(same_weights(copied_back(ctx(), weights_there)));
  EXPECT_EQ(copied_back(ctx(), degrees_there), twin.degrees(sources));
}

TEST_P(GpuQueries, TheFirstQuestionAboutAVertexOutOfRangeIsNamed) {
  DynamicGraph graph(ctx(), options());
  graph.apply({kAsked, updates(), {}});
  std::vector<Edge> edges = random_questions(1000);
  edges[700] = {5, kAsked + 7};
  edges[900] = {kAsked + 9, 5};
  std::vector<VertexId> vertices(1000, 1);
  vertices[300] = kAsked;
  const auto refused = [](const std::string& vertex, const auto& ask) {
    expect_error(ErrorCode::Usage, ask, "vertex " + vertex + " was asked about");
  };
  refused("3007", [&] { graph.has_edges(edges); });
  refused("3007", [&] { graph.weights(edges); });
  refused("3007", [&] { graph.fields(edges); });
  refused("3000", [&] { graph.degrees(vertices); });
  const auto memory = ctx().devices()[0].memory();
  const Array<Edge> asked = copied_to(ctx(), edges);
  const Array<VertexId> asked_vertices = copied_to(ctx(), vertices);
  Array<std::uint8_t> has(edges.size(), memory), too_few(10, memory);
  Array<EdgeId> degrees(vertices.size(), memory);
  refused("3007", [&] { graph.has_edges_on_device(asked.span(), has.span()); });
  refused("3000", [&] { graph.degrees_on_device(asked_vertices.span(), degrees.span()); });
  expect_error(
      ErrorCode::Usage, [&] { graph.has_edges_on_device(asked.span(), too_few.span()); },
      "1000 questions do not have 10 answers");
  const Context host = Context::cpu();
  const DynamicGraph on_host(host, small());
  expect_error(
      ErrorCode::Usage, [&] { on_host.has_edges_on_device(asked.span(), has.span()); },
      "host memory");
}

INSTANTIATE_TEST_SUITE_P(Layouts, GpuQueries,
                         ::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                           DynamicLayoutKind::Aim),
                         [](const auto& param) { return name_of_layout(param.param); });

}  // namespace
}  // namespace fathom::testing
