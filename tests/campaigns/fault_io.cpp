// An LD_PRELOAD library that makes the operating system fail: the calls on files below one
// directory are counted, and by environment one of them, or every so many, is refused, shortened,
// interrupted, or ends the process. The program under test is the unchanged release build.
//
//   FAULT_DIR    calls on files below this directory count (absolute)
//   FAULT_KIND   eio, enospc, eintr, short, kill, tear (killed when half of the bytes are written),
//   stop (by Ctrl-C, which has come when the call is made), or refuse (a ring, a file without a
//   name) FAULT_AT     the number of the call that meets it, from 1 among those the kind applies
//   to; 0: none FAULT_EVERY  instead: one in so many, drawn by FAULT_SEED FAULT_STAYS  1: every
//   call from FAULT_AT on, as on a disk that is full FAULT_LOG    a file outside of FAULT_DIR that
//   is given
//   "<calls counted> <name of the call hit>"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <liburing.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define FAULT_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum class Kind { None, Eio, Enospc, Eintr, Short, Kill, Tear, Stop, Refuse };

struct Plan {
  Kind kind = Kind::None;
  std::string directory, log;
  long at = 0, every = 0;
  unsigned long seed = 0;
  bool stays = false;
};

std::string word(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

long number(const char* name) {
  return std::strtol(word(name).c_str(), nullptr, 10);
}

const Plan& plan() {
  static const Plan& made = *[] {  // never destroyed: calls are counted to the very end
    auto* const made_now = new Plan;
    Plan& p = *made_now;
    const std::string kind = word("FAULT_KIND");
    p.kind = kind == "eio"      ? Kind::Eio
             : kind == "enospc" ? Kind::Enospc
             : kind == "eintr"  ? Kind::Eintr
             : kind == "short"  ? Kind::Short
             : kind == "kill"   ? Kind::Kill
             : kind == "tear"   ? Kind::Tear
             : kind == "stop"   ? Kind::Stop
             : kind == "refuse" ? Kind::Refuse
                                : Kind::None;
    p.directory = word("FAULT_DIR");
    p.log = word("FAULT_LOG");
    p.at = number("FAULT_AT");
    p.every = number("FAULT_EVERY");
    p.seed = static_cast<unsigned long>(number("FAULT_SEED"));
    p.stays = word("FAULT_STAYS") == "1";
    return made_now;
  }();
  return made;
}

std::atomic<long> counted{0};

void note(long calls, const char* call) {
  if (plan().log.empty()) return;
  const long file =
      ::syscall(SYS_openat, AT_FDCWD, plan().log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  const std::string line = std::to_string(calls) + " " + call + "\n";
  ::syscall(SYS_write, file, line.data(), line.size());
  ::syscall(SYS_close, file);
}

/// SplitMix64, so that a run can be repeated.
unsigned long mixed(unsigned long x) {
  x += 0x9e3779b97f4a7c15UL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
  return x ^ x >> 31;
}

bool below(const char* path) {
  const std::string& directory = plan().directory;
  if (directory.empty() || !path) return false;
  char here[4096];
  if (path[0] != '/') {
    if (!::getcwd(here, sizeof here)) return false;
    path = here;
  }
  const std::size_t length = directory.size();
  return std::strncmp(path, directory.c_str(), length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

bool below(int descriptor) {
  if (plan().directory.empty() || descriptor < 0) return false;
  const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  char path[4096];
  const ssize_t n = ::readlink(name.c_str(), path, sizeof path - 1);
  if (n <= 0) return false;
  path[n] = '\0';
  return path[0] == '/' && below(path);
}

// What a call can meet.
enum : unsigned {
  kFails = 1,
  kNoSpace = 2,
  kInterrupts = 4,
  kShortens = 8,
  kRefuses = 16,
  kTears = 32
};

/// Counts a call; what it meets, or None.
Kind meets(const char* call, unsigned can) {
  const Plan& p = plan();
  const bool applies =
      p.kind == Kind::None || p.kind == Kind::Kill || p.kind == Kind::Stop ||
      (p.kind == Kind::Eio && (can & kFails)) || (p.kind == Kind::Enospc && (can & kNoSpace)) ||
      (p.kind == Kind::Eintr && (can & kInterrupts)) ||
      (p.kind == Kind::Short && (can & kShortens)) || (p.kind == Kind::Tear && (can & kTears)) ||
      (p.kind == Kind::Refuse && (can & kRefuses));
  if (!applies) return Kind::None;
  const long mine = ++counted;
  bool hit = p.at > 0 && (p.stays ? mine >= p.at : mine == p.at);
  if (p.every > 0)
    hit = mixed(p.seed * 1000003UL + static_cast<unsigned long>(mine)) %
              static_cast<unsigned long>(p.every) ==
          0;
  if (!hit) return Kind::None;
  note(mine, call);
  if (p.kind == Kind::Kill) ::kill(::getpid(), SIGKILL);
  if (p.kind == Kind::Stop) {
    ::kill(::getpid(), SIGINT);
    ::usleep(50000);  // a thread takes it
  }
  return p.kind;
}

/// The errno of what a call meets; 0 for None and Short.
int error_of(Kind kind) {
  switch (kind) {
    case Kind::Eio:
      return EIO;
    case Kind::Enospc:
      return ENOSPC;
    case Kind::Eintr:
      return EINTR;
    case Kind::Refuse:
      return EOPNOTSUPP;
    default:
      return 0;
  }
}

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

#define NEXT(f) (next(&f, #f))

/// A call that gives a number of bytes. The real one is made with fewer bytes, or not at all.
template <class Real>
ssize_t transfer(const char* call, int descriptor, std::size_t bytes, unsigned can,
                 const Real& real) {
  if (!below(descriptor)) return real(bytes);
  const Kind kind = meets(call, bytes > 1 ? can | kShortens : can);
  if (const int error = error_of(kind)) {
    errno = error;
    return -1;
  }
  if (kind != Kind::Tear) return real(kind == Kind::Short ? (bytes + 1) / 2 : bytes);
  real(bytes / 2);
  ::kill(::getpid(), SIGKILL);
  return -1;
}

/// A call that succeeds or fails. `fails_with`: what stands for EIO.
template <class Result, class Real>
Result once(const char* call, bool counts, unsigned can, Result failed, const Real& real,
            int fails_with = EIO) {
  if (!counts) return real();
  const int error = error_of(meets(call, can));
  if (error == 0) return real();
  errno = error == EIO ? fails_with : error;
  return failed;
}

struct AtExit {
  ~AtExit() {
    if (plan().at == 0 && plan().every == 0) note(counted, "-");
  }
} at_exit;

}  // namespace

FAULT_EXPORT ssize_t read(int f, void* into, size_t bytes) {
  static const auto real = NEXT(read);
  return transfer("read", f, bytes, kFails | kInterrupts,
                  [&](std::size_t n) { return real(f, into, n); });
}

FAULT_EXPORT ssize_t pread(int f, void* into, size_t bytes, off_t at) {
  static const auto real = NEXT(pread);
  return transfer("pread", f, bytes, kFails | kInterrupts,
                  [&](std::size_t n) { return real(f, into, n, at); });
}

FAULT_EXPORT ssize_t write(int f, const void* from, size_t bytes) {
  static const auto real = NEXT(write);
  return transfer("write", f, bytes, kFails | kNoSpace | kInterrupts | kTears,
                  [&](std::size_t n) { return real(f, from, n); });
}

FAULT_EXPORT ssize_t pwrite(int f, const void* from, size_t bytes, off_t at) {
  static const auto real = NEXT(pwrite);
  return transfer("pwrite", f, bytes, kFails | kNoSpace | kInterrupts | kTears,
                  [&](std::size_t n) { return real(f, from, n, at); });
}

FAULT_EXPORT int open(const char* path, int flags, ...) {
  static const auto real = NEXT(open);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const unsigned can =
      kFails | (makes ? kNoSpace : 0U) |
      ((flags & (O_TMPFILE | O_DIRECT)) != 0 && !(flags & O_CREAT) ? kRefuses : 0U);
  return once((flags & O_TMPFILE) == O_TMPFILE ? "open a nameless file" : "open", below(path), can,
              -1, [&] { return real(path, flags, mode); });
}

FAULT_EXPORT int fstat(int f, struct stat* status) {
  static const auto real = NEXT(fstat);
  return once("fstat", below(f), kFails, -1, [&] { return real(f, status); });
}

FAULT_EXPORT int stat(const char* path, struct stat* status) {
  static const auto real = NEXT(stat);
  return once("stat", below(path), kFails, -1, [&] { return real(path, status); });
}

FAULT_EXPORT int fsync(int f) {
  static const auto real = NEXT(fsync);
  return once("fsync", below(f), kFails | kNoSpace, -1, [&] { return real(f); });
}

FAULT_EXPORT int fdatasync(int f) {
  static const auto real = NEXT(fdatasync);
  return once("fdatasync", below(f), kFails | kNoSpace, -1, [&] { return real(f); });
}

FAULT_EXPORT int ftruncate(int f, off_t bytes) noexcept {
  static const auto real = NEXT(ftruncate);
  return once("ftruncate", below(f), kFails, -1, [&] { return real(f, bytes); });
}

FAULT_EXPORT int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = NEXT(mkdir);
  return once("mkdir", below(path), kFails | kNoSpace, -1, [&] { return real(path, mode); });
}

FAULT_EXPORT int linkat(int from, const char* name, int to, const char* as, int flags) {
  static const auto real = NEXT(linkat);
  return once("linkat", below(as), kFails | kNoSpace, -1,
              [&] { return real(from, name, to, as, flags); });
}

FAULT_EXPORT int rename(const char* from, const char* to) noexcept {
  static const auto real = NEXT(rename);
  return once("rename", below(to), kFails | kNoSpace, -1, [&] { return real(from, to); });
}

// Only to be killed there: what cannot be removed is left.
FAULT_EXPORT int unlink(const char* path) noexcept {
  static const auto real = NEXT(unlink);
  return once("unlink", below(path) && plan().kind == Kind::Kill, 0, -1,
              [&] { return real(path); });
}

FAULT_EXPORT DIR* opendir(const char* path) {
  static const auto real = NEXT(opendir);
  return once("opendir", below(path), kFails, static_cast<DIR*>(nullptr),
              [&] { return real(path); });
}

FAULT_EXPORT int flock(int f, int operation) noexcept {
  static const auto real = NEXT(flock);
  return once(
      "flock", below(f), kFails | kInterrupts, -1, [&] { return real(f, operation); }, ENOLCK);
}

FAULT_EXPORT void* mmap(void* at, size_t bytes, int protection, int flags, int f,
                        off_t offset) noexcept {
  static const auto real = NEXT(mmap);
  return once(
      "mmap", f >= 0 && below(f), kFails, MAP_FAILED,
      [&] { return real(at, bytes, protection, flags, f, offset); }, ENOMEM);
}

// Of the mappings of this process only those of files are populated.
FAULT_EXPORT int madvise(void* at, size_t bytes, int advice) noexcept {
  static const auto real = NEXT(madvise);
  constexpr int kPopulateRead = 22;
  return once(
      "madvise", advice == kPopulateRead, kFails, -1, [&] { return real(at, bytes, advice); },
      EFAULT);
}

// Reads of threads are bare system calls. So are waits for who makes a static object, such as those
// above: here there can be none.
FAULT_EXPORT long syscall(long which, ...) noexcept {
  static constinit std::atomic<decltype(&syscall)> found{nullptr};
  auto real = found.load(std::memory_order_relaxed);
  if (!real) found.store(real = NEXT(syscall), std::memory_order_relaxed);
  va_list rest;
  va_start(rest, which);
  long a[6];
  for (long& argument : a) argument = va_arg(rest, long);
  va_end(rest);
  if (which != SYS_pread64) return real(which, a[0], a[1], a[2], a[3], a[4], a[5]);
  return transfer("pread64", static_cast<int>(a[0]), static_cast<std::size_t>(a[2]),
                  kFails | kInterrupts,
                  [&](std::size_t n) { return real(which, a[0], a[1], n, a[3]); });
}

FAULT_EXPORT int io_uring_queue_init(unsigned entries, io_uring* ring, unsigned flags) {
  static const auto real = NEXT(io_uring_queue_init);
  if (meets("io_uring_queue_init", kRefuses) == Kind::Refuse) return -EPERM;
  return real(entries, ring, flags);
}

FAULT_EXPORT int io_uring_register_buffers(io_uring* ring, const iovec* buffers, unsigned count) {
  static const auto real = NEXT(io_uring_register_buffers);
  if (meets("io_uring_register_buffers", kRefuses) == Kind::Refuse) return -ENOMEM;
  return real(ring, buffers, count);
}

/// Refused before anything is submitted; afterwards, completions that have just come are changed.
FAULT_EXPORT int io_uring_submit_and_wait(io_uring* ring, unsigned wait_for) {
  static const auto real = NEXT(io_uring_submit_and_wait);
  static thread_local unsigned seen = 0;  // one ring and one driving thread at a time
  if (const int error = error_of(meets("io_uring_submit", kFails | kInterrupts))) return -error;
  const int status = real(ring, wait_for);
  const unsigned head = *ring->cq.khead, tail = std::atomic_ref(*ring->cq.ktail).load();
  if (seen - head > tail - head) seen = head;
  for (; seen != tail; ++seen) {
    io_uring_cqe& done = ring->cq.cqes[seen & *ring->cq.kring_mask];
    if (done.res <= 1) continue;
    const Kind kind = meets("a read by io_uring", kFails | kInterrupts | kShortens);
    if (kind == Kind::Short) done.res = (done.res + 1) / 2;
    if (const int error = error_of(kind)) done.res = -error;
  }
  return status;
}
