#include "cli/shared/ranks/rank_rows.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "fathom/core/units.hpp"

namespace fathom::cli {

RankRow RankMeter::row(const Context& context) const {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
  const ReplicaGroup::Traffic& now = group_->traffic();
  RankRow row;
  ::gethostname(row.machine, sizeof(row.machine) - 1);
  row.waiting = now.seconds - before_.seconds;
  row.busy = took.count() - row.waiting;
  row.exchanges = now.exchanges - before_.exchanges;
  row.bytes_sent = now.bytes_sent - before_.bytes_sent;
  row.peak_host_bytes = context.peak_host_bytes();
  row.peak_device_bytes = context.peak_device_bytes();
  return row;
}

std::vector<RankRow> gather_rows(const Context& context, const RankRow& mine) {
  if (context.ranks() == 1) return {};
  std::vector<RankRow> rows(static_cast<std::size_t>(context.ranks()));
  context.group().all_gather(&mine, sizeof mine, rows.data());
  return rows;
}

nlohmann::ordered_json json_of(const std::vector<RankRow>& rows) {
  if (rows.empty()) return nullptr;
  auto all = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < rows.size(); ++r)
    all.push_back({{"rank", r},
                   {"machine", rows[r].machine},
                   {"seconds_busy", rows[r].busy},
                   {"seconds_waiting", rows[r].waiting},
                   {"exchanges", rows[r].exchanges},
                   {"bytes_sent", rows[r].bytes_sent},
                   {"peak_host_bytes", rows[r].peak_host_bytes},
                   {"peak_device_bytes", rows[r].peak_device_bytes}});
  return all;
}

std::string text_of(const std::vector<RankRow>& rows) {
  if (rows.empty()) return "";
  double busy = 0, longest = 0, waiting = 0;
  std::uint64_t most_sent = 0;
  for (const RankRow& row : rows) {
    busy += row.busy;
    longest = std::max(longest, row.busy);
    waiting += row.waiting;
    most_sent = std::max(most_sent, row.bytes_sent);
  }
  const auto ranks = static_cast<double>(rows.size());
  return fmt::format(
      "{} ranks: at most {} sent by one, in {} exchanges; the busiest worked {:.2f} times as long "
      "as the mean, {:.0f} % of the time was spent waiting\n",
      rows.size(), format_bytes(most_sent), format_count(rows[0].exchanges),
      busy > 0 ? longest * ranks / busy : 1.0,
      busy + waiting > 0 ? 100 * waiting / (busy + waiting) : 0.0);
}

}  // namespace fathom::cli
