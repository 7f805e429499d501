#include "fathom/dynamic/updates/read_ahead.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/io/input_file.hpp"

namespace fathom::dynamic {
namespace {

// Before what is read, for what is held then: as a rule less than a line or a record.
constexpr std::size_t kHeadroom = std::size_t{1} << 12;
constexpr std::size_t kPipeBytes = std::size_t{1} << 20;
constexpr int kLookUpMs = 100;  // how often a wait looks whether anybody wants an end of it

/// Fewer turns between who writes and who reads. What is no pipe, or may not be as large, stays.
void enlarge_pipe([[maybe_unused]] int descriptor) {
#ifdef F_SETPIPE_SZ
  const int now = ::fcntl(descriptor, F_GETPIPE_SZ);
  if (now > 0 && static_cast<std::size_t>(now) < kPipeBytes)
    ::fcntl(descriptor, F_SETPIPE_SZ, static_cast<int>(kPipeBytes));
#endif
}

}  // namespace

/// Thread-safe between the thread that reads and the one that takes. Invariant: `ready_` is full
/// blocks, and what came first is first; bytes [taken_, filled_) of `block_`, in which who reads
/// writes behind them, came after those. The descriptor is its own: a thread that is left in a read
/// may come to it after whoever gave it has closed theirs.
class ReadAhead::Shared {
 public:
  Shared(int descriptor, std::string name)
      : input_(io::duplicate(descriptor, name)), name_(std::move(name)) {}

  void read_all() noexcept {
    try {
      while (wait_for_room()) {
        pollfd input{input_->number, POLLIN, 0};
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

  bool take(HeldBytes& held, const Task& task) {
    std::unique_lock lock(mutex_);
    const auto some = [this] { return !ready_.empty() || filled_ > taken_; };
    while (!some() && !ended_) {
      task.check();
      change_.wait_for(lock, std::chrono::milliseconds(kLookUpMs));
    }
    if (!some()) {
      if (failed_) std::rethrow_exception(failed_);
      return false;
    }
    if (ready_.empty())
      take_part(held);
    else
      take_block(held);
    change_.notify_all();
    return true;
  }

  /// @return whether the thread may be in a read, which ends when something comes
  bool stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    change_.notify_all();
    return reading_;
  }

 private:
  /// False when it is to stop.
  bool wait_for_room() {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [this] { return stopped_ || ready_.size() < kMostBlocks; });
    return !stopped_;
  }

  /// False at the end, or when it is to stop. Who shares the input may have taken what was there,
  /// so that the read waits: nobody waits for it.
  bool read_some() {
    std::unique_lock lock(mutex_);
    if (stopped_) return false;
    if (block_.empty()) begin_block();
    char* const into = block_.data() + kHeadroom + filled_;
    const std::size_t most = kBlock - filled_;
    reading_ = true;
    lock.unlock();
    const ssize_t got = ::read(input_->number, into, most);
    const int error = errno;
    lock.lock();
    reading_ = false;
    if (got < 0 && error != EINTR && error != EAGAIN) throw_io_error(name_, "read", error);
    if (got > 0) filled_ += static_cast<std::size_t>(got);
    ended_ = got == 0;
    if (filled_ == kBlock) end_block();
    change_.notify_all();
    return !ended_;
  }
  void begin_block() {
    if (spare_.empty()) {
      block_ = Array<char>(kHeadroom + kBlock);
    } else {
      block_ = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  void end_block() {
    if (taken_ == filled_)
      recycle(std::move(block_));
    else
      ready_.push_back({std::move(block_), kHeadroom + taken_, kHeadroom + filled_});
    block_ = {};
    taken_ = filled_ = 0;
  }

  /// What the block under way has.
  void take_part(HeldBytes& held) {
    const std::string_view part{block_.data() + kHeadroom + taken_, filled_ - taken_};
    put_behind(held, part);
    taken_ = filled_;
  }
  /// The oldest block, with what is held before it.
  void take_block(HeldBytes& held) {
    HeldBytes block = std::move(ready_.front());
    ready_.pop_front();
    const std::string_view left = held.view();
    if (left.size() <= block.first) {
      block.first -= left.size();
      std::ranges::copy(left, block.buffer.data() + block.first);
      std::swap(block, held);
    } else {
      put_behind(held, block.view());
    }
    recycle(std::move(block.buffer));
  }
  static void put_behind(HeldBytes& held, std::string_view more) {
    const std::string_view left = held.view();
    const std::size_t size = left.size() + more.size();
    if (size > held.buffer.size()) {
      HeldBytes both{Array<char>(std::max(size, kHeadroom + kBlock)), 0, left.size()};
      std::ranges::copy(left, both.buffer.data());
      std::swap(both, held);
    } else if (held.last + more.size() > held.buffer.size()) {
      std::copy(left.begin(), left.end(), held.buffer.data());
      held.last -= std::exchange(held.first, 0);
    }
    std::ranges::copy(more, held.buffer.data() + held.last);
    held.last += more.size();
  }
  void recycle(Array<char>&& buffer) {
    if (buffer.size() == kHeadroom + kBlock && spare_.size() < kMostBlocks)
      spare_.push_back(std::move(buffer));
  }

  const std::shared_ptr<const io::InputFile::Descriptor> input_;
  const std::string name_;
  std::mutex mutex_;  // of all below, but for bytes of block_ from filled_ on
  std::condition_variable change_;
  std::deque<HeldBytes> ready_;
  Array<char> block_;
  std::size_t taken_ = 0, filled_ = 0;
  std::vector<Array<char>> spare_;
  bool reading_ = false, stopped_ = false, ended_ = false;
  std::exception_ptr failed_;
};

ReadAhead::ReadAhead(int descriptor, std::string name)
    : shared_(std::make_shared<Shared>(descriptor, std::move(name))) {
  enlarge_pipe(descriptor);
  thread_ = std::thread([shared = shared_] { shared->read_all(); });
}

ReadAhead::~ReadAhead() {
  if (shared_->stop())
    thread_.detach();
  else
    thread_.join();
}

bool ReadAhead::take(HeldBytes& held, const Task& task) {
  return shared_->take(held, task);
}

}  // namespace fathom::dynamic
