#include "tests/fuzz/shared/memory_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "tests/fuzz/shared/memory_file.hpp"

namespace fathom::fuzzing {
namespace {

constexpr int kFirst = 1 << 24;  // of our descriptors: more than the system gives

using FilePtr = std::shared_ptr<File>;

struct Mapped {
  FilePtr file;
  void* at;
};

struct Files {
  std::mutex mutex;  // readers may have threads
  std::map<std::string, FilePtr, std::less<>> name;
  std::vector<FilePtr> open;  // by descriptor - kFirst; null: a free one
  std::vector<Mapped> mapped;

  int descriptor_of(FilePtr file) {
    const auto free = std::find(open.begin(), open.end(), nullptr);
    if (free != open.end()) {
      *free = std::move(file);
      return kFirst + static_cast<int>(free - open.begin());
    }
    open.push_back(std::move(file));
    return kFirst + static_cast<int>(open.size() - 1);
  }
  FilePtr& at(int descriptor) {
    const auto index = static_cast<std::size_t>(descriptor - kFirst);
    expect(index < open.size() && open[index] != nullptr, "a descriptor that is not open");
    return open[index];
  }
};

Files& files() {
  static auto* const all = new Files;  // as long as anything is
  return *all;
}

bool is_ours(const char* path) {
  constexpr std::string_view kAll(kMemory, sizeof kMemory - 2);
  const std::string_view name = path;
  return name.starts_with(kAll) && (name.size() == kAll.size() || name[kAll.size()] == '/');
}

/// Of a name in /proc of what is open; -1 for others.
int descriptor_named(const char* path) {
  constexpr std::string_view kOpen = "/proc/self/fd/";
  const std::string_view name = path;
  int descriptor = -1;
  if (name.starts_with(kOpen))
    std::from_chars(name.data() + kOpen.size(), name.data() + name.size(), descriptor);
  return descriptor >= kFirst ? descriptor : -1;
}

int fail(int error) {
  errno = error;
  return -1;
}

void describe(const File& file, struct stat* status) {
  *status = {};
  status->st_mode = S_IFREG | 0600;
  status->st_nlink = 1;
  status->st_uid = ::geteuid();
  status->st_gid = ::getegid();
  status->st_size = static_cast<off_t>(file.size());
}

int open_ours(const char* path, int flags) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  if ((flags & O_TMPFILE) == O_TMPFILE || (flags & O_DIRECTORY) != 0)
    return all.descriptor_of(std::make_shared<File>());
  const auto found = all.name.find(std::string_view(path));
  if (found == all.name.end() && (flags & O_CREAT) == 0) return fail(ENOENT);
  if (found != all.name.end() && (flags & O_EXCL) != 0) return fail(EEXIST);
  if (found != all.name.end()) return all.descriptor_of(found->second);
  const auto made = std::make_shared<File>();
  all.name.emplace(path, made);
  return all.descriptor_of(made);
}

ssize_t read_ours(int descriptor, void* into, std::size_t bytes, off_t offset) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  return static_cast<ssize_t>(
      all.at(descriptor)
          ->read(static_cast<std::size_t>(offset), static_cast<std::byte*>(into), bytes));
}

std::vector<Mapped>::iterator mapping_at(const void* at) {
  std::vector<Mapped>& mapped = files().mapped;
  return std::find_if(mapped.begin(), mapped.end(), [&](const Mapped& m) { return m.at == at; });
}

}  // namespace

void write_memory(const std::string& path, std::span<const std::byte> content) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  FilePtr& file = all.name[path];
  if (!file) file = std::make_shared<File>();
  file->resize(content.size());
  file->write(0, content);
}

std::span<std::byte> memory_at(const std::string& path) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  const auto found = all.name.find(path);
  expect(found != all.name.end(), "no such file");
  return {found->second->data(), found->second->size()};
}

bool remove_memory(const std::string& path) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  return all.name.erase(path) > 0;
}

}  // namespace fathom::fuzzing

// What stands for the system's functions. Those that nothing of ours can reach are not here.
using namespace fathom::fuzzing;

extern "C" {

int __real_open(const char*, int, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned);
  va_end(more);
  return is_ours(path) ? open_ours(path, flags) : __real_open(path, flags, mode);
}

int __real_close(int);
int __wrap_close(int descriptor) {
  if (descriptor < kFirst) return __real_close(descriptor);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  all.at(descriptor).reset();
  return 0;
}

int __real_fcntl(int, int, ...);
int __wrap_fcntl(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  if (descriptor < kFirst) return __real_fcntl(descriptor, command, argument);
  expect(command == F_DUPFD_CLOEXEC, "an unknown fcntl");
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  const FilePtr file = all.at(descriptor);
  return all.descriptor_of(file);
}

