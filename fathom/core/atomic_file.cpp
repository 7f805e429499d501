#include "fathom/core/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <random>
#include <string_view>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/links.hpp"

namespace fathom {
namespace {

constexpr unsigned kNewFile = 0666;  // the umask takes from it

void sync_directory(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the file is there; a directory we may not read is not an error
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string file_name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// What begins every temporary name for `name`; names are at most 255 bytes long.
std::string prefix_of(const std::string& name) {
  return fmt::format(".{}.tmp-", std::string_view(name).substr(0, 200));
}

/// FNV-1a of the whole name and the random part.
std::uint32_t check_of(const std::string& name, std::uint32_t random) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](unsigned byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const char c : name) add(static_cast<unsigned char>(c));
  for (unsigned shift = 0; shift < 32; shift += 8) add(random >> shift & 0xff);
  return static_cast<std::uint32_t>(hash >> 32);
}

std::string temporary_for(const std::string& path) {
  const std::string name = file_name_of(path);
  const std::uint32_t random = std::random_device()();
  return fmt::format("{}/{}{:08x}{:08x}", directory_of(path), prefix_of(name), random,
                     check_of(name, random));
}

/// Whether `entry` is what temporary_for() makes for a file called `name`.
bool is_temporary_of(std::string_view entry, const std::string& name) {
  const std::string prefix = prefix_of(name);
  if (entry.size() != prefix.size() + 16 || !entry.starts_with(prefix)) return false;
  std::uint64_t digits = 0;
  const char* const end = entry.data() + entry.size();
  const auto [stop, error] = std::from_chars(end - 16, end, digits, 16);
  return error == std::errc{} && stop == end &&
         static_cast<std::uint32_t>(digits) ==
             check_of(name, static_cast<std::uint32_t>(digits >> 32));
}

bool lock(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

/// Removes a temporary file whose process is gone.
void remove_leftover(int directory, const char* entry) {
  const int descriptor = ::openat(directory, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat opened {
  }, named{};
  // Who lives holds the lock. The name is looked at once more under it: the file may have moved
  // under its own name since.
  if (::fstat(descriptor, &opened) == 0 && S_ISREG(opened.st_mode) &&
      opened.st_uid == ::geteuid() && opened.st_nlink == 1 && lock(descriptor) &&
      ::fstatat(directory, entry, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
    ::unlinkat(directory, entry, 0);
  ::close(descriptor);
}

void remove_leftovers(const std::string& target) {
  const std::string name = file_name_of(target);
  DIR* const directory = ::opendir(directory_of(target).c_str());
  if (!directory) return;  // may be written and not read
  while (const dirent* const entry = ::readdir(directory))
    if (is_temporary_of(entry->d_name, name)) remove_leftover(::dirfd(directory), entry->d_name);
  ::closedir(directory);
}

/// How a process names what it has open.
std::string name_in_proc(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

AtomicFile::AtomicFile(std::string path, bool named) : path_(std::move(path)) {
  if (file_name_of(path_).empty())
    throw Error(ErrorCode::Usage, "'" + path_ + "' is not a file name");
  struct stat existing {};
  const bool exists = ::stat(path_.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) throw_io_error(path_, "look at", errno);
  if (exists && !S_ISREG(existing.st_mode))
    throw Error(ErrorCode::Usage, path_ + ": exists and is not a regular file");
  target_ = end_of_links(path_);
  remove_leftovers(target_);
  const unsigned mode = exists ? existing.st_mode & 0777 : kNewFile;
  if (!named) descriptor_ = open_nameless(directory_of(target_), mode);
  if (descriptor_ >= 0 && ::access(name_in_proc(descriptor_).c_str(), F_OK) != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
  if (descriptor_ >= 0)
    lock(descriptor_);
  else
    while (!open_named(mode)) {
    }
  if (exists) take_over(mode, existing.st_uid, existing.st_gid);
}

AtomicFile::AtomicFile(TempFile& file, const std::string& path)
    : path_(path), target_(path), descriptor_(file.descriptor()), owned_(false) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0 || !owned_) return;
  // First the name: a locked file is not taken for a leftover.
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(descriptor_);
}

void AtomicFile::swap(AtomicFile& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(owned_, other.owned_);
  std::swap(size_, other.size_);
}

/// False when the name was not to be had.
bool AtomicFile::open_named(unsigned mode) {
  temporary_ = temporary_for(target_);
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_.clear();
    if (error == EEXIST) return false;
    throw_io_error(path_, "create a temporary file beside it", error);
  }
  // Between these two calls another process can take it for a leftover, and remove it.
  const bool locked = lock(descriptor_) || errno != EWOULDBLOCK;
  struct stat now {};
  if (locked && (::fstat(descriptor_, &now) != 0 || now.st_nlink == 1)) return true;
  ::close(descriptor_);
  descriptor_ = -1;
  temporary_.clear();
  return false;
}

/// As if the old file had been written over. Before anything is written: no one reads it who could
/// not read the old one.
void AtomicFile::take_over(unsigned mode, unsigned owner, unsigned group) {
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) return;
  if ((now.st_uid != owner || now.st_gid != group) && ::fchown(descriptor_, owner, group) != 0)
    return;  // not ours to give away; then the umask decides about others
  ::fchmod(descriptor_, mode);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  write_at(size_, bytes);
  size_ += bytes.size();
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  write_fully(descriptor_, path_, offset, bytes);
}

void AtomicFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  read_fully(descriptor_, path_, offset, into);
}

/// False when something has that name.
bool AtomicFile::link_as(const std::string& name) {
  const std::string file = name_in_proc(descriptor_);
  if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno != EEXIST) throw_io_error(path_, "give the finished file its name", errno);
  return false;
}

void AtomicFile::commit() {
  if (!owned_) return;
  if (::fsync(descriptor_) != 0) throw_io_error(path_, "flush to disk", errno);
  if (temporary_.empty() && !link_as(target_)) {
    std::string name = temporary_for(target_);
    while (!link_as(name)) name = temporary_for(target_);
    temporary_ = name;
  }
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw_io_error(path_, "rename the finished file to", errno);
  temporary_.clear();
  ::close(std::exchange(descriptor_, -1));
  sync_directory(directory_of(target_));
}

}  // namespace fathom
