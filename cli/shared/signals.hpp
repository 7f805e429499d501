// Ctrl-C: the first asks the work to stop at its next superstep or block, the second ends the
// process at once.
//
// The signals are blocked everywhere and one thread waits for them, so that what happens on arrival
// is ordinary code.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace fathom::cli {

/// Watches SIGINT, SIGTERM and SIGHUP, except those that the process was started to ignore.
/// Made before any other thread is, so that all inherit the blocked signals.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void wait();

  sigset_t signals_;
  std::stop_source stop_;
  std::atomic<bool> finished_{false};
  std::thread waiter_;
};

}  // namespace fathom::cli
