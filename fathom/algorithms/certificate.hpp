// What certificate checks share: kernels record the first vertex that breaks a rule.
#pragma once

#include <string>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom {

/// One rule of a certificate. Kernels report vertices that break it; check() throws for the lowest.
class Rule {
 public:
  /// Trivially copyable: what a functor holds.
  struct Ref {
    VertexId* first;
    FATHOM_HD void broken_by(VertexId v) const { AtomicRef(*first).fetch_min(v); }
  };

  explicit Rule(const Context& ctx) : first_(ctx, 1, kNoVertex) {}
  Ref on(const Device& device) { return {first_.on(device)}; }

  /// @throws Error(VerificationFailed) "<algorithm>: vertex <id> <what>".
  void check(const std::string& algorithm, const std::string& what) {
    first_.merge();
    if (const VertexId v = first_.get(0); v != kNoVertex)
      throw Error(ErrorCode::VerificationFailed,
                  algorithm + ": vertex " + std::to_string(v) + " " + what);
  }

 private:
  VertexArray<VertexId, MergeMin> first_;
};

}  // namespace fathom
