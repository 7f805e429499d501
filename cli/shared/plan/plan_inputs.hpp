// What plans of runs on this machine are made of: what a context has, and what was measured here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/shared/execution.hpp"
#include "fathom/exec/link_profile.hpp"
#include "fathom/plan/plan.hpp"
#include "fathom/plan/rank_plan.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::cli {

/// A budget as plans say it.
std::uint64_t limit_of(std::size_t bytes);

/// The machine of a context that holds nothing yet, or nothing any more.
/// @param available  host memory that programs can have, where no budget stands for the machine.
plan::Machine machine_of(const Context& here, const ExecutionOptions& options,
                         std::uint64_t available);

/// Takes over how the options have lists read, of the request's shape.
/// @throws Error(Usage) as plan::narrowed_shape().
void set_reads(plan::PlanRequest& request, const ExecutionOptions& options);

/// Takes over what the options ask for, if it is something that several devices share out.
/// @throws Error(Usage) if they do not.
void set_strategy(plan::PlanRequest& request, const ExecutionOptions& options);

/// @throws Error(Usage) where a run of the algorithm would refuse the graph for its direction.
void check_direction(const Algorithm& algorithm, const plan::GraphShape& shape);

struct KnownRates {
  std::optional<plan::MachineRates> rates;
  std::optional<LinkProfile> link;
  std::string missing;  // what would have to be measured; empty: nothing
};

/// What was measured of the devices of a context. @throws Error(Io), Error(BadInput).
KnownRates known_rates(const Context& here, const ExecutionOptions& options);

/// Of a file, or of what the options keep of it, which is counted.
/// @throws Error(Usage), Error(BadInput), Error(Io)
plan::GraphShape shape_of_file(const std::string& path, const ExecutionOptions& options);

/// @throws Error(Usage) where the options keep some edges, of a graph that is no file.
void refuse_filter(const ExecutionOptions& options);

/// Which of the graphs that rates were measured on a file is like, and what else times and
/// exchanges depend on.
void look_at_degrees(plan::PlanRequest& request);

/// What ranks show of a file's lists; nothing without a path, and of lists yet to be oriented.
std::optional<plan::RankShares> rank_shares(const std::string& path, int ranks,
                                            const plan::Workload& work);

}  // namespace fathom::cli
