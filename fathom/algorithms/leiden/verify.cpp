// The certificate of communities by modularity that are connected.
#include <string>
#include <utility>

#include "fathom/algorithms/leiden/of_a_pass.hpp"
#include "fathom/algorithms/louvain/levels.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

/// Trees of the vertices that edges inside communities connect.
class Connected {
 public:
  Connected(const Context& ctx, const Graph& graph, const Array<VertexId>& community)
      : parent_(community.size(), ctx.host_memory()) {
    for (std::size_t v = 0; v < parent_.size(); ++v) parent_[v] = static_cast<VertexId>(v);
    const std::unique_ptr<ListReader> lists = graph.out().read_lists();
    for (VertexId u = 0; u < parent_.size(); ++u) {
      if (u % kBetweenChecks == 0) ctx.task().check();
      lists->read(u, [&](const PlainSpan& span) {
        for (std::uint32_t i = 0; i < span.size; ++i)
          if (community[u] == community[span.target(i)] && span.weight(i) > 0)
            parent_[root(u)] = root(span.target(i));
      });
    }
  }
  VertexId root(VertexId v) {
    while (parent_[v] != v) v = std::exchange(parent_[v], parent_[parent_[v]]);
    return v;
  }

 private:
  static constexpr VertexId kBetweenChecks = 1 << 16;
  Array<VertexId> parent_;
};

}  // namespace

void verify_leiden(const Context& ctx, const Graph& graph, const LeidenOptions& options,
                   const LeidenResult& result) {
  detail::verify_communities(ctx, graph, detail::of_a_pass(options), result, "leiden",
                             options.passes);
  Connected connected(ctx, graph, result.community);
  for (VertexId v = 0; v < result.community.size(); ++v)
    if (connected.root(v) != connected.root(result.community[v]))
      refute_vertex("leiden", v,
                    "is not connected, inside its community, with vertex " +
                        std::to_string(result.community[v]) + ", which is the first of it");
}

}  // namespace fathom
