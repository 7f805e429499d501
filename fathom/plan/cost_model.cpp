#include "fathom/plan/cost_model.hpp"

#include <algorithm>

namespace fathom::plan {

double step_seconds(const StreamRates& rates, const Sharing& sharing, const StreamedStep& step) {
  const double share = sharing.devices * sharing.skew;  // N * d_skew
  const double copies =
      (step.state_bytes + step.page_bytes) * (1 - sharing.hit_rate) / (rates.stream_copy * share);
  const double reads = step.disk_bytes / rates.disk;
  const double kernels = step.kernels / share;
  const double last_kernel = step.pages > 0 ? step.kernels / step.pages : 0;
  // A step that only computes has no pipeline, and so no last kernel that sticks out of it.
  const double fetched = std::max(copies, reads);
  const double pipeline = fetched > 0 ? std::max(fetched + last_kernel, kernels) : kernels;
  return pipeline + rates.call * step.pages / share + rates.sync * (sharing.devices - 1);
}

double sweep_seconds(const StreamRates& rates, const Sharing& sharing, double stay_bytes,
                     const StreamedStep& step, double supersteps) {
  return 2 * stay_bytes / rates.chunk_copy + supersteps * step_seconds(rates, sharing, step);
}

double traversal_seconds(const StreamRates& rates, const Sharing& sharing, double stay_bytes,
                         std::span<const StreamedStep> levels) {
  double seconds = 2 * stay_bytes / rates.chunk_copy;
  for (const StreamedStep& level : levels) seconds += step_seconds(rates, sharing, level);
  return seconds;
}

}  // namespace fathom::plan
