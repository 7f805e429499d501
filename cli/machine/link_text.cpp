#include "cli/machine/link_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

constexpr std::size_t kTextWidth = 58;

std::string rate(LinkProfile::Rate gbps) {
  if (!gbps) return fmt::format("{:>11}", "-");
  return fmt::format("{:>11.{}f}", *gbps, *gbps < 10 ? 2 : 1);
}

std::string row(const std::string& text, std::initializer_list<LinkProfile::Rate> rates) {
  std::string line = fmt::format("  {:<{}}", text, kTextWidth);
  for (const LinkProfile::Rate r : rates) line += rate(r);
  return line + "\n";
}

std::string heading(const std::string& text, std::initializer_list<const char*> columns) {
  std::string line = fmt::format("\n{:<{}}", text, kTextWidth + 2);
  for (const char* column : columns) line += fmt::format("{:>11}", column);
  return line + "\n";
}

/// A member of the first row that fits; nothing when none does.
template <class Row>
LinkProfile::Rate find(const std::vector<Row>& rows, const auto& fits, double Row::*member) {
  const auto found = std::find_if(rows.begin(), rows.end(), fits);
  return found == rows.end() ? LinkProfile::Rate() : LinkProfile::Rate((*found).*member);
}

std::string copies_table(const LinkProfile& p) {
  std::string text = heading("Copies between pinned host memory and the device", {"GB/s"});
  for (const auto& chunk : p.copies.chunked)
    text += row(
        fmt::format("to the device, chunks of {} over 8 streams", format_bytes(chunk.chunk_bytes)),
        {chunk.gbps});
  text += row("to the device, one large copy", {p.copies.to_device});
  text += row("to the host, one large copy", {p.copies.to_host});
  text += row("to the device, from pageable memory", {p.copies.pageable_to_device});
  text += row("to the host, into pageable memory", {p.copies.pageable_to_host});
  return text + fmt::format("  A copy costs {:.1f} us and its bytes at {:.1f} GB/s.\n",
                            copy_cost(p, 0) * 1e6, p.copies.to_device);
}

std::string in_order_table(const LinkProfile& p) {
  using InOrder = LinkProfile::InOrder;
  const auto line = [&](const char* name, double InOrder::*member) {
    const auto of = [&](ZeroCopyWay way) {
      return find(
          p.in_order, [&](const InOrder& r) { return r.way == way; }, member);
    };
    return row(name,
               {of(ZeroCopyWay::Malloc), of(ZeroCopyWay::Register), of(ZeroCopyWay::Managed)});
  };
  return heading("A kernel reads host memory in place, in order (GB/s)",
                 {"malloc", "register", "managed"}) +
         line("a warp reads consecutive aligned lines of 128 B", &InOrder::aligned) +
         line("merged but off by 32 B", &InOrder::misaligned) +
         line("a thread reads its own pieces of 1 KiB (naive)", &InOrder::strided);
}

std::string_view meaning(ZeroCopyWay way) {
  switch (way) {
    case ZeroCopyWay::Malloc:
      return "cudaMallocHost";
    case ZeroCopyWay::Register:
      return "mmap, cudaHostRegister";
    case ZeroCopyWay::Managed:
      return "cudaMallocManaged, kept on the host, accessed by the device";
  }
  return "";
}

std::string reach_table(const LinkProfile& p) {
  std::string text =
      "\nTranslation reach: a kernel reads lines of 128 B in place out of a region (GB/s): random\n"
      "ones, and every 2nd ... 512th in ascending order\n";
  for (const ZeroCopyWay way : kZeroCopyWays) {
    std::string rows;
    for (const auto& r : p.reach) {
      if (r.way != way) continue;
      rows += fmt::format("    {:<14}{}", format_bytes(r.region_bytes), rate(r.random));
      for (const double ascending : r.ascending) rows += rate(ascending);
      rows += "\n";
    }
    if (rows.empty()) continue;
    text +=
        fmt::format("  {} ({})\n    {:<14}{:>11}", name_of(way), meaning(way), "region", "random");
    for (const std::uint32_t stride : kSweepStrides)
      text += fmt::format("{:>11}", fmt::format("every {}", stride));
    text += "\n" + rows;
  }
  return text;
}

std::string unified_table(const LinkProfile& p) {
  using Unified = LinkProfile::Unified;
  if (p.unified.empty()) return "";
  const auto line = [&](const std::string& name, double Unified::*member) {
    const auto of = [&](bool read_mostly) {
      return find(
          p.unified, [&](const Unified& r) { return r.read_mostly == read_mostly; }, member);
    };
    return row(name, {of(false), of(true)});
  };
  return heading("Unified memory, cold, with page faults (GB/s, useful bytes)",
                 {"plain", "read-mostly"}) +
         line("every line in order, " + format_bytes(p.unified.front().region_bytes),
              &Unified::sequential) +
         line("one random line of 128 B per 4 KiB", &Unified::random);
}

std::uint64_t largest_region(const LinkProfile& p) {
  std::uint64_t bytes = 0;
  for (const auto& r : p.reach) bytes = std::max(bytes, r.region_bytes);
  return bytes;
}

}  // namespace

std::string link_tables(const LinkProfile& p) {
  std::string text = fmt::format("{} ({}), driver {}, measured {}{}\n", p.device, p.uuid, p.driver,
                                 p.measured, p.quick ? " (quick)" : "");
  text += copies_table(p) + in_order_table(p) + reach_table(p) + unified_table(p);
  if (p.disk) {
    text += heading("Disk", {"GB/s"});
    text += row("sequential reads past the page cache, " + p.disk->directory, {p.disk->read});
  }
  if (!p.left_out.empty()) text += "\nNot measured\n";
  for (const std::string& why : p.left_out) text += fmt::format("  {}\n", why);
  if (!p.reach.empty()) text += fmt::format("\n{}\n", link_summary(p));
  return text;
}

std::string link_summary(const LinkProfile& p) {
  std::string text = fmt::format("copies {:.1f} GB/s", p.copies.to_device);
  if (p.reach.empty()) return text;
  const ZeroCopyWay best = best_way(p);
  const std::uint64_t region = largest_region(p);
  return text + fmt::format(", in place {:.1f}; random lines over {}: {:.1f} by {}, the best way",
                            sweep_ceiling(p, best, region, 1), format_bytes(region),
                            zero_copy_ceiling(p, best, region), name_of(best));
}

std::optional<std::int64_t> age_seconds(const LinkProfile& p) {
  std::tm utc{};
  const char* const end = ::strptime(p.measured.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (!end || *end != '\0') return std::nullopt;
  return std::max<std::int64_t>(0, std::time(nullptr) - ::timegm(&utc));
}

std::string age_text(std::int64_t seconds) {
  const auto ago = [](std::int64_t n, const char* unit) {
    return fmt::format("{} {}{} ago", n, unit, n == 1 ? "" : "s");
  };
  if (seconds < 120) return "just now";
  if (seconds < 2 * 3600) return ago(seconds / 60, "minute");
  if (seconds < 2 * 86400) return ago(seconds / 3600, "hour");
  return ago(seconds / 86400, "day");
}

}  // namespace fathom::cli
