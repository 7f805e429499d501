// The std::thread half of the CPU backend (see parallel.hpp): slower to start, and every
// synchronisation visible to the thread sanitizer.
#include <atomic>
#include <exception>
#include <thread>

#include "fathom/core/parallel.hpp"

namespace fathom {

int worker_count(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_run(int workers, FunctionRef<void(int)> body) {
  std::exception_ptr error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  auto guarded = [&](int worker) {
    try {
      body(worker);
    } catch (...) {
      if (!failed.test_and_set()) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> team;
    for (int w = 1; w < workers; ++w) team.emplace_back(guarded, w);
    guarded(0);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace fathom
