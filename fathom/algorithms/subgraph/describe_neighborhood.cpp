#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/described/hop_table.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/subgraph/neighborhood.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

static Answer run_neighborhood(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const std::string& mode = values.mode("mode");
  NeighborhoodOptions options;
  options.hops = static_cast<std::uint32_t>(values.count("hops"));
  options.mode = mode == "in" ? EdgeMode::In : mode == "all" ? EdgeMode::All : EdgeMode::Out;
  const ChosenVertices& sources = values.vertices("source");
  const auto kept =
      std::make_shared<const NeighborhoodResult>(neighborhood(ctx, graph, sources.ids, options));
  const NeighborhoodResult& result = *kept;
  Answer answer = answer_of(kept, [options, ids = sources.ids](const Context& on, const Graph& of,
                                                               const NeighborhoodResult& its) {
    verify_neighborhood(on, of, ids, options, its);
  });
  const std::vector<std::uint64_t> counts = hop_counts(result.hops.span());
  answer.facts = {{"sources", sources.labels},
                  {"hops", std::uint64_t{options.hops}},
                  {"mode", mode},
                  {"reached", std::uint64_t{result.reached}},
                  {"farthest", std::uint64_t{result.farthest}},
                  {"hop_counts", counts}};
  answer.columns = {{"hops", result.hops.span(), kUnreached}};
  answer.summary =
      fmt::format("neighborhood: {} of {} vertices within {} hop{}\n", format_count(result.reached),
                  format_count(result.hops.size()), options.hops, options.hops == 1 ? "" : "s") +
      hop_table("hops", counts);
  return answer;
}

const Algorithm& describe_neighborhood() {
  using enum OptionInfo::Kind;
  static const NeighborhoodOptions standard;
  static const Algorithm algorithm{
      .name = "neighborhood",
      .purpose = "The vertices within some hops of a source",
      .notes = "Result columns: vertex, hops (-1: farther away). --top K lists the K farthest.",
      .examples = {"packages.fg --source libc6 --hops 2 --mode in",
                   "web.fg --source 1 --hops 3 -o near.tsv"},
      .options = {{.name = "source",
                   .kind = Vertices,
                   .value = "LABEL",
                   .meaning = "Vertices to start from, by labels; several: the nearest",
                   .required = true},
                  {.name = "hops",
                   .kind = Count,
                   .value = "K",
                   .meaning = "How far to go",
                   .most = kUnreached - 1,
                   .count = standard.hops,
                   .shows_default = true},
                  {.name = "mode",
                   .kind = Mode,
                   .meaning = "Follow edges of a directed graph along their direction (out, the "
                              "default), against it (in), or both ways (all)",
                   .choices = {"out", "in", "all"},
                   .mode = "out",
                   .planned = true}},
      .columns = {{"hops", "from the nearest source; -1: farther away"}},
      .facts = {{.name = "sources", .kind = FactInfo::Kind::Texts},
                {.name = "hops", .meaning = "of --hops"},
                {.name = "mode", .kind = FactInfo::Kind::Mode, .choices = {"out", "in", "all"}},
                {.name = "reached"},
                {.name = "farthest"},
                {.name = "hop_counts",
                 .kind = FactInfo::Kind::Counts,
                 .meaning = "[h]: vertices at h hops"}},
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            StateSize size = neighborhood_state(where.id_bytes);
            size.in_lists = values.mode("mode") != "out";
            return size;
          },
      .run = run_neighborhood};
  return algorithm;
}

}  // namespace fathom
