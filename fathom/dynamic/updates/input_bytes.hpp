// The bytes of a file or of standard input, as they come, in bounded memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fathom/core/task.hpp"
#include "fathom/dynamic/updates/read_ahead.hpp"
#include "fathom/io/byte_source.hpp"

namespace fathom::dynamic {

class InputBytes {
 public:
  /// "-": standard input. Files may be compressed. @throws Error(Io)
  InputBytes(const std::string& path, Task task);

  const std::string& name() const { return name_; }
  /// What was read and not taken; valid until more is read.
  std::string_view held() const { return held_.view(); }
  void take(std::size_t bytes) { held_.first += bytes; }
  /// Holds more: of a file up to so many bytes, of standard input what has come, up to a block of
  /// ReadAhead. False at the end.
  /// @throws Error(Io); Error(Interrupted), also while it waits for input.
  bool read_more(std::size_t most);

 private:
  std::string name_;
  Task task_;
  std::unique_ptr<io::ByteSource> file_;  // null: standard input
  std::unique_ptr<ReadAhead> ahead_;      // of standard input, once it is read
  HeldBytes held_;                        // read and not taken yet
  bool ended_ = false;
};

}  // namespace fathom::dynamic
