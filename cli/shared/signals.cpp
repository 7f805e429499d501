#include "cli/shared/signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <system_error>

#include "fathom/core/error.hpp"

namespace fathom::cli {

SignalWatch::SignalWatch() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current {};
    ::sigaction(signal, nullptr, &current);
    if (current.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
  }
  sigaddset(&signals_, SIGUSR2);  // ours: wakes the waiter when the work is done
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  try {
    waiter_ = std::thread([this] { wait(); });
  } catch (const std::system_error&) {  // no thread to be had: signals do what they always do
    ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!waiter_.joinable()) return;
  finished_ = true;
  ::pthread_kill(waiter_.native_handle(), SIGUSR2);
  waiter_.join();
}

void SignalWatch::wait() {
  for (int signal = 0; !finished_;) {
    if (::sigwait(&signals_, &signal) != 0 || signal == SIGUSR2) continue;
    if (stop_.stop_requested()) ::_exit(static_cast<int>(ErrorCode::Interrupted));
    stop_.request_stop();
  }
}

}  // namespace fathom::cli
