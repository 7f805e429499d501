// What power iterations do on a vertex, for any executor. Next is how a vertex's value follows from
// itself and what it received: `double of(double value, double received) const`.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom {

/// The first vertex that received what is no finite number of at least 0 is the smallest of these.
struct BadReceived {
  static constexpr bool kDeviceCode = true;
  const double* received;
  FATHOM_HD VertexId operator()(VertexId v) const {
    return received[v] >= 0 && received[v] <= 1.7976931348623157e308 ? kNoVertex : v;
  }
};

/// How far a vertex's next value is from its own; summed up.
template <class Next>
struct StepLength {
  static constexpr bool kDeviceCode = true;
  const double* value;
  const double* received;
  Next next;
  FATHOM_HD double operator()(VertexId v) const {
    const double change = next.of(value[v], received[v]) - value[v];
    return change > -change ? change : -change;  // no branch: signs are random
  }
};

template <class Next>
struct TakeStep {
  static constexpr bool kDeviceCode = true;
  double* value;
  const double* received;
  Next next;
  FATHOM_HD void operator()(VertexId v) const { value[v] = next.of(value[v], received[v]); }
};

/// A vertex's next value; summed up.
template <class Next>
struct ValueOfNext {
  static constexpr bool kDeviceCode = true;
  const double* value;
  const double* received;
  Next next;
  FATHOM_HD double operator()(VertexId v) const { return next.of(value[v], received[v]); }
};

/// The square of a vertex's next value; summed up.
template <class Next>
struct SquareOfNext {
  static constexpr bool kDeviceCode = true;
  const double* value;
  const double* received;
  Next next;
  FATHOM_HD double operator()(VertexId v) const {
    const double now = next.of(value[v], received[v]);
    return now * now;
  }
};

}  // namespace fathom
