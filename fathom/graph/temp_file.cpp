#include "fathom/graph/temp_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "fathom/core/error.hpp"

namespace fathom::graph {

TempFile::TempFile(const std::string& asked) {
  std::string directory = asked;
  if (directory.empty()) {
    const char* variable = std::getenv("TMPDIR");
    directory = variable && *variable ? variable : "/tmp";
  }
  name_ = directory + "/(temporary)";
  descriptor_ = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {  // a file system without O_TMPFILE
    std::string name = directory + "/fathom-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw_io_error(directory, "create a temporary file there", errno);
    ::unlink(name.c_str());
  }
}

TempFile::~TempFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TempFile::append(std::span<const std::byte> bytes) {
  write_at(size_, bytes);
  size_ += bytes.size();
}

void TempFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io_error(name_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void TempFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t n = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw_io_error(name_, "read back", n < 0 ? errno : EIO);
    into = into.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

}  // namespace fathom::graph
