#include <fmt/format.h>

#include <map>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/ktruss/ktruss.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

using Counts = std::map<std::uint32_t, std::uint64_t>;

/// A result, and the order that was asked for, which certificates need after the run.
struct KtrussAnswer {
  std::vector<VertexId> row;
  KtrussOptions options;
  KtrussResult result;
  RunReport report;
};

/// Edges by truss number.
Counts truss_counts(std::span<const std::uint32_t> numbers) {
  Counts count;
  for (const std::uint32_t truss : numbers) ++count[truss];
  return count;
}

std::string truss_table(const Counts& counts) {
  constexpr std::size_t kShown = 12;  // the outermost and the innermost
  std::string table = fmt::format("  {:>10}  {:>15}\n", "truss", "edges");
  std::size_t row = 0;
  for (const auto& [truss, edges] : counts) {
    const bool left_out = row >= kShown && row + kShown < counts.size();
    if (!left_out) table += fmt::format("  {:>10}  {:>15}\n", truss, format_count(edges));
    if (left_out && row == kShown) table += fmt::format("  {:>10}  {:>15}\n", "...", "...");
    ++row;
  }
  return table;
}

std::string headline(const KtrussResult& result, std::uint64_t innermost, std::uint32_t least) {
  const std::string of = format_count(result.u.size()), layers = format_count(result.layers);
  if (result.rows == 0)
    return fmt::format("ktruss: none of {} edges in the {}-truss, {} layers\n", of, least, layers);
  return fmt::format("ktruss: {} of {} edges in the {}-truss, the innermost, {} layers\n",
                     format_count(innermost), of, result.greatest, layers);
}

Answer run_ktruss(const Context& ctx, const Graph& graph, const OptionValues& values) {
  if (values.flag("per-vertex") && values.flag("layers"))
    throw Error(ErrorCode::Usage, "ktruss: layers are of edges, which per-vertex excludes");
  const auto made = std::make_shared<KtrussAnswer>();
  made->row.assign(values.rows.begin(), values.rows.end());
  const auto least = static_cast<std::uint32_t>(values.count("k"));
  made->options = {least, values.flag("per-vertex"), made->row};
  made->result = truss_decomposition(ctx, graph, made->options);
  made->report = made->result.report;
  const KtrussResult& result = made->result;
  const std::size_t rows = result.rows;
  const std::span<const std::uint32_t> numbers = result.truss.span().first(rows);
  const Counts counts = truss_counts(numbers);
  const std::uint64_t innermost = counts.empty() ? 0 : counts.rbegin()->second;
  Fact::Table table{{"truss", "edges"}, {}};
  for (const auto& [truss, edges] : counts) table.rows.push_back({truss, edges});

  Answer answer = answer_of(std::shared_ptr<const KtrussAnswer>(made),
                            [](const Context& on, const Graph& of, const KtrussAnswer& its) {
                              verify_ktruss(on, of, its.options, its.result);
                            });
  answer.facts = {{"edges", result.rows},
                  {"greatest", std::uint64_t{result.greatest}},
                  {"innermost", innermost},
                  {"layers", std::uint64_t{result.layers}},
                  {"k", least > 2 ? Fact::Value(std::uint64_t{least}) : nullptr},
                  {"truss_counts", std::move(table)}};
  if (made->options.per_vertex) {
    answer.columns = {{"truss", result.vertex.span()}};
  } else {
    answer.pairs = {result.u.span().first(rows), result.v.span().first(rows)};
    answer.columns = {{"truss", numbers}};
    if (values.flag("layers")) answer.columns.push_back({"layer", result.layer.span().first(rows)});
  }
  answer.summary = headline(result, innermost, least) + (rows > 0 ? truss_table(counts) : "");
  return answer;
}

/// The edges of the simple graph, at most.
std::uint64_t most_edges(const Algorithm::Where& where) {
  return where.directed ? where.edges : (where.edges + 1) / 2;
}

}  // namespace

const Algorithm& describe_ktruss() {
  static const Algorithm algorithm{
      .name = "ktruss",
      .purpose = "Truss numbers: the largest k such that an edge belongs to the k-truss",
      .notes =
          "The k-truss is the largest subgraph whose edges are all in k - 2 triangles or more;\n"
          "an edge in no triangle has the number 2. Whatever the direction of the edges; loops "
          "and\n"
          "duplicates do not matter. Rows are edges, each once, result columns: u, v, truss; with\n"
          "--layers also layer (from 1 on). With --per-vertex rows are vertices instead, result\n"
          "columns: vertex, truss (0 without any edge). --top K lists K rows of the greatest\n"
          "numbers.",
      .examples = {"graph.fg -o numbers.tsv", "graph.fg --k 10 -o members.tsv",
                   "graph.fg --per-vertex --top 10"},
      .options = {{.name = "k",
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "Only the edges of the N-truss",
                   .least = 2,
                   .most = std::uint32_t{1} << 31,
                   .count = 2},
                  {.name = "layers",
                   .meaning = "Also give the round in which each edge was peeled off"},
                  {.name = "per-vertex",
                   .meaning = "Of vertices: the greatest number of their edges",
                   .planned = true}},
      .columns = {{"truss",
                   "the largest k of a k-truss that the edge is in; of a vertex one of "
                   "its edges"},
                  {"layer", "the round, from 1 on, in which the edge was peeled off"}},
      .facts = {{.name = "edges", .meaning = "of the simple graph; with --k of the k-truss"},
                {.name = "greatest", .meaning = "truss number; 0: there is no edge"},
                {.name = "innermost", .meaning = "edges of this truss number"},
                {.name = "layers", .meaning = "rounds of peeling"},
                {.name = "k", .meaning = "of --k", .may_be_null = true},
                {.name = "truss_counts",
                 .kind = FactInfo::Kind::Table,
                 .meaning = "ascending; only truss numbers that occur",
                 .of = {{.name = "truss"}, {.name = "edges"}}}},
      .pairs = true,
      .other_rows = "per-vertex",
      .reads_oriented = true,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return ktruss_state(where.vertices, most_edges(where), values.flag("per-vertex"),
                                where.id_bytes);
          },
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 1, .most = 1};
          },
      .run = run_ktruss};
  return algorithm;
}

}  // namespace fathom
