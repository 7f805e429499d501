// How many links of a graph that changes go both ways, before and after a batch, and once code of
// one's own has answered every link: on the host and in kernels (mutual_friends.cu).
#include "mutual_friends.hpp"

#include <cstdio>
#include <vector>

#include <fathom/fathom.hpp>

#if !defined(FATHOM_WITH_CUDA)
bool gpu_is_there() {
  return false;
}
std::uint64_t mutual_edges_on_gpu(const fathom::DynamicEdges&, fathom::VertexId) {
  return 0;
}
void answer_all_on_gpu(const fathom::LiveLists&) {}
#endif

namespace {

constexpr fathom::VertexId kPeople = 1000;

std::uint64_t count(const fathom::Context& ctx, const fathom::DynamicGraph& graph) {
  const fathom::DynamicEdges lists = graph.lists();
  if (ctx.on_gpu()) return mutual_edges_on_gpu(lists, graph.vertices());
  std::uint64_t sum = 0;
  for (fathom::VertexId v = 0; v < graph.vertices(); ++v) sum += mutual_edges(lists, v);
  return sum;
}

bool show(const char* where, const fathom::Context& ctx) {
  fathom::DynamicGraphOptions options;
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 1 << 20;
  fathom::DynamicGraph graph(ctx, options);
  std::vector<fathom::EdgeUpdate> forth, back;
  for (fathom::VertexId v = 0; v < kPeople; ++v) {
    forth.push_back(fathom::EdgeUpdate::insert(v, (v + 1) % kPeople));
    if (v % 4 == 0) back.push_back(fathom::EdgeUpdate::insert((v + 1) % kPeople, v));
  }
  graph.apply({.new_vertices = kPeople, .edges = forth});
  const std::uint64_t before = count(ctx, graph);
  graph.apply({.edges = back});
  const std::uint64_t after = count(ctx, graph);
  fathom::LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 20});
  if (ctx.on_gpu())
    answer_all_on_gpu(changing.lists());
  else
    for (fathom::VertexId v = 0; v < graph.vertices(); ++v) answer_all(changing.lists(), v);
  const fathom::LiveReport report = changing.finish();
  const std::uint64_t answered = count(ctx, graph);
  std::printf("%s: %llu mutual, then %llu, and with %llu answers %llu\n", where,
              static_cast<unsigned long long>(before), static_cast<unsigned long long>(after),
              static_cast<unsigned long long>(report.inserted),
              static_cast<unsigned long long>(answered));
  return before == 0 && after == 2 * back.size() && answered == 2 * forth.size();
}

}  // namespace

int main() {
  bool right = show("host", fathom::Context::cpu());
  if (gpu_is_there()) right = show("gpu", fathom::Context::cuda()) && right;
  return right ? 0 : 1;
}
