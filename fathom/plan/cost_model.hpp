// What a run on streamed pages costs: equations 1 and 2 of GTS (Kim et al., SIGMOD 2016,
// section 5), extended by a disk below host memory and by kernels that take longer than the pages
// they wait for. The paper's symbols stand beside ours.
#pragma once

#include <limits>
#include <span>

#include "fathom/core/platform.hpp"

namespace fathom::plan {

inline constexpr double kAtOnce = std::numeric_limits<double>::infinity();

/// Rates in bytes per second; kAtOnce for a step that a machine does not have.
struct StreamRates {
  double chunk_copy = kAtOnce;   // c1: large copies of vertex state
  double stream_copy = kAtOnce;  // c2: pages, to each device at the same time
  double disk = kAtOnce;         // of all disks together
  double call = 0;               // t_call(1): seconds per page of starting a kernel on it
  double sync = 0;               // t_sync(1): seconds per superstep and device beyond the first
};

/// One superstep of any number of devices.
struct StreamedStep {
  double state_bytes = 0;  // |RA|: attributes that move along with their pages
  double page_bytes = 0;   // |SP| + |LP|
  double pages = 0;        // S + L
  double disk_bytes = 0;   // what of the pages is not in host memory
  double kernels = 0;      // seconds of one device for all pages
};

/// What the devices share: N, d_skew in [1 / devices, 1] and r_hit in [0, 1].
struct Sharing {
  int devices = 1;
  double skew = 1;      // 1: every device has the same to do
  double hit_rate = 0;  // of pages in a device's cache
};

/// Seconds of one superstep, but for vertex state that stays. The disk, the links and the kernels
/// work at the same time, so the slowest counts; the kernel of the last page is not hidden.
FATHOM_API double step_seconds(const StreamRates& rates, const Sharing& sharing,
                               const StreamedStep& step);

/// Equation 1: supersteps that all read every page. `stay_bytes` (|WA|) go to the devices before
/// the first one and come back after the last.
FATHOM_API double sweep_seconds(const StreamRates& rates, const Sharing& sharing, double stay_bytes,
                                const StreamedStep& step, double supersteps);

/// Equation 2: levels that read what they need. They do not overlap.
FATHOM_API double traversal_seconds(const StreamRates& rates, const Sharing& sharing,
                                    double stay_bytes, std::span<const StreamedStep> levels);

}  // namespace fathom::plan
