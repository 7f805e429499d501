// One run of an algorithm that can split its vertex state: whether it does, and into how many
// chunks (GTS, section 4: strategy P while WA fits one device, S beyond).
#pragma once

#include "fathom/exec/split.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// Device memory that an algorithm's state takes, in bytes per vertex.
struct StateSize {
  const char* algorithm;
  double whole = 0;   // on each device when nothing is split, without offsets
  double chunk = 0;   // of a chunk, when split
  double source = 0;  // of a pass, when split: what edges read at their sources
  double always = 0;  // on each device when split: frontiers
  bool weights = false;
  bool in_lists = false;        // unsplit, in-edges of directed graphs are read as well
  bool split_in_lists = false;  // split too
};

class FATHOM_API SplitRun {
 public:
  /// Splits nothing where edges are not streamed to devices with memories of their own, or if the
  /// graph's Strategy is Performance; as PagingOptions::chunks says if it is Scalability; else
  /// into the fewest chunks that fit, if not splitting does not.
  /// @throws Error(DoesNotFit) saying what would do.
  SplitRun(const Context& ctx, const Graph& graph, const StateSize& state);
  ~SplitRun();
  SplitRun(const SplitRun&) = delete;
  SplitRun& operator=(const SplitRun&) = delete;

  Split& split() { return split_; }

 private:
  template <class Visit>
  void for_each_source(const Visit& visit) const;

  const Graph& graph_;
  bool in_lists_;
  Split split_;
};

}  // namespace fathom
