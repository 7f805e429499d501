// What comes through a pipe is read by a thread of its own, while others work on what came before.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/task.hpp"

namespace fathom::dynamic {

/// Bytes in a buffer.
struct HeldBytes {
  Array<char> buffer;
  std::size_t first = 0, last = 0;

  std::string_view view() const { return {buffer.data() + first, last - first}; }
};

/// Thread-safe between its thread and the one that takes. Invariant: `ready_` is full blocks, and
/// what came first is first; `filled_` bytes of `block_` came after them.
class ReadAhead {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 21, kMostBlocks = 8;

  /// Reads the descriptor, from now on, up to kMostBlocks * kBlock bytes ahead. `name` is for
  /// messages.
  ReadAhead(int descriptor, std::string name);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Puts what has come behind what is held; waits for some. False at the end.
  /// @throws Error(Io) once all that was read before has been taken; Error(Interrupted)
  bool take(HeldBytes& held, const Task& task);

 private:
  void read_all(const std::stop_token& stop) noexcept;
  bool wait_for_room(const std::stop_token& stop);
  bool read_some();
  HeldBytes next();
  void recycle(Array<char>&& buffer);

  const int descriptor_;
  const std::string name_;
  std::mutex mutex_;  // of all below
  std::condition_variable_any change_;
  std::deque<HeldBytes> ready_;
  Array<char> block_;
  std::size_t filled_ = 0;
  std::vector<Array<char>> spare_;
  bool ended_ = false;
  std::exception_ptr failed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace fathom::dynamic
