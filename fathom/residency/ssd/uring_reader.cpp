// Reads through io_uring. Adopted memory is registered, so that the kernel pins it once; where it
// may not be (RLIMIT_MEMLOCK), the same reads go without.
#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/residency/ssd/block_reader.hpp"

namespace fathom::detail {
namespace {

// The kernel's limit for one registered buffer.
constexpr std::size_t kMostRegistered = std::size_t{1} << 30;

constexpr std::uint64_t kForgotten = ~std::uint64_t{0};  // the tag of what is no read any more

class UringReader final : public BlockReader {
 public:
  explicit UringReader(const io_uring& ring) : ring_(ring) {}
  ~UringReader() override {
    drain();
    ::io_uring_queue_exit(&ring_);
  }

  std::string name() const override { return "io_uring"; }

  void start(const BlockRead& read) override {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    if (!entry) {
      submit(0);
      entry = ::io_uring_get_sqe(&ring_);
    }
    if (!entry) throw Error(ErrorCode::Internal, "more reads were started than the ring holds");
    const auto size = static_cast<unsigned>(std::min(read.into.size(), kMostBytes));
    if (const int buffer = buffer_of(read.into.first(size)); buffer >= 0)
      ::io_uring_prep_read_fixed(entry, read.descriptor, read.into.data(), size, read.offset,
                                 buffer);
    else
      ::io_uring_prep_read(entry, read.descriptor, read.into.data(), size, read.offset);
    ::io_uring_sqe_set_data64(entry, read.tag);
    ++under_way_;
    queued_ = true;
  }

  void collect(std::vector<BlockDone>& done, bool wait) override {
    const std::size_t before = done.size();
    if (queued_) submit(0);
    take(done);
    if (!wait || under_way_ == 0 || done.size() > before) return;
    submit(1);
    take(done);
  }

  // Closing a ring does not wait: the kernel ends its reads later, on its own, and they would write
  // to memory that has gone. Each read that was submitted leaves an entry in the completion queue,
  // which is shared memory: where the ring refuses to be waited for it is looked at now and then.
  void drain() noexcept override {
    while (under_way_ > ::io_uring_sq_ready(&ring_)) {
      io_uring_cqe* entry = nullptr;
      if (::io_uring_peek_cqe(&ring_, &entry) == 0 && entry) {
        if (::io_uring_cqe_get_data64(entry) != kForgotten) --under_way_;
        ::io_uring_cqe_seen(&ring_, entry);
      } else if (::io_uring_wait_cqe(&ring_, &entry) != 0) {
        ::usleep(1000);
      }
    }
    // What was not submitted must not be by a later call: its places in the queue do nothing.
    for (unsigned at = *ring_.sq.khead; at != ring_.sq.sqe_tail; ++at) {
      io_uring_sqe* const entry = &ring_.sq.sqes[at & ring_.sq.ring_mask];
      ::io_uring_prep_nop(entry);
      ::io_uring_sqe_set_data64(entry, kForgotten);
    }
    under_way_ = 0;
  }

  void adopt(std::span<std::byte> memory) override {
    if (!buffers_.empty()) ::io_uring_unregister_buffers(&ring_);
    buffers_.clear();
    std::vector<iovec> buffers;
    for (std::size_t at = 0; at < memory.size(); at += kMostRegistered)
      buffers.push_back({memory.data() + at, std::min(kMostRegistered, memory.size() - at)});
    if (!buffers.empty() && ::io_uring_register_buffers(&ring_, buffers.data(),
                                                        static_cast<unsigned>(buffers.size())) == 0)
      buffers_ = std::move(buffers);
  }

 private:
  void submit(unsigned wait_for) {
    for (;;) {
      const int status = ::io_uring_submit_and_wait(&ring_, wait_for);
      if (status >= 0) break;
      if (status != -EINTR && status != -EAGAIN && status != -EBUSY)
        throw_io_error("io_uring", "submit reads", -status);
    }
    queued_ = false;
  }

  void take(std::vector<BlockDone>& done) {
    io_uring_cqe* entry = nullptr;
    while (::io_uring_peek_cqe(&ring_, &entry) == 0) {
      const std::uint64_t tag = ::io_uring_cqe_get_data64(entry);
      if (tag != kForgotten) {
        done.push_back({tag, entry->res});
        --under_way_;
      }
      ::io_uring_cqe_seen(&ring_, entry);
    }
  }

  /// The registered buffer that holds the whole range, or -1.
  int buffer_of(std::span<const std::byte> range) const {
    if (buffers_.empty()) return -1;
    const auto* const start = static_cast<const std::byte*>(buffers_[0].iov_base);
    if (range.data() < start) return -1;
    const auto at = static_cast<std::size_t>(range.data() - start);
    const std::size_t buffer = at / kMostRegistered;
    if (buffer >= buffers_.size() || at % kMostRegistered + range.size() > buffers_[buffer].iov_len)
      return -1;
    return static_cast<int>(buffer);
  }

  io_uring ring_;
  std::vector<iovec> buffers_;
  std::size_t under_way_ = 0;
  bool queued_ = false;
};

}  // namespace

std::unique_ptr<BlockReader> make_uring_reader(std::uint32_t depth, int& error) {
  io_uring ring{};
  error = ::io_uring_queue_init(depth, &ring, 0);
  if (error < 0) return nullptr;
  return std::make_unique<UringReader>(ring);
}

}  // namespace fathom::detail
