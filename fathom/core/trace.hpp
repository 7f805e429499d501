// What happened when, as spans on named lanes, for a timeline (GTS, Figure 4): chrome://tracing and
// ui.perfetto.dev show what write() writes.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

class FATHOM_API Trace {
 public:
  using Clock = std::chrono::steady_clock;

  struct Span {
    const char* lane;
    std::string what;
    double from, to;  // microseconds
    std::uint64_t bytes;
  };

  /// Times are counted from now on.
  Trace() : start_(Clock::now()) {}

  /// Adds a span. Spans of one lane may overlap: each is drawn in the first row of its lane that is
  /// free. Thread-safe. Cost: about 100 bytes.
  void add(const char* lane, std::string what, Clock::time_point from, Clock::time_point to,
           std::uint64_t bytes = 0);

  /// The spans so far, by their beginnings. Thread-safe.
  std::vector<Span> spans() const;

  /// The spans so far, in the Trace Event Format (JSON). Thread-safe.
  std::string json() const;

 private:
  mutable std::mutex mutex_;
  Clock::time_point start_;
  std::vector<Span> spans_;
};

/// A span from here to the end of the scope; `trace` may be null.
class TraceScope {
 public:
  TraceScope(Trace* trace, const char* lane, const char* what, std::uint64_t bytes = 0)
      : trace_(trace), lane_(lane), what_(what), bytes_(bytes) {
    if (trace_) from_ = Trace::Clock::now();
  }
  ~TraceScope() {
    if (trace_) trace_->add(lane_, what_, from_, Trace::Clock::now(), bytes_);
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  Trace* trace_;
  const char* lane_;
  const char* what_;
  std::uint64_t bytes_;
  Trace::Clock::time_point from_;
};

}  // namespace fathom
