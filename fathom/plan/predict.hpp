// How long a planned run would take: the cost model filled in with what was measured here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/exec/link_profile.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/plan/cost_model.hpp"
#include "fathom/plan/plan.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::plan {

/// What a run found out, of the work itself or of a breadth-first search in its place.
struct Pilot {
  /// Shares of all edges that were looked at, and of all list bytes that were fetched.
  struct Level {
    double edges = 0, bytes = 0;
    double vertices = 0;  // active; not a share
    bool pulled = false;
  };
  /// Seconds where the work itself ran, in the place that is planned. Of Sweeps: of the first
  /// superstep, which fetches what stays, and of one of the others; `supersteps` is 0 where it was
  /// not run to its end. Of others: of a run, or until it was stopped.
  struct Times {
    double run = 0, first = 0, step = 0;
    double loading = 0;  // more of the first run of a process, which loads kernels of a GPU
    std::uint32_t supersteps = 0;
    bool stopped = false;
  };
  std::vector<Level> levels;
  std::optional<Times> times;  // none: a search
};

/// @param moved_bytes  of the lists that the run could have fetched (Plan::moved_bytes).
FATHOM_API Pilot pilot_of(const RunReport& run, std::uint64_t edges, std::uint64_t moved_bytes);

/// Of runs of the work itself, one at least, that came to their ends: the median.
FATHOM_API Pilot::Times times_of(std::span<const RunReport> runs);

struct Prediction {
  Range seconds;
  Range supersteps;    // of Sweeps, or of a traversal with a pilot; else {0, 0}: not known
  Range step;          // seconds of a superstep of Sweeps
  Range kernels;       // seconds of all kernels
  Range fetched;       // bytes from the disk or over the link, in all
  double ceiling = 0;  // bytes per second of what they are fetched over; 0: nothing is fetched
};

/// How far a run is told to lie from its pilot: the root of the 1.5 : 1 that a plan with one may
/// span. Not from measured scatter, which on a shared machine is larger.
inline constexpr double kPilotError = 1.22;

/// From the fastest to the slowest that is told without the times of a pilot, at least: what a plan
/// may span, not a measured error of the model.
inline constexpr double kModelSpan = 3;

/// Without the times of a pilot nothing for algorithms without a model (Reads::Kind::Unknown) or
/// without measured rates, and for emulated devices, which take turns. Traversals start in the
/// largest component. Several GPUs share the pages, and merge their vertex state after each
/// superstep.
/// @param rates  without any work: kernels of a GPU count as nothing.
/// @param link   of the GPU; null: none.
/// @param pilot  narrows traversals; with times: everything. Null: none.
FATHOM_API std::optional<Prediction> predict(const PlanRequest& request, const Plan& plan,
                                             const MachineRates& rates, const LinkProfile* link,
                                             const Pilot* pilot);

}  // namespace fathom::plan
