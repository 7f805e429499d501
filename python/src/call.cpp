#include "call.hpp"

#include <nanobind/stl/string.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "fathom/core/error.hpp"
#include "text.hpp"

namespace fathom::python {
namespace {

using Clock = std::chrono::steady_clock;

// How soon Ctrl-C is seen, and how often progress is shown.
constexpr std::chrono::milliseconds kLook{50};
constexpr std::chrono::milliseconds kPatience{1000};  // shorter work shows no progress
constexpr std::chrono::milliseconds kLastWait{1000};  // for a hook, when the interpreter ends

/// A thread that does one thing at a time for others. It is kept, since a team of threads belongs
/// to whom it works for (core/parallel.cpp).
class Worker {
 public:
  Worker() : thread_([this] { serve(); }) {}
  ~Worker() {
    if (process_ != ::getpid()) {  // a fork's child has no such thread
      thread_.detach();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool here() const { return process_ == ::getpid(); }

  void begin(FunctionRef<void()> work) {
    const std::lock_guard lock(mutex_);
    work_ = work;
    error_ = nullptr;
    changed_.notify_all();
  }
  bool done_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return !work_; });
  }
  std::exception_ptr error() const { return error_; }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ || quit_; });
      if (quit_) return;
      lock.unlock();
      std::exception_ptr error;
      try {
        (*work_)();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      error_ = error;
      work_.reset();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<FunctionRef<void()>> work_;
  std::exception_ptr error_;
  bool quit_ = false;
  const pid_t process_ = ::getpid();
  std::thread thread_;
};

// The interpreter's end: a thread is counted as awake before it looks whether the end has begun,
// and who ends it looks at that count after having said so. One of the two sees the other.
std::atomic<bool> ending{false};
std::thread::id ended_by;  // set before `ending`
std::atomic<int> awake{0};

/// Holds the lock at its begin and its end, when no thread of ours is left in the midst of Python.
void await_sleep() {
  ended_by = std::this_thread::get_id();
  ending = true;
  const Clock::time_point until = Clock::now() + kLastWait;
  do {
    const nb::gil_scoped_release released;
    do std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (awake > 0 && Clock::now() < until);
  } while (awake > 0 && Clock::now() < until);
}

// Workers that have nothing to do; guarded by the interpreter's lock. Never destroyed: the process
// ends with their threads asleep.
std::vector<std::unique_ptr<Worker>>& idle_workers() {
  static auto* const workers = new std::vector<std::unique_ptr<Worker>>;
  return *workers;
}

std::unique_ptr<Worker> take_worker() {
  auto& idle = idle_workers();
  while (!idle.empty()) {
    std::unique_ptr<Worker> worker = std::move(idle.back());
    idle.pop_back();
    if (worker->here()) return worker;
    static_cast<void>(worker.release());  // of the process that this one was forked from
  }
  return std::make_unique<Worker>();
}

nb::object& progress_hook() {
  static auto* const hook = new nb::object;
  return *hook;
}

/// Shows progress by hook(phase, done, total, unit), at last hook(None, 0, 0, "").
class Shown {
 public:
  void look(const SharedProgress& progress) {
    nb::object& hook = progress_hook();
    if (!hook.is_valid() || hook.is_none() || Clock::now() - began_ < kPatience) return;
    const SharedProgress::State state = progress.state();
    if (!state.working) return;
    shown_ = true;
    hook(state.phase, state.done, state.total, state.unit);
  }
  void end() {
    if (shown_) progress_hook()(nb::none(), 0, 0, "");
  }

 private:
  Clock::time_point began_ = Clock::now();
  bool shown_ = false;
};

[[noreturn]] void raise(const Error& error) {
  const Awake runs_python;
  const nb::object make = nb::module_::import_("fathom.errors").attr("made");
  const auto* const io = dynamic_cast<const IoError*>(&error);
  const nb::object its = make(static_cast<int>(error.code()), message_text(error.what()),
                              io ? io->error_number() : 0, message_text(io ? io->path() : ""));
  PyErr_SetObject(nb::handle(its.type()).ptr(), its.ptr());
  throw nb::python_error();
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const Error& e) {
    try {
      raise(e);
    } catch (nb::python_error& raised) {
      raised.restore();
    }
  }
}

}  // namespace

Awake::Awake() {
  ++awake;
}
Awake::~Awake() {
  --awake;
}
bool Awake::too_late() const {
  return ending && std::this_thread::get_id() != ended_by;
}

Released::~Released() {
  const Awake taking;
  if (taking.too_late()) {
    --awake;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  released_.reset();
}

void SharedProgress::begin(std::string_view phase, std::uint64_t total, std::string_view unit) {
  const std::lock_guard lock(mutex_);
  state_ = {std::string(phase), std::string(unit), total, 0, true};
  done_ = 0;
}

void SharedProgress::end() {
  const std::lock_guard lock(mutex_);
  state_.working = false;
}

SharedProgress::State SharedProgress::state() const {
  const std::lock_guard lock(mutex_);
  State state = state_;
  state.done = done_;
  return state;
}

void call(Watched& watched, FunctionRef<void()> work) {
  std::unique_ptr<Worker> worker = take_worker();
  Shown shown;
  std::optional<nb::python_error> raised;
  worker->begin(work);
  for (bool done = false; !done;) {
    {
      const Released released;
      done = worker->done_within(kLook);
    }
    if (raised || done) continue;
    try {
      const Awake runs_python;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      shown.look(watched.progress);
    } catch (nb::python_error& e) {
      raised.emplace(std::move(e));
      watched.stop.request_stop();
    }
  }
  const std::exception_ptr error = worker->error();
  idle_workers().push_back(std::move(worker));
  if (raised) throw std::move(*raised);
  shown.end();
  if (error) std::rethrow_exception(error);
}

void add_calls(nb::module_& module) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(await_sleep));
  ::pthread_atfork(nullptr, nullptr, [] { awake = 0; });  // the child has this thread alone
  nb::register_exception_translator(translate);
  module.def(
      "set_progress_hook", [](nb::object hook) { progress_hook() = std::move(hook); },
      nb::arg("hook").none(),
      "Has hook(phase, done, total, unit) called every 50 ms while work of more than a second\n"
      "goes on, and hook(None, 0, 0, '') at its end; None: nothing is called.");
}

}  // namespace fathom::python
