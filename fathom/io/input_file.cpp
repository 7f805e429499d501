#include "fathom/io/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/platform.hpp"
#include "fathom/core/temp_file.hpp"

namespace fathom::io {
namespace {

constexpr std::array<std::string_view, 4> kStandardInput = {"-", "/dev/stdin", "/dev/fd/0",
                                                            "/proc/self/fd/0"};
using Opened = std::shared_ptr<const InputFile::Descriptor>;

/// Does not wait for whoever writes to a FIFO: receive() does.
Opened open_at_once(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) throw_io_error(path, "open", errno);
  return std::make_shared<const InputFile::Descriptor>(number);
}

struct stat status_of(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_io_error(name, "look at", errno);
  return status;
}

/// Some of what comes; 0 at the end. Waits in steps, so that Ctrl-C is heard.
std::size_t receive(int descriptor, const std::string& name, std::span<std::byte> into,
                    const Task& task) {
  constexpr int kStepMs = 50;
  for (;;) {
    task.check();
    pollfd input{descriptor, POLLIN, 0};
    const int ready = ::poll(&input, 1, kStepMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(descriptor, into.data(), into.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw_io_error(name, "read", errno);
    return static_cast<std::size_t>(got);
  }
}

/// Keeps all that comes in a file without a name.
Opened keep(int descriptor, const std::string& name, const Task& task) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  TempFile file{""};
  std::vector<std::byte> piece(kPiece);
  task.begin("receiving", 0, "B");
  for (bool more = true; more;) {
    std::size_t filled = 0;
    while (more && filled < piece.size()) {  // a pipe gives little at a time
      const std::size_t n = receive(descriptor, name, std::span(piece).subspan(filled), task);
      more = n > 0;
      filled += n;
    }
    file.append(std::span(piece).first(filled));
    task.at(file.size());
  }
  task.end();
  return duplicate(file.descriptor(), name);
}

}  // namespace

InputFile::Descriptor::~Descriptor() {
  ::close(number);
}

bool is_standard_input(const std::string& path) {
  return std::find(kStandardInput.begin(), kStandardInput.end(), path) != kStandardInput.end();
}

std::string input_name(const std::string& path) {
  return is_standard_input(path) ? "standard input" : path;
}

InputFile open_input(const std::string& path, const Task& task) {
  InputFile file{input_name(path), nullptr};
  const bool standard = is_standard_input(path);
  const Opened opened = standard ? duplicate(STDIN_FILENO, file.name) : open_at_once(path);
  const struct stat status = status_of(opened->number, file.name);
  if (S_ISDIR(status.st_mode)) throw_io_error(file.name, "read", EISDIR);
  if (!S_ISREG(status.st_mode) || (standard && ::lseek(opened->number, 0, SEEK_CUR) != 0))
    file.held = keep(opened->number, file.name, task);
  else if (standard)
    file.held = opened;
  return file;
}

std::shared_ptr<const InputFile::Descriptor> descriptor_of(const InputFile& file) {
  if (file.held) return file.held;
  const int number = ::open(file.name.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) throw_io_error(file.name, "open", errno);
  return std::make_shared<const InputFile::Descriptor>(number);
}

std::shared_ptr<const InputFile::Descriptor> duplicate(int descriptor, const std::string& name) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw_io_error(name, "open", errno);
  return std::make_shared<const InputFile::Descriptor>(copy);
}

}  // namespace fathom::io
