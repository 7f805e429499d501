// Every graph of the zoo, built into a CSR, against the reference's adjacency vectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom::graph {
namespace {

using List = std::vector<std::pair<VertexId, Weight>>;

std::vector<List> lists_of(const CsrView& csr) {
  std::vector<List> lists(csr.vertices);
  for (VertexId v = 0; v < csr.vertices; ++v)
    for (EdgeId e = csr.offset[v]; e < csr.offset[v + 1]; ++e)
      lists[v].emplace_back(csr.target[e], csr.weight ? csr.weight[e] : 1);
  return lists;
}

std::vector<List> sorted_lists(const std::vector<std::vector<reference::Arc>>& arcs) {
  std::vector<List> lists(arcs.size());
  for (std::size_t v = 0; v < arcs.size(); ++v) {
    for (const reference::Arc& arc : arcs[v]) lists[v].emplace_back(arc.target, arc.weight);
    std::sort(lists[v].begin(), lists[v].end());
  }
  return lists;
}

class BuiltZoo : public ::testing::TestWithParam<zoo::RawGraph> {};

TEST_P(BuiltZoo, HasTheListsOfTheReference) {
  const reference::Graph expected = zoo::to_reference(GetParam());
  const BuiltGraph built = zoo::build(GetParam());
  EXPECT_EQ(lists_of(built.out.view()), sorted_lists(expected.out));
  ASSERT_EQ(built.in.has_value(), GetParam().directed);
  if (built.in) {
    EXPECT_EQ(lists_of(built.in->view()), sorted_lists(expected.in));
  }
}

TEST_P(BuiltZoo, KeepsTheLightestDuplicateWhenMerged) {
  const reference::Graph expected = reference::merge_duplicates(zoo::to_reference(GetParam()));
  const BuiltGraph built = zoo::build(GetParam(), Duplicates::Min);
  EXPECT_EQ(lists_of(built.out.view()), sorted_lists(expected.out));
}

INSTANTIATE_TEST_SUITE_P(Graph, BuiltZoo, ::testing::ValuesIn(zoo::all_graphs()), zoo::GraphName());

}  // namespace
}  // namespace fathom::graph
