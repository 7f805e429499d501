// fathom cc: which vertices are connected.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

constexpr std::uint64_t kShownSizes = 5;

struct CcCommand {
  AlgorithmOptions common;
  ComponentsOptions options;
};

/// [v]: the first vertex, in the order of results, of v's component; empty when that is the label.
std::vector<VertexId> first_vertices(const ComponentsResult& result, const LoadedGraph& graph) {
  if (graph.rows().natural()) return {};
  std::vector<VertexId> first(result.label.size(), kNoVertex);  // of a label
  for (const VertexId v : graph.rows().vertex)
    if (VertexId& met = first[result.label[v]]; met == kNoVertex) met = v;
  std::vector<VertexId> component;
  component.reserve(first.size());
  for (const VertexId label : result.label) component.push_back(first[label]);
  return component;
}

/// [v]: vertices of the component whose first vertex is v; 0 for other vertices.
std::vector<VertexId> component_sizes(std::span<const VertexId> component) {
  std::vector<VertexId> size(component.size(), 0);
  for (const VertexId first : component) ++size[first];
  return size;
}

std::string sizes_line(const std::vector<std::pair<VertexId, Json>>& rows,
                       std::uint64_t components) {
  std::string text;
  for (const auto& [v, size] : rows) text += (text.empty() ? "" : ", ") + human(size);
  if (text.empty()) return "";
  return fmt::format("  sizes: {}{}\n", text, components > rows.size() ? ", ..." : "");
}

void run_cc(const CcCommand& c, Session& session) {
  AlgorithmRun run("cc", c.common, session);
  const ComponentsResult result =
      run.measure([&] { return connected_components(run.context(), run.graph(), c.options); },
                  [&](const ComponentsResult& r) {
                    verify_components(run.checking_context(), run.checking_graph(), r);
                  });
  const std::vector<VertexId> reordered = first_vertices(result, run.loaded());
  const std::span<const VertexId> component =
      reordered.empty() ? result.label.span() : std::span<const VertexId>(reordered);
  const auto label = [&](std::size_t v, std::string& out) {
    out += run.loaded().label(component[v]);
  };
  const std::vector<io::ResultColumn> columns{
      {"component", component, std::nullopt, label, run.rows()}};
  const std::vector<VertexId> sizes = component_sizes(component);
  const auto exists = [](VertexId size) { return size > 0; };
  const std::span<const VertexId> all(sizes);
  const Ranking ranking{"component", "vertices", largest(all, run.top(), exists, run.rows())};
  const auto shown = largest(all, kShownSizes, exists, run.rows());
  Json largest_sizes = Json::array();
  for (const auto& row : shown) largest_sizes.push_back(row.second);
  run.finish(result.report,
             {{"components", result.components},
              {"largest", result.largest},
              {"largest_sizes", largest_sizes}},
             columns, ranking,
             fmt::format("cc: {} component{} of {} vertices\n", format_count(result.components),
                         result.components == 1 ? "" : "s", format_count(result.label.size())) +
                 sizes_line(shown, result.components));
}

}  // namespace

void add_cc(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "cc", "Connected components, whatever the direction of the edges (Afforest)");
  auto c = std::make_shared<CcCommand>();
  command->add_flag_callback(
      "--no-sampling", [c] { c->options.sample = false; },
      "Link every edge, without looking for the largest component first");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Result columns: vertex, component (the label of the component's first vertex).\n"
      "--top K lists the K largest components.\n\n"
      "Examples:\n"
      "  fathom cc graph.fg\n"
      "  fathom cc graph.fg --top 10 -o components.tsv");
  command->callback([c, &session] { session.command = [c, &session] { run_cc(*c, session); }; });
}

}  // namespace fathom::cli
