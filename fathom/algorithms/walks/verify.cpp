// The certificate: the steps of the rows, by the vertex they leave, against its list.
#include <algorithm>
#include <string>
#include <vector>

#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "walks";

struct Step {
  VertexId from, to;  // kNoVertex: it ends there
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes what it generates
  friend auto operator<=>(const Step&, const Step&) = default;
};

/// Adds the steps of a row that are along edges.
void add_steps(std::uint64_t walk, std::span<const VertexId> row, bool restarts, VertexId n,
               std::vector<Step>& steps) {
  bool ended = false;
  for (std::size_t i = 1; i < row.size(); ++i) {
    const VertexId to = row[i];
    if (ended && to != kNoVertex)
      refute(kName, "walk " + std::to_string(walk) + " goes on behind its end");
    if (to != kNoVertex && to >= n) refute(kName, std::to_string(to) + " is not a vertex");
    if (!ended && !(restarts && to == row[0])) steps.push_back({row[i - 1], to});
    ended = to == kNoVertex;
  }
}

/// Checks the steps that leave one vertex, ascending and each once.
void check_steps(std::span<const Step> steps, bool weighted, ListReader& reader) {
  const VertexId u = steps[0].from;
  std::vector<bool> is_edge(steps.size());
  bool any = false;
  reader.read(u, [&](const PlainSpan& span) {
    for (std::uint32_t i = 0; i < span.size; ++i) {
      if (weighted && !(span.weight(i) > 0)) continue;
      any = true;
      const auto at = std::ranges::lower_bound(steps, Step{u, span.target(i)});
      if (at != steps.end() && at->to == span.target(i))
        is_edge[static_cast<std::size_t>(at - steps.begin())] = true;
    }
  });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].to == kNoVertex) {
      if (any) refute(kName, "a walk ends at vertex " + std::to_string(u) + ", which has edges");
    } else if (!is_edge[i]) {
      refute(kName, "a step from vertex " + std::to_string(u) + " to " +
                        std::to_string(steps[i].to) + " is along no edge");
    }
  }
}

}  // namespace

void verify_walks(const Graph& graph, const WalkSources& sources, const WalkOptions& options,
                  std::uint64_t first, std::span<const VertexId> rows) {
  const std::size_t width = std::size_t{options.length} + 1;
  const std::uint64_t from = sources ? sources->size() : graph.vertices();
  if (rows.size() % width != 0) refute(kName, "rows are not of length + 1 vertices");
  const std::uint64_t walks = rows.size() / width;
  if (first + walks > from * options.per_source)
    refute(kName, "there are more walks than there should be");
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < walks; ++i) {
    const std::uint64_t s = (first + i) / options.per_source;
    const auto row = rows.subspan(i * width, width);
    if (row[0] != (sources ? (*sources)[s] : static_cast<VertexId>(s)))
      refute(kName, "walk " + std::to_string(first + i) + " does not begin at its source");
    add_steps(first + i, row, options.restart > 0, graph.vertices(), steps);
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const auto reader = graph.out().read_lists();
  for (auto at = steps.begin(); at != steps.end();) {
    const auto end =
        std::find_if(at, steps.end(), [&](const Step& s) { return s.from != at->from; });
    check_steps({at, end}, options.weighted, *reader);
    at = end;
  }
}

}  // namespace fathom
