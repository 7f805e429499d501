#include "cli/commands/algorithms/shared/edge_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "cli/shared/result_output.hpp"
#include "fathom/store/make/save.hpp"

namespace fathom::cli {
namespace {

/// A part of a reordered graph with its vertices in the order of results, which labels ascend in.
SubgraphResult in_first_order(const SubgraphResult& part, const AlgorithmRun& run) {
  const CsrView lists = part.out.view();
  std::vector<VertexId> order(lists.vertices), place(lists.vertices);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::sort(order.begin(), order.end(), [&](VertexId a, VertexId b) {
    return run.rows()[part.vertices[a]] < run.rows()[part.vertices[b]];
  });
  for (VertexId i = 0; i < lists.vertices; ++i) place[order[i]] = i;
  SubgraphResult moved;
  moved.vertices = Array<VertexId>(lists.vertices);
  moved.out = Csr{Array<EdgeId>(std::size_t{lists.vertices} + 1, EdgeId{0}),
                  Array<VertexId>(lists.edges), Array<Weight>(lists.weight ? lists.edges : 0)};
  EdgeId at = 0;
  std::vector<std::pair<VertexId, Weight>> list;
  for (VertexId i = 0; i < lists.vertices; ++i) {
    const VertexId u = order[i];
    moved.vertices[i] = part.vertices[u];
    list.clear();
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
      list.emplace_back(place[lists.target[e]], lists.weight ? lists.weight[e] : 1);
    std::sort(list.begin(), list.end());
    for (const auto& [target, weight] : list) {
      moved.out.target[at] = target;
      if (lists.weight) moved.out.weight[at] = weight;
      ++at;
    }
    moved.out.offset[i + std::size_t{1}] = at;
  }
  return moved;
}

void write_store(const std::string& path, const SubgraphResult& part, const AlgorithmRun& run) {
  store::SaveOptions options;
  options.directed = run.graph().directed();
  options.in_edges = run.graph().has_in();
  options.strings = run.loaded().store().header().labels == store::LabelKind::Strings;
  options.label = [&](VertexId v) { return run.loaded().label(part.vertices[v]); };
  options.provenance = run.command_line();
  options.threads = run.context().threads();
  options.task = run.task();
  CsrView lists = part.out.view();
  constexpr Weight kOfNoEdge{};
  if (run.graph().weighted() && lists.edges == 0) lists.weight = &kOfNoEdge;
  store::save(lists, path, options);
}

void write_table(const std::string& path, const SubgraphResult& part, const AlgorithmRun& run) {
  const CsrView lists = part.out.view();
  io::TableWriter file = open_table(path);
  for (const char* name : {"source", "target"}) file.field(name);
  if (run.graph().weighted()) file.field("weight");
  file.end_row();
  for (VertexId u = 0; u < lists.vertices; ++u) {
    const std::string label = run.loaded().label(part.vertices[u]);
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e) {
      if (!run.graph().directed() && lists.target[e] < u) continue;
      file.field(label);
      file.field(run.loaded().label(part.vertices[lists.target[e]]));
      if (run.graph().weighted()) file.field(fmt::format("{}", lists.weight[e]));
      file.end_row();
    }
    if (u % 65536 == 0) run.task().check();
  }
  file.commit();
}

}  // namespace

void write_subgraph(const std::string& path, const SubgraphResult& part, const AlgorithmRun& run) {
  if (!run.writes()) return;
  if (!run.rows().empty()) {
    const SubgraphResult moved = in_first_order(part, run);
    if (is_store_path(path)) return write_store(path, moved, run);
    return write_table(path, moved, run);
  }
  if (is_store_path(path))
    write_store(path, part, run);
  else
    write_table(path, part, run);
}

}  // namespace fathom::cli
