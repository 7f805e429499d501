// Reads by threads that each wait in pread: for systems that refuse io_uring.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "fathom/residency/ssd/block_reader.hpp"

namespace fathom::detail {
namespace {

class PreadReader final : public BlockReader {
 public:
  explicit PreadReader(std::uint32_t threads) : most_(threads) { team_.reserve(threads); }
  ~PreadReader() override { stop(); }

  std::string name() const override { return "pread"; }

  void start(const BlockRead& read) override {
    // As many threads as there are reads at once: of a small file, few.
    if (team_.size() < most_ && team_.size() <= under_way_) team_.emplace_back([this] { work(); });
    {
      const std::lock_guard lock(mutex_);
      done_.reserve(under_way_ + 1);  // a worker that ends a read must not fail
      queue_.push_back(read);
    }
    ++under_way_;
    wanted_.notify_one();
  }

  void collect(std::vector<BlockDone>& done, bool wait) override {
    std::unique_lock lock(mutex_);
    if (wait && under_way_ > 0) finished_.wait(lock, [&] { return !done_.empty(); });
    done.insert(done.end(), done_.begin(), done_.end());
    under_way_ -= done_.size();
    done_.clear();
  }

  void drain() noexcept override {
    std::unique_lock lock(mutex_);
    queue_.clear();  // what no worker has begun
    finished_.wait(lock, [&] { return reading_ == 0; });
    done_.clear();
    under_way_ = 0;
  }

 private:
  void stop() noexcept {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wanted_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wanted_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;  // stopping, and everything started is read
      const BlockRead read = queue_.front();
      queue_.pop_front();
      ++reading_;
      lock.unlock();
      const BlockDone done{read.tag, pread_once(read)};
      lock.lock();
      --reading_;
      done_.push_back(done);  // start() made room
      finished_.notify_one();
    }
  }

  // The bare system call: the address sanitizer's pread() would object to memory that emulated
  // devices must not see while their kernels run, and the host may well fill then.
  static std::int64_t pread_once(const BlockRead& read) {
    for (;;) {
      const long n =
          ::syscall(SYS_pread64, read.descriptor, read.into.data(),
                    std::min(read.into.size(), kMostBytes), static_cast<off_t>(read.offset));
      if (n >= 0) return n;
      if (errno != EINTR) return -errno;
    }
  }

  const std::size_t most_;  // threads
  std::mutex mutex_;
  std::condition_variable wanted_, finished_;
  std::deque<BlockRead> queue_;
  std::vector<BlockDone> done_;
  std::size_t reading_ = 0;  // by workers, now
  bool stopping_ = false;
  std::size_t under_way_ = 0;       // of the driving thread: started, not yet given back
  std::vector<std::jthread> team_;  // last: joined first
};

}  // namespace

std::unique_ptr<BlockReader> make_pread_reader(std::uint32_t threads) {
  return std::make_unique<PreadReader>(threads);
}

}  // namespace fathom::detail
