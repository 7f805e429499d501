// What comes through a pipe is read by a thread of its own, while others work on what came before.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "fathom/core/array.hpp"
#include "fathom/core/task.hpp"

namespace fathom::dynamic {

/// Bytes in a buffer.
struct HeldBytes {
  Array<char> buffer;
  std::size_t first = 0, last = 0;

  std::string_view view() const { return {buffer.data() + first, last - first}; }
};

class ReadAhead {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 21, kMostBlocks = 8;

  /// Reads a duplicate of the descriptor, from now on, up to kMostBlocks * kBlock bytes ahead.
  /// `name` is for messages. @throws Error(Io) for what is no open descriptor
  ReadAhead(int descriptor, std::string name);
  /// Waits for no more input.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Puts what has come behind what is held; waits for some. False at the end.
  /// @throws Error(Io) once all that was read before has been taken; Error(Interrupted)
  bool take(HeldBytes& held, const Task& task);

 private:
  class Shared;
  std::shared_ptr<Shared> shared_;  // also of a thread that is left in a read
  std::thread thread_;
};

}  // namespace fathom::dynamic
