#include "fathom/plan/rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>

#include "fathom/exec/checked_json.hpp"

namespace fathom::plan {
namespace {

using Json = nlohmann::ordered_json;
std::string_view name_of_likeness(Likeness likeness) {
  return name_of(likeness);
}

constexpr std::string_view kSchema = "fathom.rates/2";

/// Positive values of a positive quantity, as a power of it from point to point.
using Line = std::map<double, double>;

/// @param falls  whether it may fall beyond the last point.
double power_at(const Line& line, double x, bool falls = true) {
  if (line.size() == 1) return line.begin()->second;
  auto upper = line.lower_bound(x);
  if (upper == line.begin()) ++upper;
  if (upper == line.end()) --upper;
  const auto& [x1, y1] = *upper;
  const auto& [x0, y0] = *std::prev(upper);
  // No line leads to where sums are infinite, or to nothing.
  constexpr double kLeast = 1e-18, kMost = 1e9;
  // Noise of two sizes close to each other is no law for those far away.
  constexpr double kSteepest = 1.5;
  // Beyond 2^53, sizes that differ can have one logarithm.
  const double width = std::log(x1) - std::log(x0);
  if (!(width > 0)) return y1;
  const double slope = std::clamp((std::log(y1) - std::log(y0)) / width, -kSteepest, kSteepest);
  const bool beyond = x > x1;
  const double rises = beyond && !falls ? std::max(0., slope) : slope;
  const double y =
      (beyond ? y1 : y0) * std::exp(rises * (std::log(x) - std::log(beyond ? x1 : x0)));
  return std::clamp(y, kLeast, kMost);
}

double degree_of(std::uint64_t vertices, std::uint64_t edges) {
  return std::max(1., static_cast<double>(edges)) / std::max(1., static_cast<double>(vertices));
}

/// Of rows of one kind of graphs, in a graph of that size: a power of the number of vertices, and
/// one of edges per vertex. 0: there are none.
/// @param falls  whether it may be less than of the largest that was measured, beyond that. What an
///               edge costs falls in small graphs alone, where it takes time to begin.
template <class Wanted, class Value>
double power_of_size(const std::vector<WorkRate>& work, const GraphShape& shape,
                     const Wanted& wanted, const Value& value_of, bool falls) {
  std::map<double, Line> of_degree;  // the nearest power of two, for few loops were dropped
  for (const WorkRate& row : work) {
    const double value = wanted(row) ? value_of(row) : 0;
    if (value > 0)
      of_degree[std::exp2(std::round(std::log2(degree_of(row.vertices, row.edges))))].emplace(
          std::max(1., static_cast<double>(row.vertices)), value);
  }
  if (of_degree.empty()) return 0;
  const double vertices = std::max(1., static_cast<double>(shape.vertices));
  Line degrees;
  for (const auto& [degree, line] : of_degree)
    degrees.emplace(degree, power_at(line, std::max(line.begin()->first, vertices), falls));
  return power_at(degrees, degree_of(shape.vertices, shape.edges));
}

/// The same of graphs that are like this one; where nothing like it was measured, of all that was.
template <class Value>
std::optional<Range> of_graphs_alike(const std::vector<WorkRate>& work, std::string_view algorithm,
                                     bool streamed, const GraphShape& shape, const Value& value_of,
                                     bool falls = false) {
  const auto of = [&](Likeness likeness, bool directed) {
    const auto wanted = [&](const WorkRate& row) {
      return row.algorithm == algorithm && row.streamed == streamed && row.graph == likeness &&
             row.directed == directed;
    };
    return power_of_size(work, shape, wanted, value_of, falls);
  };
  std::optional<Range> found;
  for (const bool alike : {true, false}) {
    for (const Likeness likeness : kLikenesses) {
      if (alike && shape.likeness && *shape.likeness != likeness) continue;
      double value = of(likeness, shape.directed);
      if (value == 0) value = of(likeness, !shape.directed);
      if (value == 0) continue;
      if (!found) found = Range{value, value};
      found->low = std::min(found->low, value);
      found->high = std::max(found->high, value);
    }
    if (found) break;
  }
  return found;
}

}  // namespace

std::optional<Range> MachineRates::seconds_per_edge(std::string_view algorithm, bool streamed,
                                                    const GraphShape& shape) const {
  return of_graphs_alike(work, algorithm, streamed, shape,
                         [](const WorkRate& row) { return row.seconds; });
}

std::optional<Range> MachineRates::seconds_per_two_path(std::string_view algorithm, bool streamed,
                                                        const GraphShape& shape) const {
  return of_graphs_alike(work, algorithm, streamed, shape, [](const WorkRate& row) {
    return row.two_paths > 0 ? row.seconds * static_cast<double>(row.edges) / row.two_paths : 0;
  });
}

std::optional<Range> MachineRates::supersteps(std::string_view algorithm, bool streamed,
                                              const GraphShape& shape) const {
  return of_graphs_alike(
      work, algorithm, streamed, shape,
      [](const WorkRate& row) { return static_cast<double>(row.supersteps); }, true);
}

double MachineRates::first_run_seconds(std::string_view algorithm, bool streamed) const {
  double seconds = 0;
  for (const FirstRun& first : first_runs)
    if (first.algorithm == algorithm && (streamed || !first.streamed)) seconds += first.seconds;
  return seconds;
}

std::string rates_path(const std::string& device, int threads) {
  std::string name;
  for (const char c : device) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return fmt::format("{}/rates-{}-{}.json", cache_directory(), name, threads);
}

namespace {

/// What is not known of a row is left out, as in files of before.
Json json_of(const WorkRate& row) {
  Json json = {{"algorithm", row.algorithm},  {"streamed", row.streamed},
               {"graph", name_of(row.graph)}, {"vertices", row.vertices},
               {"edges", row.edges},          {"seconds_per_edge", row.seconds}};
  if (row.directed) json["directed"] = true;
  if (row.two_paths > 0) json["two_paths"] = row.two_paths;
  if (row.supersteps > 0) json["supersteps"] = row.supersteps;
  return json;
}

WorkRate work_from(const CheckedJson& row) {
  const std::string graph = row["graph"].text();
  const auto like = std::ranges::find(kLikenesses, graph, name_of_likeness);
  if (like == kLikenesses.end()) row["graph"].fail("rmat, uniform or grid");
  WorkRate rate{row["algorithm"].text(), row["streamed"].truth(), *like,
                row["vertices"].bytes(), row["edges"].bytes(),    row["seconds_per_edge"].rate()};
  if (row.has("directed")) rate.directed = row["directed"].truth();
  if (row.has("two_paths")) rate.two_paths = row["two_paths"].rate();
  if (row.has("supersteps")) rate.supersteps = row["supersteps"].bytes();
  return rate;
}

}  // namespace

std::string to_json(const MachineRates& rates) {
  Json json;
  json["schema"] = kSchema;
  json["device"] = rates.device;
  json["threads"] = rates.threads;
  json["measured"] = rates.measured;
  json["disk_bytes_per_second"] = rates.disk > 0 ? Json(rates.disk) : Json(nullptr);
  json["work"] = Json::array();
  for (const WorkRate& row : rates.work) json["work"].push_back(json_of(row));
  json["first_runs"] = Json::array();
  for (const FirstRun& first : rates.first_runs)
    json["first_runs"].push_back(
        {{"algorithm", first.algorithm}, {"streamed", first.streamed}, {"seconds", first.seconds}});
  return json_text(json);
}

MachineRates rates_from_json(std::string_view text, const std::string& name) {
  const Json parsed = parse_json(text, name, "the rates of a machine");
  const CheckedJson json(parsed, name, "");
  if (json["schema"].text() != kSchema) json["schema"].fail(fmt::format("\"{}\"", kSchema));
  MachineRates rates;
  rates.device = json["device"].text();
  rates.threads = static_cast<int>(std::min<std::uint64_t>(json["threads"].bytes(), 1 << 16));
  rates.measured = json["measured"].text();
  if (!json["disk_bytes_per_second"].is_null()) rates.disk = json["disk_bytes_per_second"].rate();
  json["work"].each([&](const CheckedJson& row) {
    WorkRate rate = work_from(row);
    for (const WorkRate& before : rates.work)
      if (before.algorithm == rate.algorithm && before.streamed == rate.streamed &&
          before.graph == rate.graph && before.directed == rate.directed &&
          before.vertices == rate.vertices && before.edges == rate.edges)
        row["vertices"].fail("a size that no earlier row has");
    rates.work.push_back(std::move(rate));
  });
  if (!json.has("first_runs")) return rates;  // files of before do not have them
  json["first_runs"].each([&](const CheckedJson& row) {
    rates.first_runs.push_back(
        {row["algorithm"].text(), row["streamed"].truth(), row["seconds"].rate()});
  });
  return rates;
}

std::string save_rates(const MachineRates& rates, std::string path) {
  if (path.empty()) path = made_ready(rates_path(rates.device, rates.threads));
  write_whole(path, to_json(rates));
  return path;
}

MachineRates read_rates(const std::string& path) {
  return rates_from_json(read_whole(path), path);
}

std::optional<MachineRates> load_rates(const std::string& device, int threads) {
  const std::string path = rates_path(device, threads);
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error) throw_io_error(path, "look at", error.value());
  if (!there) return std::nullopt;
  return read_rates(path);
}

}  // namespace fathom::plan
