// The bytes that the lists of a graph that changes come to.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "fathom/dynamic_graph.hpp"
#include "fathom/generate/generate.hpp"

namespace fathom::testing {
namespace {

/// Bytes over those of a CSR whose lists have room for a power of two of entries.
double footprint(const generate::Spec& spec) {
  const generate::Generator generator(spec);
  const Context ctx = Context::cpu();
  std::vector<Edge> edges(static_cast<std::size_t>(generator.edges()));
  generator.fill(0, edges);
  DynamicGraphOptions options;
  options.directed = false;
  options.most_vertices = 1u << 20;
  DynamicGraph built(ctx, options);
  std::vector<EdgeUpdate> updates;
  for (const Edge& e : edges)
    if (e.source != e.target) updates.push_back(EdgeUpdate::insert(e.source, e.target));
  built.apply({.new_vertices = generator.vertices(), .edges = updates});
  const Csr csr = built.to_csr();
  std::uint64_t rounded = csr.offset.size() * sizeof(EdgeId);
  for (VertexId v = 0; v < csr.vertices(); ++v)
    if (const EdgeId degree = csr.offset[v + 1] - csr.offset[v]; degree != 0)
      rounded += std::bit_ceil(degree) * sizeof(VertexId);
  const DynamicMemory memory = DynamicGraph(ctx, csr.view(), nullptr, options).memory();
  EXPECT_EQ(built.memory().page_bytes, memory.page_bytes) << "batches need other pages";
  return static_cast<double>(memory.page_bytes + memory.record_bytes) /
         static_cast<double>(rounded);
}

TEST(Footprint, is_that_of_a_csr_with_lists_of_powers_of_two) {
  generate::Spec road, grid, uniform, rmat;
  road.kind = generate::Kind::Road;
  grid.kind = generate::Kind::Grid;
  uniform.kind = generate::Kind::Uniform;
  road.scale = uniform.scale = rmat.scale = 12;
  grid.rows = grid.columns = 64;
  uniform.edge_factor = 4;
  rmat.edge_factor = 8;
  for (const generate::Spec& spec : {road, grid, uniform, rmat}) {
    const double times = footprint(spec);
    EXPECT_LE(times, 1.15) << name_of(spec.kind);
    ::testing::Test::RecordProperty(std::string(name_of(spec.kind)), std::to_string(times));
  }
}

}  // namespace
}  // namespace fathom::testing
