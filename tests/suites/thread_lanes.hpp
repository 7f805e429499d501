// N host threads that behave like the lanes of a warp: warp-cooperative code runs unchanged. Lanes
// that part ways, so that some vote and others do not, or vote on something else, wait for each
// other for ever: a Watchdog makes that a failure.
#pragma once

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "fathom/core/lanes.hpp"

namespace fathom::testing {

/// Ends the program, as a failure, unless it goes before the time is over.
class Watchdog {
 public:
  Watchdog(const char* what, std::chrono::seconds limit)
      : thread_([this, what, limit](const std::stop_token& gone) {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, gone, limit, [&] { return gone.stop_requested(); })) return;
          std::fprintf(stderr, "%s: not done after %lld s\n", what,
                       static_cast<long long>(limit.count()));
          std::abort();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // the last: it uses the others
};

class LaneTeam {
 public:
  explicit LaneTeam(std::uint32_t size) : slot_(size), barrier_(size) {}

  class Lane {
   public:
    Lane(LaneTeam& team, std::uint32_t rank) : team_(&team), rank_(rank) {}
    std::uint32_t rank() const { return rank_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(team_->slot_.size()); }
    std::uint32_t ballot(bool b) const {
      team_->publish(rank_, b ? 1 : 0);
      std::uint32_t mask = 0;
      for (std::uint32_t i = 0; i < size(); ++i) mask |= team_->slot_[i] << i;
      team_->barrier_.arrive_and_wait();
      return mask;
    }
    std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
      team_->publish(rank_, x);
      const std::uint32_t value = team_->slot_[lane];
      team_->barrier_.arrive_and_wait();
      return value;
    }

   private:
    LaneTeam* team_;
    std::uint32_t rank_;
  };

  /// Runs body(lane) on every lane and waits.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::jthread> threads;
    for (std::uint32_t r = 0; r < slot_.size(); ++r)
      threads.emplace_back([this, r, &body] { body(Lane(*this, r)); });
  }

 private:
  void publish(std::uint32_t rank, std::uint32_t value) {
    slot_[rank] = value;
    barrier_.arrive_and_wait();
  }

  std::vector<std::uint32_t> slot_;
  std::barrier<> barrier_;
};
static_assert(LaneGroup<LaneTeam::Lane>);

}  // namespace fathom::testing
