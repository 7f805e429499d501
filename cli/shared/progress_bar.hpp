// A line on the terminal that says how far long work is: share, amount, rate and time left.
#pragma once

#include <chrono>
#include <string>

#include "fathom/core/task.hpp"

namespace fathom::cli {

/// Shows nothing unless standard error is a terminal, nor in the first second of the work.
class ProgressBar final : public Progress {
 public:
  ProgressBar();
  ~ProgressBar() override { clear(); }

  void begin(std::string_view phase, std::uint64_t total, std::string_view unit) override;
  void at(std::uint64_t done) override;
  void end() override { clear(); }

  /// Removes the line, so that other text can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(std::uint64_t done, double seconds) const;

  std::chrono::duration<double> patience_{1.0};  // shorter work shows no bar
  bool shown_anywhere_;                          // whether there is a terminal at all
  Clock::time_point started_, phase_started_, drawn_;
  std::string phase_, unit_;
  std::uint64_t total_ = 0;
  bool visible_ = false;
};

}  // namespace fathom::cli
