#include "fathom/dynamic/labels/by_label.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/lists/edge_fields.hpp"
#include "fathom/store/field_sections.hpp"

namespace fathom::dynamic {

ListsByLabel by_label(const DynamicGraph& graph, const VertexLabels& labels) {
  ListsByLabel lists{{}, {}, labels.ordered()};
  const std::vector<VertexId>& vertex = lists.vertex;
  std::vector<VertexId> place(graph.vertices(), kNoVertex);
  for (std::size_t i = 0; i < vertex.size(); ++i) place[vertex[i]] = static_cast<VertexId>(i);
  lists.out = graph.neighbors(vertex, &lists.fields);
  const int threads = graph.state()->threads();
  parallel_for(threads, vertex.size(), 1024, [&](std::size_t a, std::size_t b, int) {
    std::vector<ListEntry> entry;
    for (std::size_t i = a; i < b; ++i) {
      const EdgeId first = lists.out.offset[i], last = lists.out.offset[i + 1];
      entry.clear();
      for (EdgeId e = first; e < last; ++e)
        entry.push_back({place[lists.out.target[e]],
                         lists.out.weight.empty() ? Weight{1} : lists.out.weight[e],
                         lists.fields.empty() ? EdgeFields{} : lists.fields[e]});
      std::sort(entry.begin(), entry.end());
      for (EdgeId e = first; e < last; ++e) {
        const ListEntry& its = entry[e - first];
        lists.out.target[e] = its.target;
        if (!lists.out.weight.empty()) lists.out.weight[e] = its.weight;
        if (!lists.fields.empty()) lists.fields[e] = its.fields;
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
  std::vector<VertexFields> vertex_fields;
  if (graph.has_vertex_fields()) vertex_fields = graph.vertex_fields(lists.vertex);
  options.vertex_fields = vertex_fields;
  if (graph.semantic()) options.edge_fields = {lists.fields.data(), lists.fields.size()};
  options.provenance = provenance;
  options.threads = graph.state()->threads();
  options.task = task;
  CsrView out = lists.out.view();
  const Weight none = 1;
  if (graph.weighted() && out.edges == 0) out.weight = &none;  // it will be weighted still
  return store::save(out, path, options);
}

ChangingGraph load(const Context& ctx, store::Store& store, DynamicGraphOptions options,
                   bool any_labels) {
  // What lists rely on when they change (order, reverses, labels of one vertex each) is not looked
  // at when they are mapped.
  store.verify(ctx.threads(), ctx.task());
  const store::Header& header = store.header();
  options.directed = header.directed;
  if (header.semantic)
    options.edges = EdgeKind::Semantic;
  else if (options.edges != EdgeKind::Semantic)
    options.edges = header.weighted ? EdgeKind::Weighted : EdgeKind::Simple;
  const CsrView out = store.out(ctx.threads());
  const auto in = options.directed ? store.in(ctx.threads()) : std::nullopt;
  VertexLabels labels(store, any_labels);
  const store::StoredFields fields = store::read_fields(store, ctx.threads(), ctx.host_memory());
  return {DynamicGraph(ctx, out, in ? &*in : nullptr, options,
                       GraphFields{{fields.edges.data(), fields.edges.size()},
                                   {fields.vertices.data(), fields.vertices.size()}}),
          std::move(labels)};
}

}  // namespace fathom::dynamic
