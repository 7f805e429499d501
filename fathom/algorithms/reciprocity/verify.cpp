// The certificate of reciprocity.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fathom/algorithms/in_lists.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "reciprocity";

std::vector<VertexId> sorted_list(ListReader& lists, VertexId v) {
  std::vector<VertexId> list;
  lists.read(v, [&](const PlainSpan& span) {
    for (std::uint32_t i = 0; i < span.size; ++i) list.push_back(span.target(i));
  });
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

void verify_reciprocity(const Context& ctx, const Graph& graph, const ReciprocityResult& result) {
  if (!graph.directed()) refute(kName, "the graph is not directed");
  const VertexId n = graph.vertices();
  if (result.answered.size() != n) refute(kName, "not one number per vertex");
  const detail::InLists in_lists(graph);
  in_lists.check(kName);
  const std::unique_ptr<ListReader> out = graph.out().read_lists();
  const std::unique_ptr<ListReader> in = in_lists.get()->read_lists();
  std::uint64_t all = 0;
  for (VertexId v = 0; v < n; ++v) {
    const std::vector<VertexId> to = sorted_list(*out, v), from = sorted_list(*in, v);
    const auto answered = static_cast<EdgeId>(std::count_if(to.begin(), to.end(), [&](VertexId u) {
      return u != v && std::binary_search(from.begin(), from.end(), u);
    }));
    if (result.answered[v] != answered)
      refute_value(kName, v, static_cast<double>(result.answered[v]),
                   std::to_string(answered) + " edges with one back");
    all += answered;
    if (v % 4096 == 0) ctx.task().check();
  }
  if (all != result.edges)
    refute(kName, "there are " + std::to_string(all) + " edges with one back, not " +
                      std::to_string(result.edges));
  const double share = static_cast<double>(all) / static_cast<double>(graph.edges());
  if (!(result.reciprocity == share) && !(std::isnan(result.reciprocity) && std::isnan(share)))
    refute(kName, "the share is " + std::to_string(share) + ", but " +
                      std::to_string(result.reciprocity) + " is reported");
}

}  // namespace fathom
