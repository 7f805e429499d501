// Measures the link between one CUDA device and host memory: copies, reads in place by each of the
// three ways to obtain host memory, translation reach, unified memory.
#pragma once

#include <cstdint>

#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"
#include "fathom/exec/link_profile.hpp"

namespace fathom {

struct LinkProbeOptions {
  int device = 0;
  bool quick = false;  // regions up to 2 GiB, smaller samples: seconds instead of most of a minute
  bool full = false;   // every region, however long its memory takes to obtain: minutes
  std::uint64_t host_bytes = std::uint64_t{1} << 30;  // at most this much host memory at a time
  Task task;
};

/// Whether this build can measure: it was built with CUDA.
FATHOM_API bool link_probe_built();

/// Rates are medians of five runs, timed on the device. Device memory: below 1 GiB. Managed memory
/// never exceeds half of what the device has free. Regions that do not fit, would take too long to
/// obtain, or ways that the device lacks are named in `left_out`. The disk is not measured.
/// @throws Error(Device) without CUDA in the build, a driver or the device, or when it fails;
///         Error(Interrupted).
FATHOM_API LinkProfile measure_link(const LinkProbeOptions& options);

}  // namespace fathom