int __real_fstat(int, struct stat*);
int __wrap_fstat(int descriptor, struct stat* status) {
  if (descriptor < kFirst) return __real_fstat(descriptor, status);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  describe(*all.at(descriptor), status);
  return 0;
}

int __real_stat(const char*, struct stat*);
int __wrap_stat(const char* path, struct stat* status) {
  if (!is_ours(path)) return __real_stat(path, status);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  const auto found = all.name.find(std::string_view(path));
  if (found == all.name.end()) return fail(ENOENT);
  describe(*found->second, status);
  return 0;
}

ssize_t __real_pread(int, void*, std::size_t, off_t);
ssize_t __wrap_pread(int descriptor, void* into, std::size_t bytes, off_t offset) {
  return descriptor < kFirst ? __real_pread(descriptor, into, bytes, offset)
                             : read_ours(descriptor, into, bytes, offset);
}

long __real_syscall(long, ...);
long __wrap_syscall(long number, ...) {
  long argument[6];
  va_list more;
  va_start(more, number);
  for (long& a : argument) a = va_arg(more, long);
  va_end(more);
  if (number == SYS_pread64 && argument[0] >= kFirst)
    return read_ours(static_cast<int>(argument[0]), reinterpret_cast<void*>(argument[1]),
                     static_cast<std::size_t>(argument[2]), argument[3]);
  return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                        argument[5]);
}

ssize_t __real_pwrite(int, const void*, std::size_t, off_t);
ssize_t __wrap_pwrite(int descriptor, const void* from, std::size_t bytes, off_t offset) {
  if (descriptor < kFirst) return __real_pwrite(descriptor, from, bytes, offset);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  all.at(descriptor)
      ->write(static_cast<std::size_t>(offset), {static_cast<const std::byte*>(from), bytes});
  return static_cast<ssize_t>(bytes);
}

void* __real_mmap(void*, std::size_t, int, int, int, off_t);
void* __wrap_mmap(void* hint, std::size_t bytes, int protection, int flags, int descriptor,
                  off_t offset) {
  if (descriptor < kFirst) return __real_mmap(hint, bytes, protection, flags, descriptor, offset);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  const FilePtr file = all.at(descriptor);
  expect(offset == 0 && bytes <= file->size(), "more is mapped than there is");
  if (bytes == 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  ++file->maps;
  all.mapped.push_back({file, file->data()});
  return file->data();
}

int __real_munmap(void*, std::size_t);
int __wrap_munmap(void* at, std::size_t bytes) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  const auto mapping = mapping_at(at);
  if (mapping == all.mapped.end()) return __real_munmap(at, bytes);
  --mapping->file->maps;
  all.mapped.erase(mapping);
  return 0;
}

int __real_madvise(void*, std::size_t, int);
int __wrap_madvise(void* at, std::size_t bytes, int advice) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  for (const Mapped& m : all.mapped) {
    const auto from = static_cast<std::size_t>(static_cast<std::byte*>(at) - m.file->data());
    if (from < m.file->size()) return 0;
  }
  return __real_madvise(at, bytes, advice);
}

int __real_fsync(int);
int __wrap_fsync(int descriptor) {
  return descriptor < kFirst ? __real_fsync(descriptor) : 0;
}
int __real_flock(int, int);
int __wrap_flock(int descriptor, int operation) {
  return descriptor < kFirst ? __real_flock(descriptor, operation) : 0;
}
int __real_fchmod(int, mode_t);
int __wrap_fchmod(int descriptor, mode_t mode) {
  return descriptor < kFirst ? __real_fchmod(descriptor, mode) : 0;
}

int __real_access(const char*, int);
int __wrap_access(const char* path, int mode) {
  return descriptor_named(path) < 0 ? __real_access(path, mode) : 0;
}

DIR* __real_opendir(const char*);
DIR* __wrap_opendir(const char* path) {
  if (!is_ours(path)) return __real_opendir(path);
  errno = EACCES;  // to be read; files in it are for who knows their names
  return nullptr;
}

int __real_linkat(int, const char*, int, const char*, int);
int __wrap_linkat(int from_in, const char* from, int to_in, const char* to, int flags) {
  const int descriptor = descriptor_named(from);
  if (descriptor < 0) return __real_linkat(from_in, from, to_in, to, flags);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  return all.name.try_emplace(to, all.at(descriptor)).second ? 0 : fail(EEXIST);
}

int __real_rename(const char*, const char*);
int __wrap_rename(const char* from, const char* to) {
  if (!is_ours(from)) return __real_rename(from, to);
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  const auto found = all.name.find(std::string_view(from));
  if (found == all.name.end()) return fail(ENOENT);
  all.name.insert_or_assign(to, found->second);
  all.name.erase(from);
  return 0;
}

int __real_unlink(const char*);
int __wrap_unlink(const char* path) {
  if (!is_ours(path)) return __real_unlink(path);
  return remove_memory(path) ? 0 : fail(ENOENT);
}

}  // extern "C"
