#include "fathom/dynamic/updates/read_ahead.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom::dynamic {
namespace {

// Before what is read, for what is held then: as a rule less than a line or a record.
constexpr std::size_t kHeadroom = std::size_t{1} << 12;
constexpr std::size_t kAtOnce = std::size_t{1} << 20;  // who takes waits for one read at most
constexpr int kLookUpMs = 100;  // how often a wait looks whether anybody wants an end of it

}  // namespace

ReadAhead::ReadAhead(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {
#ifdef F_SETPIPE_SZ
  // Fewer turns between who writes and who reads. What is no pipe, or may not be as large, stays.
  ::fcntl(descriptor_, F_SETPIPE_SZ, static_cast<int>(kAtOnce));
#endif
  thread_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
}

ReadAhead::~ReadAhead() {
  thread_.request_stop();
  thread_.join();
}

void ReadAhead::read_all(const std::stop_token& stop) noexcept {
  try {
    while (wait_for_room(stop)) {
      pollfd input{descriptor_, POLLIN, 0};
      const int ready = ::poll(&input, 1, kLookUpMs);
      if (ready < 0 && errno != EINTR) throw_io_error(name_, "wait for", errno);
      if (ready > 0 && !read_some()) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failed_ = std::current_exception();
    ended_ = true;
    change_.notify_all();
  }
}

/// False when it is to stop.
bool ReadAhead::wait_for_room(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return change_.wait(lock, stop, [this] { return ready_.size() < kMostBlocks; }) &&
         !stop.stop_requested();
}

/// False at the end.
bool ReadAhead::read_some() {
  const std::lock_guard lock(mutex_);
  if (block_.empty()) {
    if (spare_.empty()) {
      block_ = Array<char>(kHeadroom + kBlock);
    } else {
      block_ = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  const ssize_t got =
      ::read(descriptor_, block_.data() + kHeadroom + filled_, std::min(kBlock - filled_, kAtOnce));
  if (got < 0 && errno != EINTR && errno != EAGAIN) throw_io_error(name_, "read", errno);
  if (got > 0) filled_ += static_cast<std::size_t>(got);
  ended_ = got == 0;
  if (filled_ == kBlock) {
    ready_.push_back({std::move(block_), kHeadroom, kHeadroom + kBlock});
    filled_ = 0;
  }
  change_.notify_all();
  return !ended_;
}

bool ReadAhead::take(HeldBytes& held, const Task& task) {
  std::unique_lock lock(mutex_);
  const auto some = [this] { return !ready_.empty() || filled_ > 0; };
  while (!some() && !ended_) {
    change_.wait_for(lock, std::chrono::milliseconds(kLookUpMs));
    task.check();
  }
  if (!some()) {
    if (failed_) std::rethrow_exception(failed_);
    return false;
  }
  HeldBytes come = next();
  const std::string_view left = held.view();
  if (left.size() <= kHeadroom) {
    come.first -= left.size();
    std::ranges::copy(left, come.buffer.data() + come.first);
    std::swap(come, held);
  } else {
    HeldBytes both{Array<char>(left.size() + come.view().size()), 0, 0};
    both.last = both.buffer.size();
    std::ranges::copy(come.view(), std::ranges::copy(left, both.buffer.data()).out);
    held = std::move(both);
  }
  recycle(std::move(come.buffer));
  change_.notify_all();
  return true;
}

/// The oldest that there is, a block if it is full.
HeldBytes ReadAhead::next() {
  if (ready_.empty()) return {std::move(block_), kHeadroom, kHeadroom + std::exchange(filled_, 0)};
  HeldBytes oldest = std::move(ready_.front());
  ready_.pop_front();
  return oldest;
}

void ReadAhead::recycle(Array<char>&& buffer) {
  if (buffer.size() == kHeadroom + kBlock && spare_.size() < kMostBlocks)
    spare_.push_back(std::move(buffer));
}

}  // namespace fathom::dynamic
