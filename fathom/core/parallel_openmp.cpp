// The OpenMP half of the CPU backend (see parallel.hpp).
#include <omp.h>

#include <atomic>
#include <exception>

#include "fathom/core/parallel.hpp"

namespace fathom {

int worker_count(int asked) {
  return asked > 0 ? asked : std::max(1, omp_get_num_procs());
}

void parallel_run(int workers, FunctionRef<void(int)> body) {
  if (workers <= 1) {
    body(0);
    return;
  }
  std::exception_ptr error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
#pragma omp parallel num_threads(workers)
  {
    // OpenMP may grant fewer threads than asked for: the granted ones then share the worker ranks.
    for (int w = omp_get_thread_num(); w < workers; w += omp_get_num_threads()) {
      try {
        body(w);
      } catch (...) {
        if (!failed.test_and_set()) error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace fathom
