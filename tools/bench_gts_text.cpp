// The report of `fathom bench gts` as tables, with the numbers of the paper's text beside them.
#include <fmt/format.h>

#include <cmath>

#include "bench_gts.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli::gts {
namespace {

std::string bytes(const Json& count) {
  return format_bytes(count.get<std::uint64_t>());
}

std::string percent(const Json& share) {
  return share.is_null() ? "-" : fmt::format("{:.1f} %", 100 * share.get<double>());
}

std::string where(const Json& row) {
  std::string text =
      fmt::format("{}, {}", row["storage"].get<std::string>(), row["layout"].get<std::string>());
  if (!row["strategy"].is_null())
    text += fmt::format(", {} device{}", row["devices"].get<int>(),
                        row["devices"].get<int>() == 1 ? "" : "s");
  return text;
}

std::string times_table(const Json& rows) {
  std::string text = fmt::format("  {:>5} {:<9} {:<26} {:>11} {:>9} {:>10} {:>9}\n", "scale", "",
                                 "edges in", "seconds", "MTEPS", "disk GB/s", "hits");
  for (const Json& row : rows) {
    const bool disk = row["disk"]["bytes"].get<std::uint64_t>() > 0;
    text += fmt::format("  {:>5} {:<9} {:<26} {:>11.4f} {:>9.1f} {:>10} {:>9}\n",
                        row["scale"].get<int>(), row["app"].get<std::string>(), where(row),
                        row["seconds"]["median"].get<double>(), row["mteps"].get<double>(),
                        disk ? fmt::format("{:.2f}", row["disk"]["gbps"].get<double>()) : "-",
                        percent(row["cache"]["hit_rate"]));
  }
  return text;
}

std::string statistics_table(const Json& rows) {
  std::string text =
      fmt::format("  {:>5} {:>12} {:>14} {:>7} {:>10} {:>10} {:>8} {:>12}\n", "scale", "vertices",
                  "edges", "(p, q)", "page", "#SP", "#LP", "bytes");
  for (const Json& row : rows)
    text += fmt::format(
        "  {:>5} {:>12} {:>14} {:>7} {:>10} {:>10} {:>8} {:>12}\n", row["scale"].get<int>(),
        row["vertices"].get<std::uint64_t>(), row["edges"].get<std::uint64_t>(),
        fmt::format("({}, {})", row["pid_bytes"].get<int>(), row["slot_bytes"].get<int>()),
        bytes(row["page_bytes"]), row["small_pages"].get<std::uint64_t>(),
        row["large_pages"].get<std::uint64_t>(), bytes(row["bytes"]));
  return text;
}

std::string state_table(const Json& rows) {
  std::string text = fmt::format("  {:>5} {:<9} {:>12} {:>14} {:>9} {:>14} {:>9}\n", "scale", "",
                                 "topology", "state here", "share", "the paper's WA", "share");
  for (const Json& row : rows)
    text += fmt::format("  {:>5} {:<9} {:>12} {:>14} {:>9} {:>14} {:>9}\n", row["scale"].get<int>(),
                        row["app"].get<std::string>(), bytes(row["topology_bytes"]),
                        bytes(row["state_bytes"]), percent(row["ratio"]),
                        bytes(row["paper_state_bytes"]), percent(row["paper_state_ratio"]));
  return text;
}

struct Part {
  const char* name;
  const char* title;
  std::string (*table)(const Json& rows);
  const char* paper;
};

constexpr Part kParts[] = {
    {"table3", "Table 3: pages", statistics_table,
     "RMAT27 to RMAT29 in the paper, (2, 2): 9,724 SP and 58 LP, 19,533 and 62, 38,747 and 937;\n"
     "RMAT30 to RMAT32, (3, 3) of 64 MiB: 1,786, 3,584 and 7,175 SP, no LP.\n"},
    {"table4", "Table 4: vertex state beside topology", state_table,
     "State here is what stays with the edges: offsets apart, replicas, frontiers and RA "
     "included.\n"
     "In the paper WA is 1.7 % to 10 % of the topology (RMAT28: 20 GB and .5 to 2 GB).\n"},
    {"fig6", "Figures 6 to 8: by size", times_table,
     "In the paper: ten iterations of PageRank on RMAT29 in 59 s, 7 GB/s of pages (two TITAN X);\n"
     "BFS at most 1,500 MTEPS (Twitter). The other bars have no numbers in its text.\n"},
    {"fig9", "Figure 9: by place", times_table,
     "In the paper (RMAT30, 114 GB, PageRank): 153 s from memory, 196 s from two SSDs, 2,843 s "
     "from\n"
     "two hard disks. Strategy S is not in this version.\n"},
    {"fig13", "Figure 13: CC, BC (one source), SSSP", times_table, ""},
};

}  // namespace

std::string text_of(const Json& report) {
  std::string text = fmt::format(
      "{}, {} threads; {}\n", report["device"].get<std::string>(), report["threads"].get<int>(),
      report["verified"].get<bool>() ? "every result verified" : "results agree everywhere");
  for (const Part& part : kParts) {
    const Json& rows = report[part.name];
    if (rows.is_null()) continue;
    text += fmt::format("\n{}\n{}{}", part.title, part.table(rows), part.paper);
  }
  for (const Json& why : report["left_out"])
    text += fmt::format("left out: {}\n", why.get<std::string>());
  return text;
}

}  // namespace fathom::cli::gts
