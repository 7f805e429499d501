// Walking over a graph that changes, and changing it, in code of one's own: the same source for
// host threads and kernels.
#pragma once

#include <fathom/dynamic/lists/find_edge.hpp>
#include <fathom/dynamic/live/live_changes.hpp>
#include <fathom/dynamic_graph.hpp>

/// How many of u's edges have one that goes back.
FATHOM_HD std::uint32_t mutual_edges(const fathom::DynamicEdges& lists, fathom::VertexId u) {
  std::uint32_t count = 0;
  fathom::DynamicSpan span;
  for (auto cursor = lists.begin(u); lists.next(cursor, span);)
    for (std::uint32_t i = 0; i < span.size; ++i)
      if (fathom::dynamic::find_edge(lists, span.target(i), u).found) ++count;
  return count;
}

/// Lets each of the first eight that u knows know u.
FATHOM_HD void answer_all(const fathom::LiveLists& lists, fathom::VertexId u) {
  fathom::VertexId known[8];
  std::uint32_t count = 0;
  lists.locked(fathom::OneLane{}, u,
               [&](fathom::VertexId v, fathom::Weight, const fathom::EdgeFields&) {
                 if (count < 8) known[count++] = v;
               });
  for (std::uint32_t i = 0; i < count; ++i) lists.insert(fathom::OneLane{}, known[i], u);
}

/// answer_all() for all vertices of lists in a GPU's memory, by a thread each.
void answer_all_on_gpu(const fathom::LiveLists& lists);
/// The sum of mutual_edges() over all vertices of lists in a GPU's memory.
std::uint64_t mutual_edges_on_gpu(const fathom::DynamicEdges& lists, fathom::VertexId vertices);
/// Whether there is a GPU, and code for it.
bool gpu_is_there();
