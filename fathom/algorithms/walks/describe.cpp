// What plans need to know of walks; their command is written by hand.
#include <algorithm>

#include "fathom/algorithms/described/planned.hpp"
#include "fathom/algorithms/walks/batches.hpp"
#include "fathom/algorithms/walks/walks.hpp"

namespace fathom {
namespace {

WalkOptions walk_options(const OptionValues& values) {
  WalkOptions options;
  options.length = static_cast<std::uint32_t>(values.count("length"));
  options.weighted = values.flag("weighted");
  options.p = values.real("p");
  options.q = values.real("q");
  return options;
}

/// Bytes that do not depend on the number of vertices, as so many of each.
double per_vertex(std::uint64_t bytes, std::uint64_t vertices) {
  return vertices == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(vertices);
}

StateSize state_of_walks(const Algorithm::Where& where, const OptionValues& values) {
  const WalkOptions options = walk_options(values);
  const std::uint64_t fewest = fewest_walks(options);
  const std::uint64_t batch =
      std::clamp(values.count("batch"), fewest, most_walks(options, where.in_reach));
  const auto memory = [&](std::size_t devices) {
    return walk_memory(options, batch, where.in_reach, devices, where.id_bytes);
  };
  StateSize size = walks_state(memory(where.one_device ? 1 : 2), where.in_reach, true);
  size.beside = per_vertex(memory(0).host, where.vertices);
  size.result = per_vertex(memory(where.one_device ? 1 : 2).host, where.vertices);
  size.weights = options.weighted;
  return size;
}

constexpr std::string_view kWeightedRate = "walks --weighted";

/// A step reads an edge of the list that a walk is at, by weight all of it: lists are come to as
/// often as edges lead to them, so that a step reads as many as there are paths of two edges for
/// each of one. Of the second order it depends on the graph how often a step is tried.
Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  const WalkOptions options = walk_options(values);
  if (options.second_order()) return {};
  const bool weighted = options.weighted && where.weighted;
  if (weighted && where.two_paths <= 0) return {};
  double work = options.length / static_cast<double>(WalkOptions().length);
  if (weighted && where.edges > 0)
    work *= static_cast<double>(where.vertices) / static_cast<double>(where.edges);
  return {.kind = Reads::Kind::Traversal,
          .least = 1,
          .most = std::max(1., static_cast<double>(options.length)),
          .rate = weighted ? kWeightedRate : "walks",
          .by_two_paths = weighted,
          .least_work = work,
          .most_work = work};
}

Answer run_walks(const Context& ctx, const Graph& graph, const OptionValues& values) {
  Answer answer;
  answer.report = random_walks(ctx, graph, {}, walk_options(values)).report;
  return answer;
}

}  // namespace

const Algorithm& describe_walks() {
  static const Algorithm algorithm{
      .name = "walks",
      .purpose = "Random walks from given vertices or from all",
      .options = {{.name = "length",
                   .kind = OptionInfo::Kind::Count,
                   .value = "L",
                   .meaning = "Steps of a walk at most",
                   .most = (std::uint64_t{1} << 20) - 1,
                   .count = WalkOptions().length,
                   .shows_default = true,
                   .planned = true},
                  {.name = "weighted",
                   .meaning = "Go along edges in proportion to weights",
                   .planned = true},
                  {.name = "p",
                   .kind = OptionInfo::Kind::Real,
                   .value = "P",
                   .meaning = "Go back to where a walk came from by 1 / P",
                   .positive = true,
                   .real = 1,
                   .planned = true},
                  {.name = "q",
                   .kind = OptionInfo::Kind::Real,
                   .value = "Q",
                   .meaning = "Go where it could not have gone from there by 1 / Q",
                   .positive = true,
                   .real = 1,
                   .planned = true},
                  {.name = kPlannedBatch,
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "Walks at a time"}},
      .asks_two_paths = true,
      .state = state_of_walks,
      .reads = reads_of,
      .measured = {{"walks"},
                   {kWeightedRate, [](OptionValues& values) { values.set_flag("weighted"); }}},
      .run = run_walks};
  return algorithm;
}

}  // namespace fathom
