#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fathom/algorithms/add_reports.hpp"
#include "fathom/algorithms/bfs/describe_parts.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/error.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

// Fewer searches are faster one by one: at four, R-MAT of scale 18 gains and uniform loses (cpu).
constexpr std::size_t kFewestTogether = 8;
// Of depths, in bits, for which searches that share lists are given room.
constexpr int kDepthPlanes = 10;

MultiBfsOptions together(const BfsOptions& options) {
  return {options.direction, options.depth_limit, options.hints};
}

/// Searches that share lists, or one after the other; the report adds their work up.
struct EachResult {
  std::vector<MultiBfsResult> batches;
  std::vector<BfsResult> searches;
  RunReport report;

  std::vector<FoundDepths> found() const {
    std::vector<FoundDepths> all;
    for (const BfsResult& one : searches) all.push_back(found_by(one));
    for (const MultiBfsResult& batch : batches)
      for (std::size_t i = 0; i < batch.reached.size(); ++i)
        all.push_back({batch.depths(i), {}, batch.reached[i], batch.max_depth[i]});
    return all;
  }
};

/// How many searches shall share the lists they fetch.
std::size_t batch_size(const Context& ctx, const Graph& graph, std::size_t sources,
                       const BfsOptions& options) {
  if (options.parents || sources < kFewestTogether) return 1;
  // Searches that share lists have all of their state on each device.
  const SplitEdges* const split = graph.out().split_edges();
  if (split && split->strategy() == Strategy::Scalability) return 1;
  const auto each = static_cast<std::size_t>(multi_bfs_state(kDepthPlanes).whole);
  const auto roomy = [&](const Device& d) {
    return obtainable(*d.memory()) / 2 / each >= graph.vertices();
  };
  if (!fits_on_all(ctx, roomy)) return 1;
  return std::min(sources, MultiSearch::kMost);
}

/// Calls visit(first sources of a batch) for each batch.
template <class Visit>
void for_batches(std::span<const VertexId> sources, std::size_t size, const Visit& visit) {
  for (; !sources.empty(); sources = sources.subspan(std::min(size, sources.size())))
    visit(sources.first(std::min(size, sources.size())));
}

EachResult search_each(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                       std::size_t batch, const BfsOptions& options) {
  EachResult all;
  for_batches(sources, batch, [&](std::span<const VertexId> some) {
    if (batch == 1) {
      all.searches.push_back(bfs(ctx, graph, some, options));
      add_report(all.report, all.searches.back().report);
    } else {
      all.batches.push_back(multi_bfs(ctx, graph, some, together(options)));
      add_report(all.report, all.batches.back().report);
    }
  });
  return all;
}

void verify_each(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                 std::size_t batch, const BfsOptions& options, const EachResult& result) {
  std::size_t i = 0;
  for_batches(sources, batch, [&](std::span<const VertexId> some) {
    if (batch == 1)
      verify_bfs(ctx, graph, some, options, result.searches[i++]);
    else
      verify_multi_bfs(ctx, graph, some, together(options), result.batches[i++]);
  });
}

/// @throws Error(Usage) when two columns would be of the same source.
void check_distinct(const ChosenVertices& sources) {
  std::map<VertexId, std::size_t> first;
  const std::vector<std::string>& labels = sources.labels;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (const auto [at, fresh] = first.emplace(sources.ids[i], i); !fresh)
      throw Error(ErrorCode::Usage,
                  fmt::format("--each gives a column per source, but {} is given twice",
                              labels[at->second] == labels[i]
                                  ? labels[i]
                                  : fmt::format("{} (also {})", labels[at->second], labels[i])));
}

}  // namespace

Answer bfs_from_each(const Context& ctx, const Graph& graph, const ChosenVertices& sources,
                     const BfsOptions& options) {
  check_distinct(sources);
  const std::size_t batch = batch_size(ctx, graph, sources.ids.size(), options);
  const auto kept =
      std::make_shared<const EachResult>(search_each(ctx, graph, sources.ids, batch, options));
  Answer answer = answer_of(
      kept, [=, ids = sources.ids](const Context& on, const Graph& of, const EachResult& its) {
        verify_each(on, of, ids, batch, options, its);
      });
  std::vector<Facts> each;
  const std::vector<FoundDepths> found = kept->found();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string& source = sources.labels[i];
    add_depth_columns(answer.columns, found[i], ":" + source);
    each.push_back(depth_facts(found[i], {source}));
    answer.summary += depth_headline(found[i], source);
  }
  answer.facts = {
      {"sources", sources.labels}, {"batch", std::uint64_t{batch}}, {"each", std::move(each)}};
  return answer;
}

}  // namespace fathom
