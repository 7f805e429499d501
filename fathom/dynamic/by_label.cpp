#include "fathom/dynamic/by_label.hpp"

#include <algorithm>
#include <utility>

#include "fathom/core/parallel.hpp"

namespace fathom::dynamic {

ListsByLabel by_label(const DynamicGraph& graph, const VertexLabels& labels) {
  ListsByLabel lists{{}, labels.ordered()};
  const std::vector<VertexId>& vertex = lists.vertex;
  std::vector<VertexId> place(graph.vertices(), kNoVertex);
  for (std::size_t i = 0; i < vertex.size(); ++i) place[vertex[i]] = static_cast<VertexId>(i);
  lists.out = graph.neighbors(vertex);
  const int threads = worker_count(0);
  parallel_for(threads, vertex.size(), 1024, [&](std::size_t a, std::size_t b, int) {
    std::vector<std::pair<VertexId, Weight>> entry;
    for (std::size_t i = a; i < b; ++i) {
      const EdgeId first = lists.out.offset[i], last = lists.out.offset[i + 1];
      entry.clear();
      for (EdgeId e = first; e < last; ++e)
        entry.emplace_back(place[lists.out.target[e]],
                           lists.out.weight.empty() ? Weight{1} : lists.out.weight[e]);
      std::sort(entry.begin(), entry.end());
      for (EdgeId e = first; e < last; ++e) {
        lists.out.target[e] = entry[e - first].first;
        if (!lists.out.weight.empty()) lists.out.weight[e] = entry[e - first].second;
      }
    }
  });
  return lists;
}

store::Header save(const DynamicGraph& graph, const VertexLabels& labels, const std::string& path,
                   const std::string& provenance, const Task& task) {
  ListsByLabel lists = by_label(graph, labels);
  store::SaveOptions options;
  options.directed = graph.directed();
  options.strings = !labels.all_integers();
  options.label = [&](VertexId v) { return labels.label(lists.vertex[v]); };
  options.provenance = provenance;
  options.task = task;
  return store::save(lists.out.view(), path, options);
}

}  // namespace fathom::dynamic
