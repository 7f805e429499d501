#include "fathom/store/parts/part_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom::store {
namespace {

namespace fs = std::filesystem;

/// "part-00001-of-00004.fg": 4; 0 for other names.
std::uint32_t parts_of_name(std::string_view name) {
  constexpr std::string_view kBegin = "part-", kMiddle = "-of-", kEnd = ".fg";
  constexpr std::size_t kDigits = 5;
  if (name.size() != kBegin.size() + kDigits + kMiddle.size() + kDigits + kEnd.size()) return 0;
  const auto number_at = [&](std::size_t at) -> std::uint32_t {
    std::uint32_t value = 0;
    const char* const end = name.data() + at + kDigits;
    const auto [stop, error] = std::from_chars(name.data() + at, end, value);
    return error == std::errc() && stop == end ? value : kMostParts + 1;
  };
  const std::size_t second = kBegin.size() + kDigits + kMiddle.size();
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd) ||
      name.substr(kBegin.size() + kDigits, kMiddle.size()) != kMiddle)
    return 0;
  const std::uint32_t index = number_at(kBegin.size()), parts = number_at(second);
  return parts <= kMostParts && index < parts ? parts : 0;
}

}  // namespace

std::string part_path(const std::string& directory, std::uint32_t index, std::uint32_t parts) {
  return (fs::path(directory) / fmt::format("part-{:05}-of-{:05}.fg", index, parts)).string();
}

std::uint32_t parts_in(const std::string& directory) {
  std::uint32_t parts = 0;
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::uint32_t its = parts_of_name(entry->path().filename().string());
    if (its == 0) continue;
    if (parts != 0 && parts != its)
      throw Error(ErrorCode::BadInput,
                  fmt::format("{}: has files of a graph in {} parts and of one in {}; parts of a "
                              "graph have a directory of their own",
                              printable(directory), std::min(parts, its), std::max(parts, its)));
    parts = its;
  }
  if (failed && failed != std::errc::not_a_directory &&
      failed != std::errc::no_such_file_or_directory)
    throw Error(ErrorCode::Io,
                fmt::format("cannot list {}: {}", printable(directory), failed.message()));
  return parts;
}

std::string part_usage(const std::string& directory, std::uint32_t parts) {
  return fmt::format("`mpirun -n {} fathom ALGORITHM {} ...`", parts, printable(directory));
}

void refuse_part(const std::string& path, const PartLayout& part) {
  const std::string directory = fs::path(path).parent_path().string();
  throw Error(ErrorCode::Usage,
              fmt::format("{}: is part {} of {} of a graph and has the lists of some vertices; "
                          "parts are used together: {}",
                          printable(path), part.index, part.parts,
                          part_usage(directory.empty() ? "." : directory, part.parts)));
}

void refuse_parts(const std::string& directory, std::uint32_t parts) {
  throw Error(
      ErrorCode::Usage,
      fmt::format(
          "{}: is a graph in {} parts, each for a process of its own: {} (what is no algorithm, "
          "such as plan, info and partition, takes whole graphs alone)",
          printable(directory), parts, part_usage(directory, parts)));
}

}  // namespace fathom::store
