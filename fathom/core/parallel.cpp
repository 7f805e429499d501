// The team behind parallel.hpp: a calling thread has one of its own, whose threads sleep between
// runs.
#include "fathom/core/parallel.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>

namespace fathom {
namespace {

// How long a loop is the calling thread's alone: about twice what waking a sleeping thread costs
// the two threads together,
constexpr std::chrono::nanoseconds kAlone{10'000};
// and what calling one costs that looks for work.
constexpr std::chrono::nanoseconds kAloneBesideOthers{1'000};

// How long a thread looks for the next run, or for the end of the others' part of this one, before
// it sleeps. Loops of one algorithm follow each other within some microseconds; a thread that
// others share its core with loses no more than this to a run.
constexpr std::chrono::nanoseconds kLook{50'000};

// Whether this thread is inside a run, whose body may loop again.
thread_local bool inside_a_run = false;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

template <class Done>
bool look_for(const Done& done) {
  const auto began = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() - began < kLook);
  return done();
}

class Team;
// The calling thread's, once it has called one.
thread_local const Team* my_team = nullptr;

/// Ranks [1, workers) of a run are claimed from a ticket, by the team's threads and, last, by the
/// caller.
///
/// Invariants: ticket_ is (number of the run, ranks not yet claimed); the claim that lowers it to
/// r - 1 has rank r. unfinished_ counts the ranks above 0 that have not ended. body_ and error_
/// change only while unfinished_ is 0, and whoever holds a rank sees those of its run: a claim
/// fails when the run's number has changed.
class Team {
 public:
  Team() { my_team = this; }
  ~Team() {
    my_team = nullptr;
    if (process_ != getpid()) {  // a fork's child has the caller alone: nobody to join
      static_cast<void>(threads_.release());
      return;
    }
    quit_.store(true);
    wake(threads_->size());
    for (std::thread& t : *threads_) t.join();
  }

  /// Whether a thread looks for the next run now: it costs a cache line to call it, not a wake-up.
  bool looks() const { return looking_.load(std::memory_order_relaxed) != 0; }

  void run(int workers, FunctionRef<void(int)> body) {
    const auto others = static_cast<std::uint32_t>(workers - 1);
    hire(others);
    body_ = &body;
    error_ = nullptr;
    failed_.clear();
    unfinished_.store(others, std::memory_order_relaxed);
    number_ = (number_ + 1) & 0xFFFFFFFF;
    ticket_.store(number_ << 32 | others, std::memory_order_release);
    wake(others);
    inside_a_run = true;
    call(0);
    claim_all();
    inside_a_run = false;
    const auto ended = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
    if (!spins_ || !look_for(ended))
      for (std::uint32_t n; (n = unfinished_.load(std::memory_order_acquire)) != 0;)
        unfinished_.wait(n, std::memory_order_acquire);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void hire(std::uint32_t others) {
    if (threads_->size() >= others || process_ != getpid()) return;
    threads_->reserve(others);
    try {
      while (threads_->size() < others) threads_->emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // No more threads are to be had: the caller takes their ranks.
    }
    spins_ = static_cast<int>(threads_->size()) < worker_count(0);
  }

  void serve() {
    inside_a_run = true;
    for (;;) {
      const std::uint32_t seen = woken_.load(std::memory_order_acquire);
      if (quit_.load()) return;
      claim_all();
      const auto next = [&] { return woken_.load(std::memory_order_relaxed) != seen; };
      if (!spins_ || !look(next)) woken_.wait(seen, std::memory_order_acquire);
    }
  }

  template <class Next>
  bool look(const Next& next) {
    looking_.fetch_add(1, std::memory_order_relaxed);
    const bool found = look_for(next);
    looking_.fetch_sub(1, std::memory_order_relaxed);
    return found;
  }

  void wake(std::size_t wanted) {
    woken_.fetch_add(1, std::memory_order_release);
    if (wanted >= threads_->size()) return woken_.notify_all();
    for (; wanted > 0; --wanted) woken_.notify_one();
  }

  void claim_all() {
    for (std::uint64_t t = ticket_.load(std::memory_order_acquire); (t & 0xFFFFFFFF) != 0;) {
      if (!ticket_.compare_exchange_weak(t, t - 1, std::memory_order_acquire)) continue;
      call(static_cast<int>(t & 0xFFFFFFFF));
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
      t = ticket_.load(std::memory_order_acquire);
    }
  }

  void call(int rank) {
    try {
      (*body_)(rank);
    } catch (...) {
      if (!failed_.test_and_set()) error_ = std::current_exception();
    }
  }

  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> woken_{0};
  alignas(64) std::atomic<std::uint32_t> looking_{0};
  std::atomic<bool> quit_{false};
  std::atomic<bool> spins_{true};
  std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
  std::exception_ptr error_;
  const FunctionRef<void(int)>* body_ = nullptr;
  std::uint64_t number_ = 0;
  std::unique_ptr<std::vector<std::thread>> threads_ = std::make_unique<std::vector<std::thread>>();
  const pid_t process_ = getpid();
};

/// Does one(i) for chunks i = 0, grain, ... of [0, n) on the calling thread, as long as a loop is
/// its alone; the last chunk is left. Returns where the next one begins.
template <class One>
std::size_t begin_alone(int workers, std::size_t n, std::size_t grain, const One& one) {
  std::size_t done = 0;
  if (workers <= 1 || n <= grain) return done;
  const auto alone = my_team && my_team->looks() ? kAloneBesideOthers : kAlone;
  const auto began = std::chrono::steady_clock::now();
  do {
    one(done);
    done += grain;
  } while (done + grain < n && std::chrono::steady_clock::now() - began < alone);
  return done;
}

}  // namespace

int worker_count(int asked) {
  if (asked > 0) return asked;
  cpu_set_t available;
  if (sched_getaffinity(0, sizeof(available), &available) == 0)
    return std::max(1, CPU_COUNT(&available));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_run(int workers, FunctionRef<void(int)> body) {
  if (workers > 1 && !inside_a_run) {
    static thread_local Team team;
    team.run(workers, body);
    return;
  }
  for (int w = 0; w < workers; ++w) body(w);
}

void parallel_for(int workers, std::size_t n, std::size_t grain, ChunkBody body,
                  FunctionRef<void(int)> at_end) {
  const auto one = [&](std::size_t i) { body(i, std::min(n, i + grain), 0); };
  std::size_t done = begin_alone(workers, n, grain, one);
  const std::size_t left = done < n ? (n - done + grain - 1) / grain : 0;
  if (workers <= 1 || left <= 1) {
    for (; done < n; done += grain) one(done);
    return at_end(0);
  }
  std::atomic<std::size_t> cursor{done};
  parallel_run(static_cast<int>(std::min(left, static_cast<std::size_t>(workers))),
               [&](int worker) {
                 for (std::size_t i; (i = cursor.fetch_add(grain, std::memory_order_relaxed)) < n;)
                   body(i, std::min(n, i + grain), worker);
                 at_end(worker);
               });
}

void parallel_for(int workers, std::size_t n, std::size_t grain, ChunkBody body) {
  parallel_for(workers, n, grain, body, [](int) {});
}

void parallel_for_near(int workers, std::size_t n, std::size_t grain, ChunkBody body) {
  const auto one = [&](std::size_t i) { body(i, std::min(n, i + grain), 0); };
  std::size_t done = begin_alone(workers, n, grain, one);
  const std::size_t left = done < n ? (n - done + grain - 1) / grain : 0;
  const std::size_t shares = std::min(left, static_cast<std::size_t>(std::max(workers, 1)));
  if (shares <= 1) {
    for (; done < n; done += grain) one(done);
    return;
  }
  struct alignas(64) Cursor {
    std::atomic<std::size_t> at;
  };
  const auto share = [&](std::size_t s) { return done + (n - done) * s / shares; };
  std::vector<Cursor> cursor(shares);
  for (std::size_t s = 0; s < shares; ++s) cursor[s].at.store(share(s), std::memory_order_relaxed);
  parallel_run(static_cast<int>(shares), [&](int worker) {
    for (std::size_t k = 0; k < shares; ++k) {
      const std::size_t s = (static_cast<std::size_t>(worker) + k) % shares, end = share(s + 1);
      for (std::size_t i; (i = cursor[s].at.fetch_add(grain, std::memory_order_relaxed)) < end;)
        body(i, std::min(end, i + grain), worker);
    }
  });
}

}  // namespace fathom
