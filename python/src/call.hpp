// How work is called from Python: on a thread of its own, without the interpreter's lock, so that
// Ctrl-C and progress are seen meanwhile; and errors as exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/task.hpp"

namespace fathom::python {

namespace nb = nanobind;

/// Progress that another thread looks at.
class SharedProgress final : public Progress {
 public:
  struct State {
    std::string phase, unit;
    std::uint64_t total = 0, done = 0;
    bool working = false;
  };

  void begin(std::string_view phase, std::uint64_t total, std::string_view unit) override;
  void at(std::uint64_t done) override { done_.store(done, std::memory_order_relaxed); }
  void end() override;
  State state() const;

 private:
  mutable std::mutex mutex_;
  State state_;
  std::atomic<std::uint64_t> done_{0};
};

/// What a Context's work is interrupted and watched by. Once interrupted it stays so.
struct Watched {
  std::stop_source stop;
  SharedProgress progress;

  Task task() { return {stop.get_token(), &progress}; }
};

/// Runs `work` without the interpreter's lock, which the caller holds; rethrows what it throws.
/// Ctrl-C (or whatever a signal's handler raises) requests a stop and is raised when work has
/// ended.
void call(Watched& watched, FunctionRef<void()> work);

/// A thread that runs Python below C++, or is about to: the interpreter's end waits for it for a
/// second. Without that it would be ended where it next asks for the lock, in the midst of C++.
class Awake {
 public:
  Awake();
  ~Awake();
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;

  /// The interpreter's lock is not to be had by threads but the one that ends it.
  bool too_late() const;
};

/// Gives the interpreter's lock up, as nb::gil_scoped_release does. A thread that would take it
/// again when the interpreter comes to its end, a daemon's, stays instead.
class Released {
 public:
  Released() = default;
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  std::optional<nb::gil_scoped_release> released_{std::in_place};
};

/// Registers exceptions, one class per exit status, and the hook that shows progress.
void add_calls(nb::module_& module);

}  // namespace fathom::python
