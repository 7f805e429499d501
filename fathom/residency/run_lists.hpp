// The lists that one run of an algorithm reads, made ready before its vertex state is allocated: a
// cache gets what that leaves, and what is handed out of caches stays until the run ends.
#pragma once

#include <vector>

#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

class FATHOM_API RunLists {
 public:
  struct Lists {
    EdgeSource& source;
    SweepOptions options = {};
    // How often a run reads these lists, relative to the others it reads: which a cache is for.
    double reads = 1;
  };

  /// @throws what EdgeSource::prepare() does.
  RunLists(const Context& ctx, const StateSize& state, const std::vector<Lists>& lists);
  ~RunLists();
  RunLists(const RunLists&) = delete;
  RunLists& operator=(const RunLists&) = delete;

 private:
  void end() noexcept;

  const Context& ctx_;
  bool begun_ = false;
};

}  // namespace fathom
