#include "cli/shared/page/value_spread.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <variant>

#include "fathom/core/array.hpp"

namespace fathom::cli {
namespace {

constexpr std::size_t kBins = 256, kFewestBins = 12;
// Beyond so many medians a linear axis shows a line at 0 and a dot.
constexpr double kFarFromMedian = 32;
// Points of a curve that are nearer to each other, as a share of the plot, look like one.
constexpr double kVisible = 0.004;
// 64 buckets for each power of two: the exponent and the first six bits after it.
constexpr int kDropped = 52 - 6;

std::size_t bucket_of(double value) {
  return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(value) >> kDropped);
}

double least_in(std::size_t bucket) {
  return std::bit_cast<double>(std::uint64_t{bucket} << kDropped);
}

/// What the first pass finds out.
struct Extent {
  std::uint64_t count = 0, none = 0, infinite = 0, zero = 0;
  double least = 0, most = 0, sum = 0;
  double least_positive = 0;

  void add(double value) {
    if (std::isinf(value)) {
      ++infinite;
      return;
    }
    if (std::isnan(value)) {
      ++none;
      return;
    }
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    if (value > 0 && (least_positive == 0 || value < least_positive)) least_positive = value;
    zero += value == 0 ? 1 : 0;
    sum += value;
    ++count;
  }
};

/// And the second: the same values in equal bins, and in buckets of their logarithms.
struct Counts {
  Counts(const Extent& extent, bool whole, const std::shared_ptr<MemoryPool>& pool) {
    least = extent.least;
    const double range = extent.most - extent.least;
    // Few values in many bins are a fence.
    const std::size_t most =
        whole
            ? kBins
            : std::clamp(static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(extent.count))),
                         kFewestBins, kBins);
    width = range / static_cast<double>(most);
    if (whole) width = std::floor(width) + 1;
    if (!(width > 0)) width = 1;
    bins.resize(bin_of(extent.most, most) + 1);
    if (!(extent.most > 0)) return;
    first_bucket = bucket_of(extent.least_positive);
    buckets = Array<std::uint64_t>(bucket_of(extent.most) - first_bucket + 1, 0, pool);
  }

  /// Where rounding, or a range that no double holds, leads beyond the bins: the last one.
  std::size_t bin_of(double value, std::size_t size) const {
    const double at = (value - least) / width;
    return at < static_cast<double>(size) ? static_cast<std::size_t>(at) : size - 1;
  }

  void add(double value) {
    if (!std::isfinite(value)) return;
    ++bins[bin_of(value, bins.size())];
    if (value > 0) ++buckets[bucket_of(value) - first_bucket];
  }

  /// That half of the values do not exceed; `below`: how many are not in buckets.
  double median(const Extent& extent) const {
    std::uint64_t upto = extent.zero;
    if (extent.least < 0 || 2 * upto >= extent.count) return std::max(extent.least, 0.);
    for (std::size_t b = 0; b < buckets.size(); ++b)
      if (2 * (upto += buckets[b]) >= extent.count)
        return std::clamp(least_in(first_bucket + b), extent.least, extent.most);
    return extent.most;
  }

  double least = 0, width = 1;
  std::vector<std::uint64_t> bins;
  std::size_t first_bucket = 0;
  Array<std::uint64_t> buckets;
};

Json ranks_of(const Counts& counts, const Extent& extent) {
  const double ranks = std::max(std::log(static_cast<double>(extent.count - extent.zero)), 1e-9);
  const double decades = std::max(std::log(extent.most / extent.least_positive), 1e-9);
  Json points = Json::array();
  std::uint64_t last = 0;
  double last_x = -1, last_y = 2;
  const auto add = [&](std::uint64_t rank, double value, bool always) {
    const double x = std::log(static_cast<double>(rank)) / ranks;
    const double y = std::log(value / extent.least_positive) / decades;
    const bool near = std::abs(x - last_x) + std::abs(y - last_y) < kVisible;
    if (rank == last || (near && !always)) return;
    points.push_back({rank, value});
    last = rank;
    last_x = x;
    last_y = y;
  };
  std::uint64_t before = 0;
  for (std::size_t b = counts.buckets.size(); b-- > 0;) {
    if (counts.buckets[b] == 0) continue;
    const double value =
        std::clamp(least_in(counts.first_bucket + b), extent.least_positive, extent.most);
    add(before + 1, before == 0 ? extent.most : value, false);
    before += counts.buckets[b];
    add(before, value, b == 0);
  }
  return points;
}

