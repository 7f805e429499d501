#include <fmt/format.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/bfs/describe_parts.hpp"
#include "fathom/algorithms/described/hop_table.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

BfsOptions bfs_options(const OptionValues& values) {
  const std::string& direction = values.mode("direction");
  BfsOptions options;
  options.parents = values.flag("parents");
  options.direction = direction == "push"   ? Direction::Push
                      : direction == "pull" ? Direction::Pull
                                            : Direction::Auto;
  options.depth_limit = static_cast<std::uint32_t>(values.count("depth-limit"));
  options.hints = !values.flag("no-hints");
  return options;
}

std::string depth_table(const FoundDepths& found) {
  std::string table = hop_table("depth", hop_counts(found.depth));
  const std::uint64_t unreached = found.depth.size() - found.reached;
  if (unreached > 0) table += fmt::format("  {:>5}  {:>15}\n", "none", format_count(unreached));
  return table;
}

/// `alone`: of one search, where there are not several.
std::vector<FactInfo> depth_infos(bool alone) {
  using enum FactInfo::Kind;
  const std::string_view other = alone ? "each" : "";
  return {{.name = "sources", .kind = Texts},
          {.name = "reached", .without = other},
          {.name = "max_depth", .without = other},
          {.name = "depth_counts",
           .kind = Counts,
           .meaning = "[d]: vertices at depth d",
           .without = other}};
}

std::vector<FactInfo> fact_infos() {
  std::vector<FactInfo> infos = depth_infos(true);
  infos.push_back({.name = "batch",
                   .meaning = "searches that shared the lists they fetched, at most; 1: one by one",
                   .least = 1,
                   .with = "each"});
  infos.push_back({.name = "each",
                   .kind = FactInfo::Kind::Groups,
                   .meaning = "with --each: one entry per source",
                   .of = depth_infos(false),
                   .with = "each"});
  return infos;
}

Answer run_bfs(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const BfsOptions options = bfs_options(values);
  const ChosenVertices& sources = values.vertices("source");
  if (values.flag("each")) return bfs_from_each(ctx, graph, sources, options);
  const auto kept = std::make_shared<const BfsResult>(bfs(ctx, graph, sources.ids, options));
  Answer answer = answer_of(
      kept, [options, ids = sources.ids](const Context& on, const Graph& of, const BfsResult& its) {
        verify_bfs(on, of, ids, options, its);
      });
  const FoundDepths found = found_by(*kept);
  answer.facts = depth_facts(found, sources.labels);
  add_depth_columns(answer.columns, found, "");
  const std::string from = sources.labels.size() == 1
                               ? sources.labels[0]
                               : fmt::format("the nearest of {} sources", sources.labels.size());
  answer.summary = depth_headline(found, from) + depth_table(found);
  return answer;
}

}  // namespace

FoundDepths found_by(const BfsResult& result) {
  return {result.depth, result.parent, result.reached, result.max_depth};
}

std::string depth_headline(const FoundDepths& found, const std::string& from) {
  return fmt::format("bfs from {}: {} of {} vertices reached, greatest depth {}\n", from,
                     format_count(found.reached), format_count(found.depth.size()),
                     found.max_depth);
}

Facts depth_facts(const FoundDepths& found, const std::vector<std::string>& sources) {
  return {{"sources", sources},
          {"reached", std::uint64_t{found.reached}},
          {"max_depth", std::uint64_t{found.max_depth}},
          {"depth_counts", hop_counts(found.depth)}};
}

void add_depth_columns(std::vector<AnswerColumn>& columns, const FoundDepths& found,
                       const std::string& suffix) {
  columns.push_back({"depth" + suffix, found.depth, kUnreached});
  if (!found.parent.empty())
    columns.push_back({"parent" + suffix, found.parent, kNoVertex, AnswerColumn::Kind::Vertex});
}

const Algorithm& describe_bfs() {
  using enum OptionInfo::Kind;
  static const Algorithm algorithm{
      .name = "bfs",
      .purpose = "Hops from a source to every vertex (breadth-first search along out-edges)",
      .notes =
          "Result columns: vertex, depth (-1: not reached); with --parents also parent (-1: none; "
          "a\n"
          "source is its own). --top K lists the K farthest.",
      .examples = {"packages.fg --source libc6", "roads.fg --source 17 --parents -o tree.tsv",
                   "web.fg --source 1 2 3 --each -o depths.csv"},
      .options = {{.name = "source",
                   .kind = Vertices,
                   .value = "LABEL",
                   .meaning = "Vertices to start from, by their labels; several: distance to the "
                              "nearest",
                   .required = true},
                  {.name = "each",
                   .meaning = "Search from each source alone: one column per source",
                   .many_columns = true},
                  {.name = "parents",
                   .meaning = "Also give each vertex's parent in the tree",
                   .planned = true},
                  {.name = "direction",
                   .kind = Mode,
                   .meaning = "Follow out-edges of the frontier (push), look back from unreached "
                              "vertices (pull), or whichever is cheaper (auto, the default)",
                   .choices = {"auto", "push", "pull"},
                   .mode = "auto",
                   .planned = true},
                  {.name = "depth-limit",
                   .kind = Count,
                   .value = "N",
                   .meaning = "Vertices farther away stay unreached",
                   .most = kUnreached - 1,
                   .count = kUnreached},
                  {.name = "no-hints",
                   .meaning = "When pulling on a GPU, read lists without trying each vertex's hint "
                              "first"}},
      .columns = {{"depth", "hops from the nearest source; -1: not reached"},
                  {"parent", "in the tree, a source its own; -1: none"}},
      .facts = fact_infos(),
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            const std::string& direction = values.mode("direction");
            StateSize size = bfs_state(values.flag("parents"), where.has_in && direction != "push",
                                       where.id_bytes);
            if (direction == "pull") size.chunk = 0;  // what is split is pushed to
            return size;
          },
      // Pulling stops at the first neighbour found; pushing reads what it reaches. A source in a
      // small component reads next to nothing.
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 0, .most = 1};
          },
      .run = run_bfs};
  return algorithm;
}

}  // namespace fathom
