// What long work takes along: a way to be cancelled and someone to tell how far it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string_view>

#include "fathom/core/error.hpp"

namespace fathom {

/// Receives progress of long work. Calls come from the thread that started the work.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A phase begins. `total` counts `unit`s ("B" for bytes, "edges", ...); 0: not known.
  virtual void begin(std::string_view phase, std::uint64_t total, std::string_view unit) = 0;
  /// `done` units of the current phase are finished in all.
  virtual void at(std::uint64_t done) = 0;
  virtual void end() = 0;
};

/// Cheap to copy. A default one is never cancelled and reports to nobody.
struct Task {
  std::stop_token stop;
  Progress* progress = nullptr;
  /// Another way to be cancelled, which can be taken back; outlives the task.
  const std::atomic<bool>* cancelled = nullptr;

  bool stop_requested() const {
    return stop.stop_requested() ||
           (cancelled != nullptr && cancelled->load(std::memory_order_relaxed));
  }
  /// Throws Error(Interrupted) once a stop was requested. Called per block and per superstep.
  void check() const {
    if (stop_requested()) throw Error(ErrorCode::Interrupted, "interrupted");
  }
  void begin(std::string_view phase, std::uint64_t total, std::string_view unit) const {
    if (progress) progress->begin(phase, total, unit);
  }
  void at(std::uint64_t done) const {
    check();
    if (progress) progress->at(done);
  }
  void end() const {
    if (progress) progress->end();
  }
};

}  // namespace fathom
