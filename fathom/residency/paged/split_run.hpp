// One run of an algorithm that can split its vertex state: whether it does, and into how many
// chunks (GTS, section 4: strategy P while WA fits one device, S beyond).
#pragma once

#include <string>

#include "fathom/exec/split.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

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

  /// For what an algorithm cannot do with split state: `what` says so.
  /// @throws Error(Usage) if the graph's Strategy is Scalability, else Error(DoesNotFit).
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  template <class Visit>
  void for_each_source(const Visit& visit) const;

  const Graph& graph_;
  Split split_;
};

}  // namespace fathom
