// The JSON form of a LinkProfile: written in full, read with suspicion.
#include <fmt/format.h>

#include <filesystem>

#include "fathom/core/error.hpp"
#include "fathom/exec/checked_json.hpp"
#include "fathom/exec/link_profile.hpp"

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kSchema = "fathom.link/1";

Json number_or_null(LinkProfile::Rate rate) {
  return rate ? Json(*rate) : Json(nullptr);
}

std::string key_of_stride(std::uint32_t stride) {
  return fmt::format("every_{}_gbps", stride);
}

using Value = CheckedJson;

ZeroCopyWay way_of(const Value& json) {
  const std::string name = json.text();
  for (const ZeroCopyWay way : kZeroCopyWays)
    if (name == name_of(way)) return way;
  json.fail("malloc, register or managed");
}

LinkProfile::Rate optional_rate(const Value& json) {
  return json.is_null() ? std::nullopt : LinkProfile::Rate(json.rate());
}

Json copies_json(const LinkProfile::Copies& copies) {
  Json chunked = Json::array();
  for (const auto& row : copies.chunked)
    chunked.push_back({{"chunk_bytes", row.chunk_bytes}, {"gbps", row.gbps}});
  return {{"to_device_gbps", copies.to_device},
          {"to_host_gbps", copies.to_host},
          {"pageable_to_device_gbps", number_or_null(copies.pageable_to_device)},
          {"pageable_to_host_gbps", number_or_null(copies.pageable_to_host)},
          {"chunked", chunked}};
}

Json reach_json(const LinkProfile& profile) {
  Json rows = Json::array();
  for (const auto& row : profile.reach) {
    Json j = {
        {"way", name_of(row.way)}, {"region_bytes", row.region_bytes}, {"random_gbps", row.random}};
    for (std::size_t i = 0; i < kSweepStrides.size(); ++i)
      j[key_of_stride(kSweepStrides[i])] = row.ascending[i];
    rows.push_back(std::move(j));
  }
  return rows;
}

LinkProfile::Copies copies_from(const Value& json) {
  LinkProfile::Copies copies;
  copies.to_device = json["to_device_gbps"].rate();
  copies.to_host = json["to_host_gbps"].rate();
  copies.pageable_to_device = optional_rate(json["pageable_to_device_gbps"]);
  copies.pageable_to_host = optional_rate(json["pageable_to_host_gbps"]);
  json["chunked"].each([&](const Value& row) {
    copies.chunked.push_back({row["chunk_bytes"].bytes(), row["gbps"].rate()});
  });
  return copies;
}

LinkProfile::Reach reach_from(const Value& json) {
  LinkProfile::Reach row{
      way_of(json["way"]), json["region_bytes"].bytes(), json["random_gbps"].rate(), {}};
  for (std::size_t i = 0; i < kSweepStrides.size(); ++i)
    row.ascending[i] = json[key_of_stride(kSweepStrides[i])].rate();
  return row;
}

}  // namespace

std::string to_json(const LinkProfile& profile) {
  Json j;
  j["schema"] = kSchema;
  j["device"] = profile.device;
  j["uuid"] = profile.uuid;
  j["driver"] = profile.driver;
  j["measured"] = profile.measured;
  j["quick"] = profile.quick;
  j["copies"] = copies_json(profile.copies);
  j["in_order"] = Json::array();
  for (const auto& row : profile.in_order)
    j["in_order"].push_back({{"way", name_of(row.way)},
                             {"aligned_gbps", row.aligned},
                             {"misaligned_gbps", row.misaligned},
                             {"strided_gbps", row.strided}});
  j["reach"] = reach_json(profile);
  j["unified"] = Json::array();
  for (const auto& row : profile.unified)
    j["unified"].push_back({{"read_mostly", row.read_mostly},
                            {"region_bytes", row.region_bytes},
                            {"sequential_gbps", row.sequential},
                            {"random_gbps", row.random}});
  j["disk"] = profile.disk
                  ? Json{{"directory", profile.disk->directory}, {"read_gbps", profile.disk->read}}
                  : Json(nullptr);
  j["left_out"] = profile.left_out;
  return json_text(j);
}

LinkProfile link_profile_from_json(std::string_view text, const std::string& name) {
  const Json parsed = parse_json(text, name, "a link profile");
  const Value json(parsed, name, "");
  if (json["schema"].text() != kSchema) json["schema"].fail(fmt::format("\"{}\"", kSchema));
  LinkProfile p;
  p.device = json["device"].text();
  p.uuid = json["uuid"].text();
  p.driver = json["driver"].text();
  p.measured = json["measured"].text();
  p.quick = json["quick"].truth();
  p.copies = copies_from(json["copies"]);
  json["in_order"].each([&](const Value& row) {
    p.in_order.push_back({way_of(row["way"]), row["aligned_gbps"].rate(),
                          row["misaligned_gbps"].rate(), row["strided_gbps"].rate()});
  });
  json["reach"].each([&](const Value& row) { p.reach.push_back(reach_from(row)); });
  json["unified"].each([&](const Value& row) {
    p.unified.push_back({row["read_mostly"].truth(), row["region_bytes"].bytes(),
                         row["sequential_gbps"].rate(), row["random_gbps"].rate()});
  });
  if (const Value disk = json["disk"]; !disk.is_null())
    p.disk = LinkProfile::Disk{disk["directory"].text(), disk["read_gbps"].rate()};
  json["left_out"].each([&](const Value& why) { p.left_out.push_back(why.text()); });
  return p;
}

std::string link_profile_path(const std::string& uuid) {
  constexpr std::string_view kPlain =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
  if (uuid.empty() || uuid.find_first_not_of(kPlain) != std::string::npos)
    throw Error(ErrorCode::Usage, fmt::format("expected the uuid of a device, found '{}'", uuid));
  return fmt::format("{}/link-{}.json", cache_directory(), uuid);
}

std::string save_link_profile(const LinkProfile& profile, std::string path) {
  if (path.empty()) path = made_ready(link_profile_path(profile.uuid));
  write_whole(path, to_json(profile));
  return path;
}

LinkProfile read_link_profile(const std::string& path) {
  return link_profile_from_json(read_whole(path), path);
}

std::optional<LinkProfile> load_link_profile(const std::string& uuid) {
  const std::string path = link_profile_path(uuid);
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error) throw_io_error(path, "look at", error.value());
  if (!there) return std::nullopt;
  return read_link_profile(path);
}

}  // namespace fathom
