// What a run did: times, bytes, and a line per superstep. Every result carries one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

/// What came from a disk, and what of it the buffer of pages in host memory spared.
struct DiskTraffic {
  std::uint64_t bytes = 0;        // read
  std::uint64_t requests = 0;     // reads
  std::uint64_t page_hits = 0;    // pages found in the buffer
  std::uint64_t page_misses = 0;  // pages that were not
  double seconds_waited = 0;      // with nothing else to do

  DiskTraffic operator-(const DiskTraffic& o) const {
    return {bytes - o.bytes, requests - o.requests, page_hits - o.page_hits,
            page_misses - o.page_misses, seconds_waited - o.seconds_waited};
  }
  DiskTraffic operator+(const DiskTraffic& o) const {
    return {bytes + o.bytes, requests + o.requests, page_hits + o.page_hits,
            page_misses + o.page_misses, seconds_waited + o.seconds_waited};
  }
};

/// What an edge source had to fetch to where a kernel could read it.
struct Traffic {
  std::uint64_t bytes = 0;         // copied to devices
  std::uint64_t requests = 0;      // copies
  std::uint64_t cache_hits = 0;    // pages found where they were needed
  std::uint64_t cache_misses = 0;  // pages that had to be fetched
  DiskTraffic disk;

  Traffic operator-(const Traffic& o) const {
    return {bytes - o.bytes, requests - o.requests, cache_hits - o.cache_hits,
            cache_misses - o.cache_misses, disk - o.disk};
  }
  Traffic operator+(const Traffic& o) const {
    return {bytes + o.bytes, requests + o.requests, cache_hits + o.cache_hits,
            cache_misses + o.cache_misses, disk + o.disk};
  }
};

struct Superstep {
  std::uint64_t frontier = 0;  // active vertices
  std::uint64_t edges = 0;     // edges of the active vertices (an upper bound when pulling)
  double seconds = 0;
  std::string direction;  // "push", "pull" or what the algorithm calls its phases
  Traffic link;
};

struct RunReport {
  double seconds = 0;
  std::uint64_t edges_traversed = 0;
  std::uint32_t iterations = 0;
  bool converged = true;
  std::vector<Superstep> supersteps;
  Traffic link;
  // Chunks that vertex state was split in (strategy S of GTS); 0: every device had all of it.
  std::uint32_t chunks = 0;
  std::size_t peak_device_bytes = 0;
  std::size_t peak_host_bytes = 0;
};

/// Fills a RunReport while a driver runs.
class Recorder {
 public:
  /// `before`: what the sources had fetched by then; sources count over all runs.
  explicit Recorder(const Context& ctx, const Traffic& before = {})
      : ctx_(ctx), start_(Clock::now()), step_start_(start_), last_link_(before) {}

  /// Ends a superstep: what happened since the last one, or since the start. `link` is the total
  /// of the sources' traffic so far. Throws Error(Interrupted) once the task is cancelled.
  void step(std::uint64_t frontier, std::uint64_t edges, const char* direction,
            const Traffic& link = {}) {
    ctx_.wait();
    const auto now = Clock::now();
    report_.supersteps.push_back(
        {frontier, edges, seconds(step_start_, now), direction, link - last_link_});
    report_.link = report_.link + (link - last_link_);
    last_link_ = link;
    report_.edges_traversed += edges;
    step_start_ = now;
    ctx_.task().check();
  }

  /// Ends the measured time. Copying the result to the host comes after it.
  RunReport finish() {
    ctx_.wait();
    report_.seconds = seconds(start_, Clock::now());
    report_.iterations = static_cast<std::uint32_t>(report_.supersteps.size());
    report_.peak_device_bytes = ctx_.peak_device_bytes();
    report_.peak_host_bytes = ctx_.peak_host_bytes();
    return std::move(report_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  }
  const Context& ctx_;
  Clock::time_point start_, step_start_;
  Traffic last_link_;
  RunReport report_;
};

}  // namespace fathom