Json spread_json(const Extent& extent, const Counts& counts, bool whole, bool sizes) {
  Json json;
  const auto number = [&](double value) {
    return whole && value >= 0 ? Json(static_cast<std::uint64_t>(value)) : Json(value);
  };
  json["whole"] = whole;
  json["count"] = extent.count;
  json["none"] = extent.none;
  json["infinite"] = extent.infinite;
  json["zero"] = extent.zero;
  json["least"] = extent.count > 0 ? number(extent.least) : Json(nullptr);
  json["most"] = extent.count > 0 ? number(extent.most) : Json(nullptr);
  json["mean"] =
      extent.count > 0 ? Json(extent.sum / static_cast<double>(extent.count)) : Json(nullptr);
  const double median = counts.median(extent);
  json["median"] = extent.count > 0 && extent.least >= 0 ? number(median) : Json(nullptr);
  json["histogram"] = nullptr;
  json["ranks"] = nullptr;
  if (extent.count == 0) return json;
  const bool plain = whole && extent.most < kPlainCounts && !sizes;
  const bool far = extent.most > kFarFromMedian * std::max(median, extent.least_positive);
  if (extent.least >= 0 && extent.most > 0 && (sizes || (far && !plain)))
    json["ranks"] = ranks_of(counts, extent);
  else
    json["histogram"] = {
        {"least", number(extent.least)}, {"width", number(counts.width)}, {"counts", counts.bins}};
  return json;
}

/// `each` shows every value to what it is given.
template <class Each>
Json spread_of(const Each& each, std::uint64_t none, bool whole, bool sizes,
               const std::shared_ptr<MemoryPool>& pool) {
  Extent extent;
  each([&](double value) { extent.add(value); });
  extent.none += none;
  Counts counts(extent, whole, pool);
  each([&](double value) { counts.add(value); });
  return spread_json(extent, counts, whole, sizes);
}

Json set_spread(std::span<const VertexId> sets, const std::shared_ptr<MemoryPool>& pool) {
  Array<VertexId> size(sets.size(), 0, pool);
  for (const VertexId set : sets) ++size[set];
  const auto each = [&](const auto& use) {
    for (const VertexId n : size)
      if (n > 0) use(static_cast<double>(n));
  };
  return spread_of(each, 0, true, true, pool);
}

template <class T>
Json number_spread(std::span<const T> values, std::optional<std::uint64_t> none,
                   const std::shared_ptr<MemoryPool>& pool) {
  constexpr bool kWhole = std::is_integral_v<T>;
  const auto is_none = [&](T value) {
    return kWhole && none && static_cast<std::uint64_t>(value) == *none;
  };
  const auto each = [&](const auto& use) {
    for (const T value : values)
      if (!is_none(value)) use(static_cast<double>(value));
  };
  const auto missing = std::count_if(values.begin(), values.end(), is_none);
  return spread_of(each, static_cast<std::uint64_t>(missing), kWhole, false, pool);
}

}  // namespace

Json value_spread(const AnswerColumn& column, const std::shared_ptr<MemoryPool>& pool) {
  if (column.kind == AnswerColumn::Kind::Vertex) return nullptr;
  const bool sets =
      column.kind == AnswerColumn::Kind::Set || column.kind == AnswerColumn::Kind::Label;
  Json json{{"column", column.name}, {"of", sets ? "sets" : "vertices"}};
  json.update(
      sets ? set_spread(std::get<std::span<const VertexId>>(column.values), pool)
           : std::visit([&](auto values) { return number_spread(values, column.none, pool); },
                        column.values));
  return json;
}

}  // namespace fathom::cli
