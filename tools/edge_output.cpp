#include "edge_output.hpp"

#include <fmt/format.h>

#include "fathom/io/table_writer.hpp"
#include "fathom/store/save.hpp"

namespace fathom::cli {
namespace {

void write_store(const std::string& path, const SubgraphResult& part, const AlgorithmRun& run) {
  store::SaveOptions options;
  options.directed = run.graph().directed();
  options.in_edges = run.graph().has_in();
  options.strings = run.loaded().store().header().labels == store::LabelKind::Strings;
  options.label = [&](VertexId v) { return run.loaded().label(part.vertices[v]); };
  options.provenance = run.command_line();
  options.threads = run.context().threads();
  options.task = run.task();
  store::save(part.out.view(), path, options);
}

void write_table(const std::string& path, const SubgraphResult& part, const AlgorithmRun& run) {
  const CsrView lists = part.out.view();
  io::TableWriter file(path);
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
  if (is_store_path(path))
    write_store(path, part, run);
  else
    write_table(path, part, run);
}

}  // namespace fathom::cli
