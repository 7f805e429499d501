#include "cli/shared/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/shared/console.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::size_t kBarWidth = 16;

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar() : shown_anywhere_(on_terminal()), started_(Clock::now()) {
  if (const char* delay = std::getenv("FATHOM_PROGRESS_DELAY"))
    patience_ = std::chrono::duration<double>(std::strtod(delay, nullptr));
}

void ProgressBar::begin(std::string_view phase, std::uint64_t total, std::string_view unit) {
  clear();
  phase_ = phase;
  unit_ = unit;
  total_ = total;
  phase_started_ = Clock::now();
}

void ProgressBar::at(std::uint64_t done) {
  if (!shown_anywhere_) return;
  const auto now = Clock::now();
  if (now - started_ < patience_ || (visible_ && now - drawn_ < kRedraw)) return;
  drawn_ = now;
  visible_ = true;
  const double seconds = std::chrono::duration<double>(now - phase_started_).count();
  std::string text = line(done, seconds);
  text.resize(std::min(text.size(), terminal_width() - 1));
  text = "\r" + text + "\x1b[K";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void ProgressBar::clear() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
  visible_ = false;
}

std::string ProgressBar::line(std::uint64_t done, double seconds) const {
  const auto amount = [&](std::uint64_t n) {
    return unit_ == "B" ? format_bytes(n) : fmt::format("{} {}", format_count(n), unit_);
  };
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text = phase_;
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
    text += fmt::format(" [{:<{}}] {:3.0f} %", std::string(filled, '='), kBarWidth, share * 100);
  }
  // What a narrow terminal cuts off comes last.
  if (rate > 0 && total_ > done)
    text += fmt::format("  ETA {}", format_seconds(static_cast<double>(total_ - done) / rate));
  if (total_ > 0 || done > 0) text += "  " + amount(done);
  if (rate > 0) text += fmt::format("  {}/s", amount(static_cast<std::uint64_t>(rate)));
  return text;
}

}  // namespace fathom::cli
