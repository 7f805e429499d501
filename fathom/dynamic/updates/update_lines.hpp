// Lines of a file or of standard input, one at a time or many at once, in bounded memory.
#pragma once

#include <string>
#include <string_view>

#include "fathom/dynamic/updates/input_bytes.hpp"

namespace fathom::dynamic {

class FATHOM_API UpdateLines {
 public:
  /// "-": standard input. Files may be compressed. @throws Error(Io)
  UpdateLines(const std::string& path, Task task)
      : UpdateLines(InputBytes(path, std::move(task))) {}
  explicit UpdateLines(InputBytes bytes) : bytes_(std::move(bytes)) {}

  /// Longer lines are refused: compressed, a small file could hold one of any length.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// The next line without its end; false after the last one. Valid until the next call.
  /// @throws Error(BadInput); Error(Io); Error(Interrupted), also while it waits for input.
  bool next(std::string_view& line);
  /// The next lines with their ends, as many as are there, about a MiB at most; false after the
  /// last one, which may lack its end. They may be too long: refuse_long(). Errors are as of
  /// next().
  bool next_block(std::string_view& lines);
  /// Counts lines of a block. @return the number of the last one
  std::uint64_t pass(std::uint64_t lines) { return number_ += lines; }
  /// Of a line that was counted. @throws Error(BadInput)
  void refuse_long(std::string_view line) const;

  std::uint64_t number() const { return number_; }  // of the line given last, from 1 on
  const std::string& name() const { return bytes_.name(); }

 private:
  void check_length(std::string_view line, std::uint64_t number) const;
  void skip_mark();

  InputBytes bytes_;
  std::uint64_t number_ = 0;
  bool begun_ = false;
};

}  // namespace fathom::dynamic
