// What each of several ranks shows, holds and sends: replicas of all vertex state, a share of the
// lists, and the merges of exec/ranks/replica_group.hpp, counted as these count them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fathom/plan/predict.hpp"

namespace fathom::plan {

/// The fewest and the most that one of the ranks shows: edges in a sweep over all, and vertices
/// whose lists it shows, of the out-lists if these are read.
struct RankShares {
  std::uint64_t least = 0, most = 0;
  std::uint64_t fewest_vertices = 0, most_vertices = 0;
};

/// Whether threads of a host reach all that a run of the algorithm looks for at any time: of
/// several ranks those that sweep see whole lists, and update their own vertices in place.
bool reaches_all(const PlanRequest& request);
/// @throws Error(Usage) of several ranks.
void refuse_split_of_ranks(const Machine& machine);
/// Bytes for each vertex that hooks of all ranks take while they are told, at most.
double told_hooks(const Workload& work, const PlanRequest& request);

/// As share_of_rank() deals lists out. @param in  of in-lists that are read too; may be empty.
/// Cost: a search of the offsets for each rank.
FATHOM_API RankShares shares_of_ranks(int ranks, std::span<const EdgeId> offsets,
                                      std::span<const EdgeId> in);

struct RankPlan {
  int ranks = 1;
  RankShares edges;
  bool even = false;              // lists are not known: shares are taken to be equal
  std::uint64_t state_bytes = 0;  // of a rank: a whole replica
  std::uint64_t list_bytes = 0;   // read by a rank in such a sweep, at most
  std::optional<Range> sent;      // bytes of a rank in a run; nothing: see `basis`
  Range supersteps;               // that these are told of; 0: not known
  std::string basis;              // what was assumed, or why nothing is told
};

/// @param shares      nothing: the graph is not there yet, or its degree-oriented lists are not.
/// @param supersteps  of Sweeps, as they were predicted; null: as the algorithm bounds them.
/// @param pilot       of a search: its levels. Null: levels as of graphs that are alike.
FATHOM_API RankPlan plan_ranks(const PlanRequest& request, const Plan& plan,
                               const std::optional<RankShares>& shares, const Range* supersteps,
                               const Pilot* pilot);

}  // namespace fathom::plan
