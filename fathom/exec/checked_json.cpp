#include "fathom/exec/checked_json.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/printable.hpp"

namespace fathom {
namespace {

// What was measured takes a third of each. Lists in lists are followed by recursion, and a key is
// looked for among all of its object.
constexpr std::size_t kLargestJson = std::size_t{1} << 20;
constexpr int kDeepestJson = 16;
constexpr std::size_t kMostKeys = 1000;  // of an object

constexpr double kLeastRate = 1e-30, kMostRate = 1e30;  // so that sums and ratios are finite

}  // namespace

void CheckedJson::fail(std::string_view expected) const {
  std::string found = json_.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (found.size() > 40) found = found.substr(0, 40) + "...";
  throw Error(ErrorCode::BadInput, fmt::format("{}: expected {} at {}, found {}", file_, expected,
                                               place_.empty() ? "the top" : place_, found));
}

CheckedJson CheckedJson::operator[](const std::string& key) const {
  if (!json_.is_object()) fail("an object");
  const auto found = json_.find(key);
  if (found == json_.end())
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: expected {}, found none", file_, inside(key)));
  return {*found, file_, inside(key)};
}

std::string CheckedJson::text() const {
  if (!json_.is_string()) fail("a text");
  return json_.get<std::string>();
}

bool CheckedJson::truth() const {
  if (!json_.is_boolean()) fail("true or false");
  return json_.get<bool>();
}

std::uint64_t CheckedJson::bytes() const {
  if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() == 0) fail("a number of bytes");
  return json_.get<std::uint64_t>();
}

double CheckedJson::rate() const {
  if (!json_.is_number() || !(json_.get<double>() > kLeastRate && json_.get<double>() < kMostRate))
    fail("a rate above 0");
  return json_.get<double>();
}

nlohmann::ordered_json parse_json(std::string_view text, const std::string& name,
                                  std::string_view what) {
  using Json = nlohmann::ordered_json;
  const auto refuse = [&](std::string_view found) {
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: expected {} in JSON, found {}", name, what, found));
  };
  if (text.size() > kLargestJson) refuse(fmt::format("more than {} bytes", kLargestJson));
  std::vector<std::size_t> keys;  // of the objects that a value is inside of
  const auto watch = [&](int depth, Json::parse_event_t event, const Json&) {
    using Event = Json::parse_event_t;
    if (depth > kDeepestJson) refuse(fmt::format("lists more than {} deep", kDeepestJson));
    if (event == Event::object_start) keys.push_back(0);
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && ++keys.back() > kMostKeys)
      refuse(fmt::format("more than {} keys", kMostKeys));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& e) {
    refuse(fmt::format("something else at byte {}", e.byte));
  } catch (const Json::out_of_range&) {
    refuse("a number out of range");
  }
  return {};
}

std::string json_text(const nlohmann::ordered_json& json) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  return printable_json(json.dump(2, ' ', false, Handler::replace)) + "\n";
}

std::string cache_directory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::string(cache) + "/fathom";  // relative ones do not count
  const char* home = std::getenv("HOME");
  if (!home || *home == '\0')
    throw Error(ErrorCode::Usage,
                "no place for what was measured: expected XDG_CACHE_HOME or HOME in the "
                "environment");
  return std::string(home) + "/.cache/fathom";
}

std::string made_ready(std::string path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) throw_io_error(path, "make its directory", error.value());
  return path;
}

void write_whole(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw_io_error(path, "open", errno);
  std::string text(kLargestJson + 1, '\0');  // a byte more shows that there is more
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw_io_error(path, "read", errno);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace fathom
