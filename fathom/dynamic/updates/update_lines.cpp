#include "fathom/dynamic/updates/update_lines.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr int kLookUpMs = 100;  // how often a wait for input looks for Ctrl-C

}  // namespace

UpdateLines::UpdateLines(const std::string& path, Task task)
    : name_(path == "-" ? "standard input" : path), task_(std::move(task)) {
  if (path != "-") file_ = io::open_bytes({path, nullptr});
}

std::size_t UpdateLines::read_some(char* into, std::size_t size) {
  if (file_) return file_->read(std::as_writable_bytes(std::span(into, size)));
  while (true) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, kLookUpMs);
    task_.check();
    if (ready < 0 && errno != EINTR) throw_io_error(name_, "wait for", errno);
    if (ready <= 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, into, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) throw_io_error(name_, "read", errno);
  }
}

bool UpdateLines::fill() {
  task_.check();
  if (first_ > 0) {
    std::copy(buffer_.begin() + first_, buffer_.begin() + last_, buffer_.begin());
    last_ -= first_;
    first_ = 0;
  }
  // A small file gets what it needs, and a byte more that shows its end.
  const auto block = static_cast<std::size_t>(
      file_ ? std::min<std::uint64_t>(kBlockBytes - 1, file_->most_left()) + 1 : kBlockBytes);
  if (buffer_.size() < last_ + block) {
    Array<char> larger(std::max(last_ + block, 2 * buffer_.size()));
    std::copy_n(buffer_.begin(), last_, larger.begin());
    buffer_ = std::move(larger);
  }
  const std::size_t got = read_some(buffer_.data() + last_, block);
  last_ += got;
  ended_ = got == 0;
  return !ended_;
}

void UpdateLines::check_length(std::size_t bytes) const {
  if (bytes <= kLongestLine) return;
  throw Error(
      ErrorCode::BadInput,
      fmt::format("{}:{}: expected an update, found a line longer than {} bytes, beginning {}",
                  name_, number_ + 1, kLongestLine, in_quotes({buffer_.data() + first_, bytes})));
}

/// Counts a line, and takes the mark of UTF-8 off the first one.
void UpdateLines::begin_line(std::string_view& line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (number_++ == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
}

bool UpdateLines::next(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const char* const begin = buffer_.data() + first_;
    const std::size_t held = last_ - first_;
    const void* const end =
        held > searched ? std::memchr(begin + searched, '\n', held - searched) : nullptr;
    if (end) {
      line = {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
      check_length(line.size());
      first_ += line.size() + 1;
      begin_line(line);
      return true;
    }
    searched = held;
    check_length(held);
    if (ended_ || !fill()) break;
  }
  if (first_ == last_) return false;
  line = {buffer_.data() + first_, last_ - first_};
  first_ = last_;
  begin_line(line);
  return true;
}

}  // namespace fathom::dynamic
