// JSON that another run left behind, read with suspicion, and the files it is kept in.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom {

/// A value and where it stands, for messages: "reach[3].random_gbps". What is asked for and not
/// there throws Error(BadInput), naming the file, the place, what was expected and what was found.
/// The JSON outlives it.
class CheckedJson {
 public:
  using Json = nlohmann::ordered_json;

  CheckedJson(const Json& json, std::string file, std::string place)
      : json_(json), file_(std::move(file)), place_(std::move(place)) {}

  [[noreturn]] void fail(std::string_view expected) const;
  CheckedJson operator[](const std::string& key) const;
  bool has(const std::string& key) const { return json_.is_object() && json_.contains(key); }
  std::string text() const;
  bool truth() const;
  std::uint64_t bytes() const;  // above 0
  double rate() const;          // above 0, and far from where sums are infinite
  bool is_null() const { return json_.is_null(); }
  void each(const auto& use) const {
    if (!json_.is_array()) fail("a list");
    for (std::size_t i = 0; i < json_.size(); ++i)
      use(CheckedJson(json_[i], file_, place_ + "[" + std::to_string(i) + "]"));
  }

 private:
  std::string inside(const std::string& key) const {
    return place_.empty() ? key : place_ + "." + key;
  }
  const Json& json_;
  std::string file_, place_;
};

/// @param what  what errors call it: "a link profile". @throws Error(BadInput), also for more than
/// measurements can be: 1 MiB, lists 16 deep, 1000 keys of an object.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& name,
                                  std::string_view what);

/// Indented, with a final newline, in UTF-8 that can be printed. Labels and file names that are not
/// UTF-8 show U+FFFD for what is not.
std::string json_text(const nlohmann::ordered_json& json);

/// Where measurements are kept between runs: ${XDG_CACHE_HOME:-~/.cache}/fathom.
/// @throws Error(Usage) when neither variable says where.
std::string cache_directory();

/// The path, once its directory is there. @throws Error(Io).
std::string made_ready(std::string path);

/// The file appears whole or not at all. @throws Error(Io).
void write_whole(const std::string& path, const std::string& text);

/// Of a file that is too large for parse_json(), enough for it to say so. @throws Error(Io).
std::string read_whole(const std::string& path);

}  // namespace fathom
