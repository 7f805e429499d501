#include "fathom/dynamic/updates/input_bytes.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "fathom/core/error.hpp"

namespace fathom::dynamic {
namespace {

constexpr int kLookUpMs = 100;  // how often a wait for input looks for Ctrl-C

}  // namespace

InputBytes::InputBytes(const std::string& path, Task task)
    : name_(path == "-" ? "standard input" : path), task_(std::move(task)) {
  if (path != "-") file_ = io::open_bytes({path, nullptr});
}

/// Fewer bytes than `size` only where a file ends, or where standard input has no more now.
std::size_t InputBytes::read_some(char* into, std::size_t size) {
  if (file_) return file_->read(std::as_writable_bytes(std::span(into, size)));
  std::size_t got = 0;
  while (got < size) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, got > 0 ? 0 : kLookUpMs);
    task_.check();
    if (ready < 0 && errno != EINTR) throw_io_error(name_, "wait for", errno);
    if (ready <= 0) {
      if (got > 0) break;
      continue;
    }
    const ssize_t now = ::read(STDIN_FILENO, into + got, size - got);
    if (now == 0) break;  // once more for who asks again
    if (now > 0)
      got += static_cast<std::size_t>(now);
    else if (errno != EINTR && errno != EAGAIN)
      throw_io_error(name_, "read", errno);
  }
  return got;
}

bool InputBytes::read_more(std::size_t most) {
  if (ended_) return false;
  task_.check();
  if (first_ > 0) {
    std::copy(buffer_.begin() + first_, buffer_.begin() + last_, buffer_.begin());
    last_ -= first_;
    first_ = 0;
  }
  // A small file gets what it needs, and a byte more that shows its end.
  const auto block = static_cast<std::size_t>(
      file_ ? std::min<std::uint64_t>(most - 1, file_->most_left()) + 1 : most);
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

}  // namespace fathom::dynamic
