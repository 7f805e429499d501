#include "fathom/exec/checked_json.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "fathom/core/atomic_file.hpp"

namespace fathom {

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
  if (!json_.is_number() || !std::isfinite(json_.get<double>()) || json_.get<double>() <= 0)
    fail("a rate above 0");
  return json_.get<double>();
}

nlohmann::ordered_json parse_json(std::string_view text, const std::string& name,
                                  std::string_view what) {
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& e) {
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: expected {} in JSON, found something else at byte {}", name, what,
                            e.byte));
  }
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
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw_io_error(path, "read", errno);
  return text.str();
}

}  // namespace fathom
