#include "fathom/core/temp_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "fathom/core/error.hpp"

namespace fathom {

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

int open_nameless(const std::string& directory, unsigned mode) {
  return ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

void write_fully(int descriptor, const std::string& path, std::uint64_t offset,
                 std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io_error(path, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

std::size_t read_available(int descriptor, const std::string& path, std::uint64_t offset,
                           std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(descriptor, into.data() + done, into.size() - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io_error(path, "read", errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void read_fully(int descriptor, const std::string& path, std::uint64_t offset,
                std::span<std::byte> into) {
  if (read_available(descriptor, path, offset, into) < into.size())
    throw_io_error(path, "read back", EIO);
}

TempFile::TempFile(const std::string& asked) {
  std::string directory = asked;
  if (directory.empty()) {
    const char* variable = std::getenv("TMPDIR");
    directory = variable && *variable ? variable : "/tmp";
  }
  name_ = directory + "/(temporary)";
  descriptor_ = open_nameless(directory, 0600);
  if (descriptor_ < 0) {  // a file system without such files
    std::string name = directory + "/.fathom-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw_io_error(directory, "create a temporary file there", errno);
    ::unlink(name.c_str());
  }
}

TempFile TempFile::in_memory() {
  TempFile file;
  file.name_ = "(memory)";
  file.descriptor_ = ::memfd_create("fathom", MFD_CLOEXEC);
  if (file.descriptor_ < 0) throw_io_error(file.name_, "create a file there", errno);
  return file;
}

TempFile::~TempFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TempFile::append(std::span<const std::byte> bytes) {
  write_at(size_, bytes);
  size_ += bytes.size();
}

void TempFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  write_fully(descriptor_, name_, offset, bytes);
}

void TempFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  read_fully(descriptor_, name_, offset, into);
}

}  // namespace fathom
