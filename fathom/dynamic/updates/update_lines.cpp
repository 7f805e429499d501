#include "fathom/dynamic/updates/update_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kManyBytes = std::size_t{1} << 20;

}  // namespace

void UpdateLines::check_length(std::string_view line, std::uint64_t number) const {
  if (line.size() <= kLongestLine) return;
  throw Error(
      ErrorCode::BadInput,
      fmt::format("{}:{}: expected an update, found a line longer than {} bytes, beginning {}",
                  name(), number, kLongestLine, in_quotes(line)));
}

void UpdateLines::refuse_long(std::string_view line) const {
  check_length(line, number_);
}

/// Takes the mark of UTF-8 off what the input begins with.
void UpdateLines::skip_mark() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::exchange(begun_, true)) return;
  while (kByteOrderMark.starts_with(bytes_.held()) && bytes_.read_more(kBlockBytes)) {
    if (bytes_.held().size() >= kByteOrderMark.size()) break;
  }
  if (bytes_.held().starts_with(kByteOrderMark)) bytes_.take(kByteOrderMark.size());
}

bool UpdateLines::next(std::string_view& line) {
  skip_mark();
  for (std::size_t searched = 0;;) {
    const std::string_view held = bytes_.held();
    std::size_t end = held.find('\n', searched);
    if (end == std::string_view::npos) {
      searched = held.size();
      check_length(held, number_ + 1);
      if (bytes_.read_more(kBlockBytes)) continue;
      if (bytes_.held().empty()) return false;
      end = bytes_.held().size();
    }
    line = bytes_.held().substr(0, end);
    check_length(line, number_ + 1);
    bytes_.take(std::min(end + 1, bytes_.held().size()));
    ++number_;
    return true;
  }
}

bool UpdateLines::next_block(std::string_view& lines) {
  skip_mark();
  for (std::size_t searched = 0;;) {
    const std::string_view held = bytes_.held();
    const std::size_t end = held.substr(searched).rfind('\n');
    if (end != std::string_view::npos) {
      lines = held.substr(0, searched + end + 1);
      break;
    }
    searched = held.size();
    check_length(held, number_ + 1);
    if (bytes_.read_more(kManyBytes)) continue;
    lines = bytes_.held();
    if (lines.empty()) return false;
    break;
  }
  bytes_.take(lines.size());
  return true;
}

}  // namespace fathom::dynamic
