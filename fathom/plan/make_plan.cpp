#include <algorithm>

#include "fathom/algorithms/described/planned.hpp"
#include "fathom/core/error.hpp"
#include "fathom/plan/plan_once.hpp"

namespace fathom::plan {
namespace {

/// Of so many at a time.
PlanRequest in_batches(const PlanRequest& request, std::uint64_t batch) {
  PlanRequest its = request;
  if (!its.options) its.options.emplace(find_planned(its.algorithm)->options);
  its.options->set_count(kPlannedBatch, batch);
  return its;
}

bool takes_batches(const PlanRequest& request) {
  const Algorithm* const algorithm = find_planned(request.algorithm);
  return algorithm && std::ranges::find(algorithm->options, kPlannedBatch, &OptionInfo::name) !=
                          algorithm->options.end();
}

/// Whether what is more than the least takes no more than a quarter of what that leaves.
bool leaves_most(std::uint64_t bytes, std::uint64_t least, std::uint64_t limit) {
  return bytes - least <= (limit - std::min(limit, least)) / 4;
}

/// The largest batch that leaves most of the memory to what is read through, as runs choose it.
Plan plan_batches(const PlanRequest& request) {
  Plan fewest = plan_once(in_batches(request, 0));
  for (std::uint64_t batch = std::uint64_t{1} << 31; batch > 1; batch /= 2) {
    try {
      Plan plan = plan_once(in_batches(request, batch));
      if (!leaves_most(plan.least_host, fewest.least_host, request.machine.host_memory) ||
          !leaves_most(plan.least_device, fewest.least_device, request.machine.device_memory))
        continue;
      plan.least_host = fewest.least_host;
      plan.least_device = fewest.least_device;
      return plan;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::DoesNotFit) throw;
    }
  }
  return fewest;
}

/// With the state that the algorithm likes best where it fits in one piece, else with its smallest,
/// as runs choose it. Ranks, which would have to agree on that, take the first.
Plan plan_state(const PlanRequest& request) {
  if (request.scarce || request.machine.ranks > 1) return plan_once(request);
  PlanRequest scarce = request;
  scarce.scarce = true;
  Plan smallest = plan_once(scarce);
  try {
    Plan plan = plan_once(request);
    if (plan.chunks > 0) return smallest;
    plan.least_host = smallest.least_host;
    plan.least_device = smallest.least_device;
    return plan;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::DoesNotFit) throw;
  }
  return smallest;
}

}  // namespace

Plan make_plan(const PlanRequest& request) {
  return takes_batches(request) ? plan_batches(request) : plan_state(request);
}

}  // namespace fathom::plan
