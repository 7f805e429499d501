// The report of `fathom bench gts` as tables, with the numbers of the paper's text beside them.
#include <fmt/format.h>

#include <cmath>

#include "bench/papers/gts/gts.hpp"
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
  if (row["residency"] == "zerocopy") text += ", zerocopy";
  const int devices = row["devices"].get<int>();
  if (devices > 1 || !row["strategy"].is_null())
    text += fmt::format(", {} device{}", devices, devices == 1 ? "" : "s");
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

std::string overlap_table(const Json& rows) {
  std::string text = fmt::format("  {:>5} {:<9} {:<8} {:>12} {:>12} {:>12} {:>9}\n", "scale", "",
                                 "from", "transfer s", "kernels s", "in all s", "ratio");
  for (const Json& row : rows)
    text += fmt::format(
        "  {:>5} {:<9} {:<8} {:>12.4f} {:>12.4f} {:>12.4f} {:>9}\n", row["scale"].get<int>(),
        row["app"].get<std::string>(), row["storage"].get<std::string>(),
        row["transfer_seconds"].get<double>(), row["kernel_seconds"].get<double>(),
        row["seconds"].get<double>(),
        row["ratio"].is_null() ? "-" : fmt::format("{:.2f}:1", row["ratio"].get<double>()));
  return text;
}

/// Rows of runs with what was varied in front.
std::string varied_table(const Json& rows, const char* title, const char* key) {
  std::string text = fmt::format("  {:<16} {:>12} {:>11} {:>10} {:>12} {:>9} {:>9}\n", "", title,
                                 "seconds", "disk GB/s", "kept", "hits", "B/(S+L)");
  for (const Json& row : rows)
    text += fmt::format("  {:<16} {:>12} {:>11.4f} {:>10.2f} {:>12} {:>9} {:>9}\n",
                        row["app"].get<std::string>() + " " + row.value("technique", ""),
                        row[key].dump(), row["seconds"]["median"].get<double>(),
                        row["disk"]["gbps"].get<double>(), bytes(row["cache"]["bytes"]),
                        percent(row["cache"]["hit_rate"]), percent(row["cache"]["share_of_pages"]));
  return text;
}

std::string depth_table(const Json& rows) {
  return varied_table(rows, "reads at once", "io_depth");
}

std::string cache_table(const Json& rows) {
  return varied_table(rows, "share asked", "share_asked");
}

std::string density_table(const Json& rows) {
  return varied_table(rows, "edges/vertex", "edge_factor");
}

std::string plans_table(const Json& part) {
  std::string text = "  The model with the paper's rates, PageRank x 10 on RMAT30 (114 GB):\n";
  for (const Json& row : part["checked"])
    text +=
        fmt::format("  {:<16} {:>8.0f} s; the paper calculates {:.0f} s and measures {:.0f} s\n",
                    row["storage"].get<std::string>(), row["seconds"].get<double>(),
                    row["paper_calculated"].get<double>(), row["paper_measured"].get<double>());
  text += fmt::format("  RMAT32 has {} of slotted pages, (3, 3). Times without kernels:\n",
                      bytes(part["slotted_bytes"]));
  text += fmt::format("  {:<14} {:>7} {:<9} {:>12} {:>13} {:>13}\n", "device", "devices", "", "WA",
                      "from memory", "from disk");
  for (const Json& row : part["predicted"])
    text += fmt::format(
        "  {:<14} {:>7} {:<9} {:>12} {:>13} {:>13}{}\n", row["device"].get<std::string>(),
        row["devices"].get<int>(), row["app"].get<std::string>(), bytes(row["state_bytes"]),
        format_seconds(row["from_memory"].get<double>()),
        row["from_disk"].is_null() ? "-" : format_seconds(row["from_disk"].get<double>()),
        row["fits_one_device"].get<bool>() ? "" : "  WA does not fit one device");
  for (const Json& row : part["plans"]) {
    text += fmt::format("  {} on {} {}:", row["app"].get<std::string>(), row["devices"].get<int>(),
                        row["device"].get<std::string>());
    const Json& plan = row["plan"];
    if (plan.contains("does_not_fit")) {
      text += " " + plan["does_not_fit"].get<std::string>() + "\n";
      continue;
    }
    for (const Json& held : plan["holdings"])
      text += fmt::format("{} {} {} ({})", &held == &plan["holdings"].front() ? "" : ",",
                          held["tier"].get<std::string>(), bytes(held["bytes"]),
                          held["what"].get<std::string>());
    text += "\n";
  }
  return text;
}

std::string bars_table(const Json& part) {
  if (part.is_null()) return "";
  std::string text = "  PageRank from disk, beside the disk's own sequential rate (O_DIRECT):\n";
  for (const Json& row : part["rate"])
    text += fmt::format(
        "  {:<5} {:<8} {:>7.2f} GB/s of {}, {}; kernels run {}, waiting {}, not overlapped {}\n",
        row["storage"].get<std::string>(), row["layout"].get<std::string>(),
        row["bytes_per_second"].get<double>() / 1e9,
        row["raw_bytes_per_second"].is_null()
            ? "an unknown rate"
            : fmt::format("{:.2f}", row["raw_bytes_per_second"].get<double>() / 1e9),
        percent(row["share_of_raw"]), percent(row["kernels_share"]), percent(row["waited_share"]),
        percent(row["not_overlapped_share"]));
  const Json& pages = part["pages"];
  text += fmt::format(
      "  BFS needs {} pages (of {}), fetches {} without a cache: {}\n",
      pages["needed_pages"].get<std::uint64_t>(), pages["all_pages"].get<std::uint64_t>(),
      pages["fetched_pages"].is_null() ? "what frames lack" : pages["fetched_pages"].dump(),
      pages["equal"].get<bool>() ? "equal" : "NOT EQUAL");
  for (const Json& row : part["memory"])
    text += fmt::format("  {:<9} {} of pages within {}: budgeted {}, resident {} ({} before)\n",
                        row["app"].get<std::string>(), bytes(row["graph_bytes"]),
                        bytes(row["host_memory"]), bytes(row["peak_host_bytes"]),
                        bytes(row["peak_resident_bytes"]), bytes(row["resident_before"]));
  return text;
}

struct Part {
  const char* name;
  const char* title;
  std::string (*table)(const Json& rows);
  const char* paper;
};

constexpr Part kParts[] = {
    {"table1", "Table 1: transfer to kernels", overlap_table,
     "In the paper BFS 1:3 to 2:1, PageRank 1:20 to 1:4 (GPU). Each is the time in which at least "
     "one\n"
     "page moves, and in which a kernel runs; reads count until their end is noticed.\n"},
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
     "two hard disks. Here devices follow strategy P alone.\n"},
    {"fig10", "Figure 10: reads under way at once", depth_table,
     "In the paper more streams, up to 32, are faster for every graph.\n"},
    {"fig11", "Figure 11: cache of BFS", cache_table,
     "In the paper hit rates grow linearly with the cache, as B/(S+L) does. Runs begin with "
     "nothing\n"
     "kept.\n"},
    {"fig13", "Figure 13: CC, BC (one source), SSSP", times_table, ""},
    {"fig14", "Figure 14: density", density_table,
     "In the paper edge-centric kernels win from 1:8 on, hybrid ones gain up to 6 % (BFS) and 24 "
     "%\n"
     "(PageRank) more.\n"},
    {"rmat32", "RMAT32 on paper", plans_table, ""},
    {"bars", "Bars", bars_table, ""},
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
