#include "fathom/residency/filtered/edge_filter.hpp"

#include <fmt/format.h>

#include <charconv>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom {
namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view text) {
  throw Error(ErrorCode::Usage,
              fmt::format("types are numbers and ranges of them, such as 1,2,7-9: {} {}", what,
                          in_quotes(text)));
}

std::uint32_t type_of(std::string_view text, std::string_view part) {
  std::uint32_t type = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, type);
  if (read.ec == std::errc::result_out_of_range) refuse("more than 32 bits in", part);
  if (read.ec != std::errc() || read.ptr != end) refuse("not", part);
  return type;
}

TypeRange range_of(std::string_view part) {
  const std::size_t dash = part.find('-');
  if (dash == std::string_view::npos) {
    const std::uint32_t type = type_of(part, part);
    return {type, type};
  }
  const TypeRange range{type_of(part.substr(0, dash), part), type_of(part.substr(dash + 1), part)};
  if (range.first > range.last) refuse("the second is the smaller one in", part);
  return range;
}

}  // namespace

std::vector<TypeRange> type_ranges(std::string_view text) {
  std::vector<TypeRange> ranges;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    ranges.push_back(range_of(text.substr(at, comma - at)));
    at = comma + 1;
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const TypeRange& a, const TypeRange& b) { return a.first < b.first; });
  std::vector<TypeRange> joined;
  for (const TypeRange& range : ranges) {
    if (!joined.empty() && range.first <= std::uint64_t{joined.back().last} + 1)
      joined.back().last = std::max(joined.back().last, range.last);
    else
      joined.push_back(range);
  }
  return joined;
}

std::string to_string(const EdgeFilter& filter) {
  std::vector<std::string> said;
  if (filter.since) said.push_back(fmt::format("t1 from {}", *filter.since));
  if (filter.until) said.push_back(fmt::format("t1 before {}", *filter.until));
  if (filter.at) said.push_back(fmt::format("there at {}", *filter.at));
  std::vector<std::string> types;
  for (const TypeRange& range : filter.types)
    types.push_back(range.first == range.last ? fmt::format("{}", range.first)
                                              : fmt::format("{}-{}", range.first, range.last));
  if (!types.empty()) said.push_back(fmt::format("types {}", fmt::join(types, ",")));
  return fmt::format("{}", fmt::join(said, ", "));
}

}  // namespace fathom
