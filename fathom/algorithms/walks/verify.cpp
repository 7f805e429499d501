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
constexpr std::uint64_t kStepsTogether = std::uint64_t{1} << 22;

struct Step {
  VertexId from, to;  // kNoVertex: it ends there
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes what it generates
  friend auto operator<=>(const Step&, const Step&) = default;
};

std::string label_of(const WalkOptions& options, VertexId v) {
  return options.label_of ? options.label_of(v) : std::to_string(v);
}

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
void check_steps(std::span<const Step> steps, const WalkOptions& options, ListReader& reader) {
  const VertexId u = steps[0].from;
  std::vector<bool> is_edge(steps.size());
  bool any = false;
  reader.read(u, [&](const PlainSpan& span) {
    for (std::uint32_t i = 0; i < span.size; ++i) {
      if (options.weighted && !(span.weight(i) > 0)) continue;
      any = true;
      const auto at = std::ranges::lower_bound(steps, Step{u, span.target(i)});
      if (at != steps.end() && at->to == span.target(i))
        is_edge[static_cast<std::size_t>(at - steps.begin())] = true;
    }
  });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].to == kNoVertex) {
      if (any) refute(kName, "a walk ends at vertex " + label_of(options, u) + ", which has edges");
    } else if (!is_edge[i]) {
      refute(kName, "a step from vertex " + label_of(options, u) + " to " +
                        label_of(options, steps[i].to) + " is along no edge");
    }
  }
}

void check_all(std::vector<Step>& steps, const WalkOptions& options, ListReader& reader) {
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (auto at = steps.begin(); at != steps.end();) {
    const auto end =
        std::find_if(at, steps.end(), [&](const Step& s) { return s.from != at->from; });
    check_steps({at, end}, options, reader);
    at = end;
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
  const auto reader = graph.out().read_lists();
  // As many walks together as have few steps, and at least one.
  const std::uint64_t together = std::max<std::uint64_t>(1, kStepsTogether / width);
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < walks; ++i) {
    const std::uint64_t s = (first + i) / options.per_source;
    const auto row = rows.subspan(i * width, width);
    if (row[0] != (sources ? (*sources)[s] : static_cast<VertexId>(s)))
      refute(kName, "walk " + std::to_string(first + i) + " does not begin at its source");
    add_steps(first + i, row, options.restart > 0, graph.vertices(), steps);
    if ((i + 1) % together != 0 && i + 1 < walks) continue;
    check_all(steps, options, *reader);
    steps.clear();
  }
}

}  // namespace fathom
