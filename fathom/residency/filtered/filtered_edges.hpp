// The view of lists of which some edges are hidden: the lists as they lie in memory, and a bit for
// each edge that says whether it is kept.
//
// A span is a run of kept edges that lie side by side. Positions count kept edges alone, so that
// offsets, degrees and limits are those of a graph that has no others.
#pragma once

#include "fathom/residency/filtered/kept_runs.hpp"
#include "fathom/residency/plain_span.hpp"

namespace fathom {

/// For loops of the host; kernels are not compiled for it.
struct FilteredEdges {
  const EdgeId* offset = nullptr;       // kept edges of v: positions offset[v] .. offset[v + 1)
  const EdgeId* stored = nullptr;       // where the list of v begins in target, kept edges or not
  const VertexId* target = nullptr;     // of all edges
  const Weight* weight = nullptr;       // likewise; null: unweighted
  const std::uint64_t* kept = nullptr;  // bit p % 64 of word p / 64: target[p] is kept
  EdgeId limit = kWholeList;            // show at most so many edges of each list

  /// The next kept edge lies at or behind target[at].
  struct Cursor : EdgeCursor {
    EdgeId at;
  };
  using Span = PlainSpan;

  FATHOM_HD Cursor begin(VertexId v) const {
    return {detail::list_of(offset, v, limit), stored[v]};
  }

  /// The run ends within the list: behind the list's last kept edge there is none to count.
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.pos == c.end) return false;
    const EdgeId first = next_kept(kept, c.at, ~EdgeId{0});
    const EdgeId most = c.end - c.pos < kLongestSpan ? c.end - c.pos : kLongestSpan;
    const EdgeId run = kept_run(kept, first, most);
    s = {target + first, weight ? weight + first : nullptr, static_cast<std::uint32_t>(run)};
    c.pos += run;
    c.at = first + run;
    return true;
  }
};

}  // namespace fathom
