#include "fathom/exec/link_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

using Reach = LinkProfile::Reach;

constexpr double kNoticeable = 1.05;  // repeated measurements differ by 1-2 %

bool measured(const LinkProfile& profile, ZeroCopyWay way) {
  return std::any_of(profile.reach.begin(), profile.reach.end(),
                     [&](const Reach& r) { return r.way == way; });
}

/// The figure `of` at `region_bytes`, linear in the logarithm of the region.
double at_region(const LinkProfile& profile, ZeroCopyWay way, std::uint64_t region_bytes,
                 const auto& of) {
  const Reach *below = nullptr, *above = nullptr;
  for (const Reach& r : profile.reach) {
    if (r.way != way) continue;
    if (r.region_bytes <= region_bytes && (!below || r.region_bytes > below->region_bytes))
      below = &r;
    if (r.region_bytes >= region_bytes && (!above || r.region_bytes < above->region_bytes))
      above = &r;
  }
  if (!below || !above || below == above) return of(below ? *below : *above);
  const auto log = [](std::uint64_t bytes) { return std::log2(static_cast<double>(bytes)); };
  const double all = log(above->region_bytes) - log(below->region_bytes);
  if (!(all > 0)) return of(*below);  // beyond 2^53, sizes that differ can have one logarithm
  return std::lerp(of(*below), of(*above), (log(region_bytes) - log(below->region_bytes)) / all);
}

/// The figure of a way, or of the slowest way that was measured.
double at_region_or_slowest(const LinkProfile& profile, ZeroCopyWay way, std::uint64_t region_bytes,
                            const auto& of) {
  if (measured(profile, way)) return at_region(profile, way, region_bytes, of);
  double slowest = INFINITY;
  for (const ZeroCopyWay other : kZeroCopyWays)
    if (measured(profile, other))
      slowest = std::min(slowest, at_region(profile, other, region_bytes, of));
  if (std::isinf(slowest))
    throw Error(ErrorCode::BadInput,
                fmt::format("the link profile of '{}' holds no translation reach: expected one of "
                            "malloc, register, managed",
                            profile.device));
  return slowest;
}

double random_of(const Reach& reach) {
  return reach.random;
}

double in_order_of(const LinkProfile& profile, ZeroCopyWay way) {
  double slowest = INFINITY;
  for (const LinkProfile::InOrder& row : profile.in_order) {
    if (row.way == way) return row.aligned;
    slowest = std::min(slowest, row.aligned);
  }
  return slowest;
}

}  // namespace

std::string_view name_of(ZeroCopyWay way) {
  switch (way) {
    case ZeroCopyWay::Malloc:
      return "malloc";
    case ZeroCopyWay::Register:
      return "register";
    case ZeroCopyWay::Managed:
      return "managed";
  }
  return "";
}

LinkProfile default_link_profile() {
  constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1 << 30;
  LinkProfile p;
  p.device = "a device that was not measured";
  p.copies = {55.4, 55.4, 15.0, 15.0, {}};
  p.copies.chunked = {
      {kMiB / 16, 17}, {kMiB / 4, 36}, {kMiB, 48}, {4 * kMiB, 53.5}, {16 * kMiB, 55}};
  for (const ZeroCopyWay way : kZeroCopyWays) p.in_order.push_back({way, 51.4, 48.2, 13.8});
  for (const ZeroCopyWay way : {ZeroCopyWay::Malloc, ZeroCopyWay::Register}) {
    p.reach.push_back({way, kGiB / 2, 51, {51, 51, 51, 51}});
    p.reach.push_back({way, kGiB, 15, {51, 51, 51, 15}});
    p.reach.push_back({way, 2 * kGiB, 8, {51, 51, 51, 8.3}});
    p.reach.push_back({way, 8 * kGiB, 5.5, {51, 51, 51, 8.3}});
    p.reach.push_back({way, 32 * kGiB, 4.8, {51, 51, 51, 8.3}});
  }
  for (const auto& [gib, rate] : {std::pair<std::uint64_t, double>{2, 51}, {8, 47.5}, {32, 45.6}})
    p.reach.push_back({ZeroCopyWay::Managed, gib * kGiB, rate, {51, 51, 51, rate}});
  p.unified = {{false, 8 * kGiB, 25, 0.75}, {true, 8 * kGiB, 25, 0.75}};
  return p;
}

ZeroCopyWay best_way(const LinkProfile& profile, std::uint64_t region_bytes) {
  // Regions are compared where every way was measured.
  for (const ZeroCopyWay way : kZeroCopyWays) {
    if (!measured(profile, way)) continue;
    std::uint64_t largest = 0;
    for (const Reach& r : profile.reach)
      if (r.way == way) largest = std::max(largest, r.region_bytes);
    region_bytes = std::min(region_bytes, largest);
  }
  ZeroCopyWay best = ZeroCopyWay::Malloc;
  double rate = 0;
  for (const ZeroCopyWay way : kZeroCopyWays) {
    if (!measured(profile, way)) continue;
    const double r = at_region(profile, way, region_bytes, random_of);
    if (r <= rate * kNoticeable) continue;
    best = way;
    rate = r;
  }
  return best;
}

double zero_copy_ceiling(const LinkProfile& profile, ZeroCopyWay way, std::uint64_t region_bytes) {
  return at_region_or_slowest(profile, way, region_bytes, random_of);
}

double sweep_ceiling(const LinkProfile& profile, ZeroCopyWay way, std::uint64_t region_bytes,
                     std::uint32_t stride) {
  if (stride <= 1 && !profile.in_order.empty()) return in_order_of(profile, way);
  // Between two strides the slower one holds; past the last there is no order left to speak of.
  const auto next = std::lower_bound(kSweepStrides.begin(), kSweepStrides.end(), stride);
  if (next == kSweepStrides.end()) return zero_copy_ceiling(profile, way, region_bytes);
  const auto index = static_cast<std::size_t>(next - kSweepStrides.begin());
  return at_region_or_slowest(profile, way, region_bytes,
                              [&](const Reach& r) { return r.ascending[index]; });
}

double copy_cost(const LinkProfile& profile, std::uint64_t bytes) {
  const double per_byte = 1 / (profile.copies.to_device * 1e9);
  double fixed = 2.8e-6;  // H200
  if (!profile.copies.chunked.empty()) {
    const LinkProfile::ChunkedCopy& smallest = *std::min_element(
        profile.copies.chunked.begin(), profile.copies.chunked.end(),
        [](const auto& a, const auto& b) { return a.chunk_bytes < b.chunk_bytes; });
    const auto chunk = static_cast<double>(smallest.chunk_bytes);
    fixed = std::max(0.0, chunk / (smallest.gbps * 1e9) - chunk * per_byte);
  }
  return fixed + static_cast<double>(bytes) * per_byte;
}

std::string gpu_uuid(std::span<const unsigned char, 16> bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text +=
        fmt::format("{}{:02x}", i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-" : "", bytes[i]);
  return text;
}

}  // namespace fathom
