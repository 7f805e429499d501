// What each rank of a run did and waited for.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom::cli {

/// Of the last trial; peaks of the whole process.
struct RankRow {
  char machine[64] = "";
  double busy = 0, waiting = 0;  // seconds
  std::uint64_t exchanges = 0, bytes_sent = 0;
  std::uint64_t peak_host_bytes = 0, peak_device_bytes = 0;
};

/// Counts what a group exchanges from now on, and the time of it and of all else.
class RankMeter {
 public:
  explicit RankMeter(const ReplicaGroup& group) : group_(&group), before_(group.traffic()) {}

  RankRow row(const Context& context) const;

 private:
  const ReplicaGroup* group_;
  ReplicaGroup::Traffic before_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// The rows of all ranks, which all of them call for; empty for a rank alone.
std::vector<RankRow> gather_rows(const Context& context, const RankRow& mine);

/// An array with an object for each rank; null for none.
nlohmann::ordered_json json_of(const std::vector<RankRow>& rows);

/// A line for people; empty for none.
std::string text_of(const std::vector<RankRow>& rows);

}  // namespace fathom::cli
