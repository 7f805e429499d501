#include "fathom/dynamic/updates/input_bytes.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>

namespace fathom::dynamic {

InputBytes::InputBytes(const std::string& path, Task task)
    : name_(path == "-" ? "standard input" : path), task_(std::move(task)) {
  if (path != "-") file_ = io::open_bytes({path, nullptr});
}

bool InputBytes::read_more(std::size_t most) {
  if (ended_) return false;
  task_.check();
  if (!file_) {
    if (!ahead_) ahead_ = std::make_unique<ReadAhead>(STDIN_FILENO, name_);
    ended_ = !ahead_->take(held_, task_);
    return !ended_;
  }
  Array<char>& buffer = held_.buffer;
  std::copy(buffer.begin() + held_.first, buffer.begin() + held_.last, buffer.begin());
  held_.last -= std::exchange(held_.first, 0);
  // A small file gets what it needs, and a byte more that shows its end.
  const auto block =
      static_cast<std::size_t>(std::min<std::uint64_t>(most - 1, file_->most_left()) + 1);
  if (buffer.size() < held_.last + block) {
    Array<char> larger(std::max(held_.last + block, 2 * buffer.size()));
    std::copy_n(buffer.begin(), held_.last, larger.begin());
    buffer = std::move(larger);
  }
  const std::size_t got =
      file_->read(std::as_writable_bytes(std::span(buffer.data() + held_.last, block)));
  held_.last += got;
  ended_ = got == 0;
  return !ended_;
}

}  // namespace fathom::dynamic
