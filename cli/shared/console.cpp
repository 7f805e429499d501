#include "cli/shared/console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

bool reader_gone = false;
bool says_nothing_aside = false;
thread_local std::string* captured = nullptr;

void check_written(bool ok) {
  if (ok) return;
  if (errno != EPIPE) throw_io_error("standard output", "write", errno);
  reader_gone = true;
}

}  // namespace

void prepare_standard_streams() {
  // Opened for the wrong direction on purpose: using a stream that was closed stays an error.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of files fails like any other
}

CapturedOutput::CapturedOutput() : before_(std::exchange(captured, &text_)) {}

CapturedOutput::~CapturedOutput() {
  captured = before_;
}

void write_out(std::string_view text) {
  const std::string shown = printable(text, Newlines::Keep);  // labels and names are in most of it
  if (captured) {
    *captured += shown;
    return;
  }
  if (reader_gone || shown.empty()) return;
  check_written(std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size());
}

bool write_data(std::span<const std::byte> bytes) {
  if (captured) {
    captured->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }
  if (!reader_gone && !bytes.empty())
    check_written(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
  return !reader_gone;
}

void say_nothing_aside() {
  says_nothing_aside = true;
}

void write_aside(std::string_view text) {
  if (says_nothing_aside) return;
  const std::string shown = printable(text, Newlines::Keep);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void flush_out() {
  if (!reader_gone) check_written(std::fflush(stdout) == 0);
}

void complain(std::string_view message, std::string_view hint) {
  const std::string_view name = colored() ? "\x1b[1;31mfathom:\x1b[0m" : "fathom:";
  const std::string line = fmt::format("{} {}\n{}{}", name, printable(message), printable(hint),
                                       hint.empty() ? "" : "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool on_terminal() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

bool colored() {
  const char* refused = std::getenv("NO_COLOR");
  return on_terminal() && (!refused || *refused == '\0');
}

}  // namespace fathom::cli
