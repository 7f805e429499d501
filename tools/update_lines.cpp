#include "update_lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

namespace fathom::cli {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr int kLookUpMs = 100;  // how often a wait for input looks for Ctrl-C

}  // namespace

UpdateLines::UpdateLines(const std::string& path, Task task)
    : name_(path == "-" ? "standard input" : path), task_(std::move(task)) {
  if (path != "-") file_ = io::open_bytes(path);
}

std::size_t UpdateLines::read_some(char* into, std::size_t size) {
  if (file_) return file_->read(std::as_writable_bytes(std::span(into, size)));
  while (true) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, kLookUpMs);
    task_.check();
    if (ready < 0 && errno != EINTR) throw_io_error(name_, "cannot wait for", errno);
    if (ready <= 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, into, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) throw_io_error(name_, "cannot read", errno);
  }
}

bool UpdateLines::fill() {
  task_.check();
  if (first_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + first_, last_ - first_);
    last_ -= first_;
    first_ = 0;
  }
  if (buffer_.size() < last_ + kBlockBytes) buffer_.resize(last_ + kBlockBytes);
  const std::size_t got = read_some(buffer_.data() + last_, kBlockBytes);
  last_ += got;
  ended_ = got == 0;
  return !ended_;
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
      first_ += line.size() + 1;
      ++number_;
      return true;
    }
    searched = held;
    if (ended_ || !fill()) break;
  }
  if (first_ == last_) return false;
  line = {buffer_.data() + first_, last_ - first_};
  first_ = last_;
  ++number_;
  return true;
}

}  // namespace fathom::cli
