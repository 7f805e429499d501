// What the program says: data on standard output, everything else on standard error.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fathom/core/printable.hpp"

namespace fathom::cli {

/// Occupies descriptors 0 to 2 where the caller closed them, so that no result file can get the
/// number of a standard stream; ignores SIGPIPE, so that a closed pipe is a failed write.
void prepare_standard_streams();

/// Appends to standard output. A reader that has gone away (`fathom ... | head`) has all it wanted:
/// what comes after is dropped in silence.
/// @throws Error(Io) when standard output refuses for any other reason.
void write_out(std::string_view text);
void flush_out();

/// The same for data, whose bytes are written as they are. False when the reader has gone away.
bool write_data(std::span<const std::byte> bytes);

/// While it lives, what this thread writes to standard output goes to text() instead.
class CapturedOutput {
 public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string* before_;
};

template <class... A>
void print(fmt::format_string<A...> format, A&&... arguments) {
  write_out(fmt::format(format, std::forward<A>(arguments)...));
}

/// What is said beside the data that standard output has, on standard error.
void write_aside(std::string_view text);
/// From now on none of it: another process says it.
void say_nothing_aside();

/// One line on standard error: "fathom: <message>"; and what may be done about it on the next.
void complain(std::string_view message, std::string_view hint = {});

/// Whether standard error is a terminal that understands cursor movements.
bool on_terminal();
/// The same, and NO_COLOR is not set.
bool colored();

}  // namespace fathom::cli
