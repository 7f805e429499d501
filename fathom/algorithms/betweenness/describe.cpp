#include "fathom/algorithms/betweenness/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

std::vector<OptionInfo> detail::betweenness_option_infos() {
  using enum OptionInfo::Kind;
  const BetweennessOptions standard;
  return {{.name = "source",
           .kind = Vertices,
           .value = "LABEL",
           .meaning = "Count paths from these vertices only, by their labels"},
          {.name = "target",
           .kind = Vertices,
           .value = "LABEL",
           .meaning = "Count paths to these vertices only, by their labels"},
          {.name = "k",
           .kind = Count,
           .value = "N",
           .meaning = "Estimate from N random sources (default: all vertices, exact)",
           .least = 1,
           .most = kNoVertex - 1,
           .excludes = "source",
           .planned = true},
          {.name = "seed",
           .kind = Count,
           .value = "S",
           .meaning = "Which random sources",
           .shows_default = true},
          {.name = "no-normalized", .meaning = "Do not divide by the number of pairs of vertices"},
          {.name = "weighted", .meaning = "Shortest by weight instead of by hops", .planned = true},
          {.name = "batch",
           .kind = Count,
           .value = "N",
           .meaning = "Search by hops from at most N sources at once: they share the lists "
                      "they fetch",
           .least = 1,
           .most = 8,
           .count = static_cast<std::uint64_t>(standard.batch),
           .shows_default = true}};
}

BetweennessOptions detail::betweenness_options_of(const OptionValues& values) {
  BetweennessOptions options;
  options.samples = static_cast<VertexId>(values.count("k"));
  options.seed = values.count("seed");
  options.sources = values.vertices("source").ids;
  options.targets = values.vertices("target").ids;
  options.normalized = !values.flag("no-normalized");
  options.weighted = values.flag("weighted");
  options.batch = static_cast<int>(values.count("batch"));
  return options;
}

static constexpr std::uint64_t kMeasuredByHops = 8, kMeasuredByWeights = 2;

void detail::choose_hops(OptionValues& values) {
  values.set_count("k", kMeasuredByHops);
}
void detail::choose_weights(OptionValues& values) {
  values.set_count("k", kMeasuredByWeights);
  values.set_flag("weighted");
}

Reads detail::betweenness_reads(const Algorithm::Where& where, const OptionValues& values,
                                double reads, std::string_view hops, std::string_view weights) {
  const std::uint64_t k = values.count("k");
  const bool weighted = values.flag("weighted") && where.weighted;
  const auto searches = static_cast<double>(k > 0 ? k : where.vertices);
  const double work =
      searches / static_cast<double>(weighted ? kMeasuredByWeights : kMeasuredByHops);
  return {.kind = Reads::Kind::Traversal,
          .least = 0,
          .most = reads * searches,
          .rate = weighted ? weights : hops,
          .least_work = work,
          .most_work = weighted || work >= 1 ? work : std::min(1., 2 * work)};
}

static constexpr std::string_view kWeightedRate = "bc --weighted";

static Answer run_betweenness(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const BetweennessOptions options = detail::betweenness_options_of(values);
  const auto kept = std::make_shared<const BetweennessResult>(betweenness(ctx, graph, options));
  const BetweennessResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const BetweennessResult& its) {
        verify_betweenness(on, of, options, its);
      });
  answer.facts = {{"sources", std::uint64_t{result.sources.size()}},
                  {"batch", static_cast<std::uint64_t>(result.batch)},
                  {"normalized", options.normalized},
                  {"weighted", options.weighted}};
  answer.columns = {{"betweenness", result.centrality.span()}};
  answer.summary = fmt::format(
      "bc: {} source{} of {} vertices, batches of {}\n", format_count(result.sources.size()),
      result.sources.size() == 1 ? "" : "s", format_count(result.centrality.size()), result.batch);
  return answer;
}

const Algorithm& describe_betweenness() {
  static const Algorithm algorithm{
      .name = "bc",
      .purpose =
          "Betweenness centrality: how many shortest paths pass through each vertex (Brandes)",
      .notes =
          "Values are scaled as NetworkX does. Exact centrality searches from every vertex: for "
          "large\n"
          "graphs use --k. With --target paths to these vertices alone count, and what comes from "
          "some\n"
          "sources is not scaled up to all. Result columns: vertex, betweenness.",
      .examples = {"graph.fg --k 64 --top 10", "small.fg --weighted -o betweenness.tsv"},
      .options = detail::betweenness_option_infos(),
      .columns = {{"betweenness", "of the shortest paths, the share that pass through the vertex"}},
      .facts = {{.name = "sources", .meaning = "how many vertices were searched from"},
                {.name = "batch"},
                {.name = "normalized", .kind = FactInfo::Kind::Flag},
                {.name = "weighted", .kind = FactInfo::Kind::Flag}},
      .ranks_zero = false,
      .shows_best = true,
      // Of one search at a time; where there is room, several share what they read.
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return betweenness_state(values.flag("weighted") && where.weighted, 1, where.id_bytes);
          },
      // Of every search, there and back.
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return detail::betweenness_reads(where, values, 2, "bc", kWeightedRate);
          },
      .measured = {{"bc", detail::choose_hops}, {kWeightedRate, detail::choose_weights}},
      .run = run_betweenness};
  return algorithm;
}

}  // namespace fathom
