// The disk and io_uring.
#include <fcntl.h>
#include <liburing.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/machine/probes.hpp"

namespace fathom::cli {
namespace {

// The kernel takes a block apart and reads its parts side by side: large ones keep a disk busy.
constexpr std::size_t kBlock = std::size_t{8} << 20;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int d) : fd(d) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

using Block = std::unique_ptr<std::byte, decltype(&std::free)>;

Block make_block() {
  Block block(static_cast<std::byte*>(std::aligned_alloc(4096, kBlock)), std::free);
  if (!block) throw std::bad_alloc();
  std::memset(block.get(), 1, kBlock);
  return block;
}

/// Writes the test file, through to the disk. Returns errno, or 0.
int write_blocks(int fd, const std::byte* block, std::uint64_t blocks, const Task& task) {
  for (std::uint64_t i = 0; i < blocks; ++i) {
    task.check();
    if (::write(fd, block, kBlock) != static_cast<ssize_t>(kBlock))
      return errno == 0 ? ENOSPC : errno;
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

/// Bytes per second of reading the test file once with several reads under way, as streams do;
/// negative: -errno. No block is read twice: a disk may have what it has read in a cache.
double read_blocks(int fd, std::uint64_t blocks, double limit, const Task& task) {
  using Clock = std::chrono::steady_clock;
  constexpr int kReaders = 4;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::atomic<std::uint64_t> next = 0, bytes = 0;
  std::atomic<int> failed = 0;
  const auto read = [&] {
    const Block block = make_block();
    while (failed == 0 && seconds() < limit && !task.stop_requested()) {
      const std::uint64_t i = next++;
      if (i >= blocks) return;
      const ssize_t n = ::pread(fd, block.get(), kBlock, static_cast<off_t>(i * kBlock));
      if (n < 0) failed = errno;
      if (n > 0) bytes += static_cast<std::uint64_t>(n);
    }
  };
  {
    std::vector<std::jthread> readers;
    readers.reserve(kReaders);
    for (int i = 0; i < kReaders; ++i) readers.emplace_back(read);
  }
  task.check();
  return failed != 0 ? -static_cast<double>(failed) : static_cast<double>(bytes) / seconds();
}

}  // namespace

Json probe_io_uring() {
  io_uring ring{};
  const int error = ::io_uring_queue_init(8, &ring, 0);
  if (error < 0) return {{"available", false}, {"why", text_of(-error)}};
  ::io_uring_queue_exit(&ring);
  return {{"available", true}, {"why", nullptr}};
}

Json probe_disk(const std::string& directory, const Task& task, std::uint64_t bytes,
                double seconds) {
  const char* configured = std::getenv("TMPDIR");
  const std::string where = !directory.empty()          ? directory
                            : configured && *configured ? configured
                                                        : "/tmp";
  Json disk = {{"directory", where},
               {"free_bytes", nullptr},
               {"read_bytes_per_second", nullptr},
               {"direct", false},
               {"why", nullptr}};
  struct statvfs space {};
  if (::statvfs(where.c_str(), &space) != 0) {
    disk["why"] = text_of(errno);
    return disk;
  }
  disk["free_bytes"] = std::uint64_t{space.f_bavail} * space.f_frsize;
  const Descriptor file(::open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const Block block = make_block();
  if (const int error =
          file.fd < 0 ? errno : write_blocks(file.fd, block.get(), bytes / kBlock, task);
      error != 0) {
    disk["why"] = text_of(error);
    return disk;
  }
  if (::fcntl(file.fd, F_SETFL, O_DIRECT) != 0) {
    disk["why"] = "O_DIRECT: " + text_of(errno);
    return disk;
  }
  const double rate = read_blocks(file.fd, bytes / kBlock, seconds, task);
  if (rate < 0) {
    disk["why"] = text_of(static_cast<int>(-rate));
  } else {
    disk["direct"] = true;
    disk["read_bytes_per_second"] = rate;
  }
  return disk;
}

}  // namespace fathom::cli
