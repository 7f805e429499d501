// Communities.
#include "fathom/algorithms/cdlp/cdlp.hpp"
#include "fathom/algorithms/leiden/leiden.hpp"
#include "fathom/algorithms/louvain/louvain.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/communities/label_propagation.hpp"

namespace fathom::on_gpus {
namespace {

InOne propagated_labels(const KnownGraph& known) {
  const CdlpOptions options{5};
  const reference::Propagated expected =
      reference::propagate_labels(known.oracle, options.iterations);
  const CdlpOptions by_blocks{5, {}, true, 9};
  const std::vector<VertexId> expected_by_blocks =
      reference::propagate_labels_by_blocks(known.oracle, 5, 9).label;
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const CdlpResult result = label_propagation(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.label), expected.label);
      EXPECT_EQ(result.stable, expected.stable);
      verify_cdlp(host, p.on_host(host), options, result);
      EXPECT_EQ(to_vector(label_propagation(p.ctx, p.graph(in_edges), by_blocks).label),
                expected_by_blocks);
    }
  };
}

InOne communities_by_modularity(const KnownGraph& known) {
  LouvainResult expected;
  if (!known.raw.directed) {
    const Context host = one_thread();
    expected = louvain(host, known.place(host, {}));
  }
  const auto community = to_vector(expected.community);
  return [=, modularity = expected.modularity](const Placed& p) {
    if (p.raw().directed) return;  // refused
    const Context host = one_thread();
    const LouvainResult result = louvain(p.ctx, p.graph());
    EXPECT_EQ(to_vector(result.community), community);
    EXPECT_EQ(result.modularity, modularity);
    verify_louvain(host, p.on_host(host), {}, result);
  };
}

InOne connected_communities(const KnownGraph& known) {
  LeidenResult expected;
  if (!known.raw.directed) {
    const Context host = one_thread();
    expected = leiden(host, known.place(host, {}));
  }
  const auto community = to_vector(expected.community);
  return [=, modularity = expected.modularity](const Placed& p) {
    if (p.raw().directed) return;  // refused
    const Context host = one_thread();
    const LeidenResult result = leiden(p.ctx, p.graph());
    EXPECT_EQ(to_vector(result.community), community);
    EXPECT_EQ(result.modularity, modularity);
    verify_leiden(host, p.on_host(host), {}, result);
  };
}

}  // namespace

std::vector<Check> community_checks() {
  return {{"Labels", propagated_labels},
          {"Modularity", communities_by_modularity},
          {"ConnectedCommunities", connected_communities}};
}

}  // namespace fathom::on_gpus
