#include "fathom/plan/rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fathom/exec/checked_json.hpp"

namespace fathom::plan {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kSchema = "fathom.rates/1";

double at(double x, const WorkRate& a, const WorkRate& b, double WorkRate::*rate) {
  const double from = std::log2(static_cast<double>(a.vertices));
  const double to = std::log2(static_cast<double>(b.vertices));
  // Beyond 2^53, sizes that differ can have one logarithm.
  const double value =
      to > from ? a.*rate + (b.*rate - a.*rate) * (x - from) / (to - from) : b.*rate;
  return std::max(value, std::min(a.*rate, b.*rate) / 2);  // a falling line does not reach 0
}

}  // namespace

std::optional<Range> MachineRates::seconds_per_edge(std::string_view algorithm, bool streamed,
                                                    std::uint64_t vertices) const {
  std::vector<WorkRate> rows;
  for (const WorkRate& row : work)
    if (row.algorithm == algorithm && row.streamed == streamed) rows.push_back(row);
  if (rows.empty()) return std::nullopt;
  std::sort(rows.begin(), rows.end(),
            [](const WorkRate& a, const WorkRate& b) { return a.vertices < b.vertices; });
  double rmat = rows.front().rmat, uniform = rows.front().uniform;
  if (rows.size() > 1 && vertices > rows.front().vertices) {
    std::size_t upper = 1;
    while (upper + 1 < rows.size() && rows[upper].vertices < vertices) ++upper;
    const double x = std::log2(static_cast<double>(vertices));
    rmat = at(x, rows[upper - 1], rows[upper], &WorkRate::rmat);
    uniform = at(x, rows[upper - 1], rows[upper], &WorkRate::uniform);
  }
  return Range{std::min(rmat, uniform), std::max(rmat, uniform)};
}

std::string rates_path(const std::string& device, int threads) {
  std::string name;
  for (const char c : device) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return fmt::format("{}/rates-{}-{}.json", cache_directory(), name, threads);
}

std::string to_json(const MachineRates& rates) {
  Json json;
  json["schema"] = kSchema;
  json["device"] = rates.device;
  json["threads"] = rates.threads;
  json["measured"] = rates.measured;
  json["disk_bytes_per_second"] = rates.disk > 0 ? Json(rates.disk) : Json(nullptr);
  json["work"] = Json::array();
  for (const WorkRate& row : rates.work)
    json["work"].push_back({{"algorithm", row.algorithm},
                            {"streamed", row.streamed},
                            {"vertices", row.vertices},
                            {"rmat_seconds_per_edge", row.rmat},
                            {"uniform_seconds_per_edge", row.uniform}});
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
    for (const WorkRate& before : rates.work)
      if (before.algorithm == row["algorithm"].text() &&
          before.streamed == row["streamed"].truth() && before.vertices == row["vertices"].bytes())
        row["vertices"].fail("a size that no earlier row has");
    rates.work.push_back({row["algorithm"].text(), row["streamed"].truth(), row["vertices"].bytes(),
                          row["rmat_seconds_per_edge"].rate(),
                          row["uniform_seconds_per_edge"].rate()});
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
