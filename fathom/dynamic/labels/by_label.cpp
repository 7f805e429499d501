#include "fathom/dynamic/labels/by_label.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/lists/edge_fields.hpp"
#include "fathom/store/field_sections.hpp"

namespace fathom::dynamic {

namespace {

/// Targets become places of vertices, and lists ascend by them.
void renumber(ListsByLabel& lists, VertexId vertices, int threads) {
  const std::vector<VertexId>& vertex = lists.vertex;
  std::vector<VertexId> place(vertices, kNoVertex);
  for (std::size_t i = 0; i < vertex.size(); ++i) place[vertex[i]] = static_cast<VertexId>(i);
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
}

/// `graph`: a DynamicGraph or a Snapshot. `options` have labels and what is the caller's.
template <class Changing>
store::Header save_lists(const Changing& graph, ListsByLabel&& lists, AtomicFile output,
                         store::SaveOptions options) {
  options.directed = graph.directed();
  std::vector<VertexFields> vertex_fields;
  if (graph.has_vertex_fields()) vertex_fields = graph.vertex_fields(lists.vertex);
  options.vertex_fields = vertex_fields;
  if (graph.semantic()) options.edge_fields = {lists.fields.data(), lists.fields.size()};
  CsrView out = lists.out.view();
  const Weight none = 1;
  if (graph.weighted() && out.edges == 0) out.weight = &none;  // it will be weighted still
  return store::save(out, std::move(output), options);
}

}  // namespace

ListsByLabel by_label(const DynamicGraph& graph, const VertexLabels& labels) {
  ListsByLabel lists{{}, {}, labels.ordered()};
  lists.out = graph.neighbors(lists.vertex, &lists.fields);
  renumber(lists, graph.vertices(), graph.state()->threads());
  return lists;
}

store::Header save(const DynamicGraph& graph, const VertexLabels& labels, const std::string& path,
                   const std::string& provenance, const Task& task) {
  ListsByLabel lists = by_label(graph, labels);
  store::SaveOptions options;
  options.strings = labels.stored_as_strings();
  options.label = [&labels, &vertex = lists.vertex](VertexId v) { return labels.label(vertex[v]); };
  options.provenance = provenance;
  options.threads = graph.state()->threads();
  options.task = task;
  return save_lists(graph, std::move(lists), AtomicFile(path), std::move(options));
}

store::Header save(const Snapshot& snapshot, std::vector<VertexId> vertex, AtomicFile output,
                   store::SaveOptions options) {
  ListsByLabel lists{{}, {}, std::move(vertex)};
  lists.out = snapshot.neighbors(lists.vertex, &lists.fields);
  renumber(lists, snapshot.vertices(), options.threads);
  return save_lists(snapshot, std::move(lists), std::move(output), std::move(options));
}

DynamicGraph load_lists(const Context& ctx, store::Store& store, DynamicGraphOptions options) {
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
  const store::StoredFields fields = store::read_fields(store, ctx.threads(), ctx.host_memory());
  return DynamicGraph(ctx, out, in ? &*in : nullptr, options,
                      GraphFields{{fields.edges.data(), fields.edges.size()},
                                  {fields.vertices.data(), fields.vertices.size()}});
}

ChangingGraph load(const Context& ctx, store::Store& store, DynamicGraphOptions options,
                   bool any_labels) {
  DynamicGraph graph = load_lists(ctx, store, options);
  return {std::move(graph), VertexLabels(store, any_labels)};
}

}  // namespace fathom::dynamic
