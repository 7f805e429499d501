// Lines of a file or of standard input, one at a time, in bounded memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fathom/core/array.hpp"
#include "fathom/core/task.hpp"
#include "fathom/io/byte_source.hpp"

namespace fathom::dynamic {

class FATHOM_API UpdateLines {
 public:
  /// "-": standard input. Files may be compressed. @throws Error(Io)
  UpdateLines(const std::string& path, Task task);

  /// Longer lines are refused: compressed, a small file could hold one of any length.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// The next line without its end; false after the last one. Valid until the next call.
  /// @throws Error(BadInput); Error(Io); Error(Interrupted), also while it waits for input.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }  // of the line given last, from 1 on
  const std::string& name() const { return name_; }

 private:
  bool fill();
  void check_length(std::size_t bytes) const;
  void begin_line(std::string_view& line);
  std::size_t read_some(char* into, std::size_t size);

  std::string name_;
  Task task_;
  std::unique_ptr<io::ByteSource> file_;  // null: standard input
  Array<char> buffer_;
  std::size_t first_ = 0, last_ = 0;  // of buffer_, not given yet
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace fathom::dynamic
