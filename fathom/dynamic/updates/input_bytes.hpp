// The bytes of a file or of standard input, as they come, in bounded memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fathom/core/array.hpp"
#include "fathom/core/task.hpp"
#include "fathom/io/byte_source.hpp"

namespace fathom::dynamic {

class InputBytes {
 public:
  /// "-": standard input. Files may be compressed. @throws Error(Io)
  InputBytes(const std::string& path, Task task);

  const std::string& name() const { return name_; }
  /// What was read and not taken; valid until more is read.
  std::string_view held() const { return {buffer_.data() + first_, last_ - first_}; }
  void take(std::size_t bytes) { first_ += bytes; }
  /// Holds more, up to so many bytes, of standard input what is there; false at the end.
  /// @throws Error(Io); Error(Interrupted), also while it waits for input.
  bool read_more(std::size_t most);

 private:
  std::size_t read_some(char* into, std::size_t size);

  std::string name_;
  Task task_;
  std::unique_ptr<io::ByteSource> file_;  // null: standard input
  Array<char> buffer_;
  std::size_t first_ = 0, last_ = 0;  // of buffer_, not taken yet
  bool ended_ = false;
};

}  // namespace fathom::dynamic
