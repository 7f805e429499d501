// fathom subgraph and egonet: parts of a graph, as graphs of their own.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/edge_mode.hpp"
#include "cli/commands/algorithms/shared/edge_output.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/ranks/ranks.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/vertex_file.hpp"

namespace fathom::cli {
namespace {

struct PartCommand {
  AlgorithmOptions common;
  std::string vertices;              // subgraph: the file
  std::vector<std::string> sources;  // egonet
  NeighborhoodOptions around;
};

struct PartSize {
  std::uint64_t vertices, edges;  // of an undirected graph each edge once
  double density;                 // edges of all that there could be without loops
};

PartSize size_of(const SubgraphResult& part, bool directed) {
  const CsrView lists = part.out.view();
  PartSize size{lists.vertices, lists.edges, 0};
  if (!directed) {
    std::uint64_t loops = 0;
    for (VertexId u = 0; u < lists.vertices; ++u)
      for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
        loops += lists.target[e] == u ? 1 : 0;
    size.edges = (lists.edges - loops) / 2 + loops;
  }
  const auto n = static_cast<double>(size.vertices);
  if (size.vertices > 1)
    size.density = static_cast<double>(size.edges) / (n * (n - 1) / (directed ? 1 : 2));
  return size;
}

Json size_json(const PartSize& size) {
  return {{"vertices", size.vertices}, {"edges", size.edges}, {"density", size.density}};
}

std::string size_line(const std::string& name, const PartSize& size) {
  return fmt::format("{}: {} vertices, {} edges, density {:.3g}\n", name,
                     format_count(size.vertices), format_count(size.edges), size.density);
}

void run_subgraph(const PartCommand& c, Session& session) {
  AlgorithmRun run({"subgraph"}, c.common, session);
  const std::vector<VertexId> vertices = io::read_vertices(c.vertices, run.loaded().finder());
  check_same_content(*session.group, c.vertices, std::as_bytes(std::span(vertices)));
  const SubgraphResult part =
      run.measure([&] { return induced_subgraph(run.context(), run.graph(), vertices); },
                  [&](const SubgraphResult& r) {
                    verify_subgraph(run.checking_context(), run.checking_graph(), vertices, r);
                  });
  const PartSize size = size_of(part, run.graph().directed());
  run.finish(
      part.report, size_json(size),
      [&](const std::string& path) { write_subgraph(path, part, run); },
      size_line("subgraph", size));
}

void run_egonet(const PartCommand& c, Session& session) {
  AlgorithmRun run({"egonet"}, c.common, session);
  const auto sources = run.loaded().find(c.sources);
  const EgonetResult net = run.measure(
      [&] { return egonet(run.context(), run.graph(), sources, c.around); },
      [&](const EgonetResult& r) {
        verify_egonet(run.checking_context(), run.checking_graph(), sources, c.around, r);
      });
  const PartSize size = size_of(net.graph, run.graph().directed());
  Json json = size_json(size);
  json["sources"] = c.sources;
  json["hops"] = c.around.hops;
  json["mode"] = name_of(c.around.mode);
  run.finish(
      net.report, std::move(json),
      [&](const std::string& path) { write_subgraph(path, net.graph, run); },
      size_line("egonet", size));
}

constexpr const char* kOutput =
    "Write the graph: .fg with the labels it has here, or its edges as .tsv or .csv";

}  // namespace

void add_subgraph(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "subgraph", "The subgraph of given vertices and all edges between them");
  auto c = std::make_shared<PartCommand>();
  command
      ->add_option("--vertices", c->vertices,
                   "Vertices by labels, one per line; what follows a tab is left out")
      ->type_name("FILE")
      ->required();
  add_edge_algorithm_options(*command, c->common, kOutput);
  command->footer(
      "Edges as a table have the columns source, target and, if weighted, weight; of an "
      "undirected\n"
      "graph each edge once.\n\n"
      "Examples:\n"
      "  fathom subgraph graph.fg --vertices some.txt -o part.fg\n"
      "  fathom subgraph graph.fg --vertices some.txt -o edges.tsv");
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_subgraph(*c, session); };
  });
}

void add_egonet(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "egonet", "The subgraph of a vertex, what lies within some hops, and all edges between them");
  auto c = std::make_shared<PartCommand>();
  command->add_option("--source", c->sources, "The vertex in the middle, by its label; or several")
      ->type_name("LABEL")
      ->required();
  add_neighborhood_options(*command, c->around);
  add_edge_algorithm_options(*command, c->common, kOutput);
  command->footer(
      "Edges as a table have the columns source, target and, if weighted, weight; of an "
      "undirected\n"
      "graph each edge once.\n\n"
      "Examples:\n"
      "  fathom egonet packages.fg --source gnome\n"
      "  fathom egonet web.fg --source 1 --hops 2 --mode all -o around.fg");
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_egonet(*c, session); };
  });
}

}  // namespace fathom::cli
