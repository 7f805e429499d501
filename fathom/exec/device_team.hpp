// A thread for each of several GPUs, so that what one waits for holds up no other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// Invariant: between two calls of run() every thread waits for the next round.
class FATHOM_API DeviceTeam {
 public:
  explicit DeviceTeam(std::size_t devices);
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  /// Calls body(d) for each d below `devices` at the same time: 0 on the caller's thread, each
  /// other one on a thread of its own. Returns when all have; rethrows the exception of the lowest
  /// d that threw one. Not reentrant.
  void run(FunctionRef<void(std::size_t)> body);

 private:
  void serve(std::size_t device);
  void call(std::size_t device) noexcept;
  void end() noexcept;

  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  const FunctionRef<void(std::size_t)>* body_ = nullptr;
  std::size_t round_ = 0, busy_ = 0;
  bool stop_ = false;
  std::vector<std::exception_ptr> failure_;
  std::vector<std::thread> threads_;
};

}  // namespace fathom
