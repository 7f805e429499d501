#include "fathom/core/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

void sync_directory(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the rename is done; a directory we may not read is not an error
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat existing {};
  if (::stat(path_.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    throw Error(ErrorCode::Usage, path_ + ": exists and is not a regular file");
  const std::string name = std::filesystem::path(path_).filename().string();
  if (name.empty()) throw Error(ErrorCode::Usage, "'" + path_ + "' is not a file name");
  std::random_device random;
  // Opened by hand instead of mkstemp so that the umask decides about permissions.
  do {
    temporary_ = fmt::format("{}/.{}.tmp-{:08x}", directory_of(path_), name, random());
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) throw_io_error(path_, "create a temporary file beside it", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  write_at(size_, bytes);
  size_ += bytes.size();
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      throw_io_error(path_, "write", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) throw_io_error(path_, "flush to disk", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw_io_error(path_, "rename the finished file to", errno);
  ::close(descriptor_);
  descriptor_ = -1;
  sync_directory(directory_of(path_));
}

}  // namespace fathom
