#include "fathom/dynamic/views/analysis_queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"

namespace fathom {
namespace dynamic {

/// Shared with analyses that outlive their queue.
struct AnalysisEvents {
  std::mutex mutex;
  std::condition_variable came, ended;
};

}  // namespace dynamic

struct Analysis::Job {
  std::shared_ptr<dynamic::AnalysisEvents> shared;
  int priority = 0;
  std::uint64_t number = 0;
  // By the mutex:
  AnalysisState state = AnalysisState::Waiting;
  std::optional<Snapshot> snapshot;
  AnalysisQueue::Work work;
  std::exception_ptr error;
  std::stop_source stop;

  bool ended() const { return state != AnalysisState::Waiting && state != AnalysisState::Running; }
};

struct AnalysisQueue::State {
  using Job = std::shared_ptr<Analysis::Job>;
  struct MoreUrgent {
    bool operator()(const Job& a, const Job& b) const {
      return std::pair(-std::int64_t{a->priority}, a->number) <
             std::pair(-std::int64_t{b->priority}, b->number);
    }
  };

  AnalysisQueueOptions options;
  std::shared_ptr<dynamic::AnalysisEvents> shared = std::make_shared<dynamic::AnalysisEvents>();
  std::set<Job, MoreUrgent> jobs;  // that wait; cancelled ones until a worker drops them
  std::vector<Job> running;        // room for one per worker
  std::uint64_t submitted = 0;
  bool closed = false;
  std::vector<std::jthread> workers;

  ~State() { end(); }  // also of a queue that did not get all its workers

  /// Cancels everything and waits for what runs.
  void end() {
    std::set<Job, MoreUrgent> waiting;
    std::vector<Job> told;
    {
      const std::lock_guard lock(shared->mutex);
      closed = true;
      waiting.swap(jobs);
      told.swap(running);
    }
    for (const Job& job : waiting) Analysis(job).cancel();
    for (const Job& job : told) Analysis(job).cancel();
    shared->came.notify_all();
    workers.clear();
  }

  void work() {
    std::unique_lock lock(shared->mutex);
    while (true) {
      shared->came.wait(lock, [&] { return closed || !jobs.empty(); });
      if (closed) return;
      const Job job = jobs.extract(jobs.begin()).value();
      if (job->ended()) continue;
      job->state = AnalysisState::Running;
      running.push_back(job);
      lock.unlock();
      run(*job);
      lock.lock();
      std::erase(running, job);
      shared->ended.notify_all();
    }
  }

  void run(Analysis::Job& job) const {
    std::exception_ptr error;
    AnalysisState state = AnalysisState::Done;
    try {
      CpuOptions cpu;
      cpu.threads = options.threads;
      cpu.host_memory = options.host_memory;
      cpu.task.stop = job.stop.get_token();
      job.work(Context::cpu(cpu), *job.snapshot);
    } catch (const Error& e) {
      error = std::current_exception();
      const bool told = e.code() == ErrorCode::Interrupted && job.stop.stop_requested();
      state = told ? AnalysisState::Cancelled : AnalysisState::Failed;
    } catch (...) {
      error = std::current_exception();
      state = AnalysisState::Failed;
    }
    // Given back before anyone is told, and without the mutex: a graph may wait for it.
    Work().swap(job.work);
    job.snapshot.reset();
    const std::lock_guard lock(shared->mutex);
    job.error = error;
    job.state = state;
  }
};

AnalysisState Analysis::state() const {
  const std::lock_guard lock(job_->shared->mutex);
  return job_->state;
}

void Analysis::wait() const {
  std::unique_lock lock(job_->shared->mutex);
  job_->shared->ended.wait(lock, [&] { return job_->ended(); });
  if (job_->error) std::rethrow_exception(job_->error);
  if (job_->state == AnalysisState::Cancelled)
    throw Error(ErrorCode::Interrupted, "the analysis was cancelled before it began");
}

void Analysis::cancel() const {
  const std::shared_ptr<Job> job = job_;  // this may go in a callback of the stop
  std::optional<Snapshot> snapshot;
  AnalysisQueue::Work work;
  {
    const std::lock_guard lock(job->shared->mutex);
    if (job->state == AnalysisState::Waiting) {
      job->state = AnalysisState::Cancelled;
      snapshot.swap(job->snapshot);
      work.swap(job->work);
    }
  }
  job->shared->ended.notify_all();
  job->stop.request_stop();  // without the mutex: callbacks may ask for the analysis
}

AnalysisQueue::AnalysisQueue(const AnalysisQueueOptions& options)
    : state_(std::make_unique<State>()) {
  if (options.workers < 1 || options.threads < 1)
    throw Error(ErrorCode::Usage,
                "analyses need at least one worker, and each at least one thread");
  state_->options = options;
  state_->running.reserve(static_cast<std::size_t>(options.workers));
  for (int w = 0; w < options.workers; ++w)
    state_->workers.emplace_back([s = state_.get()] { s->work(); });
}

// What runs may use the queue until it has ended.
AnalysisQueue::~AnalysisQueue() {
  state_->end();
}

Analysis AnalysisQueue::submit(Snapshot snapshot, int priority, Work work) {
  auto job = std::make_shared<Analysis::Job>();
  job->shared = state_->shared;
  job->priority = priority;
  job->snapshot = std::move(snapshot);
  job->work = std::move(work);
  Analysis analysis(job);
  bool closed = false;
  {
    const std::lock_guard lock(state_->shared->mutex);
    closed = state_->closed;
    job->number = state_->submitted++;
    if (!closed) state_->jobs.insert(std::move(job));
  }
  if (closed) analysis.cancel();
  state_->shared->came.notify_one();
  return analysis;
}

std::size_t AnalysisQueue::waiting() const {
  const std::lock_guard lock(state_->shared->mutex);
  return static_cast<std::size_t>(std::count_if(state_->jobs.begin(), state_->jobs.end(),
                                                [](const auto& job) { return !job->ended(); }));
}

void AnalysisQueue::wait_for_all() const {
  std::unique_lock lock(state_->shared->mutex);
  state_->shared->ended.wait(lock, [&] {
    return state_->running.empty() && std::all_of(state_->jobs.begin(), state_->jobs.end(),
                                                  [](const auto& job) { return job->ended(); });
  });
}

}  // namespace fathom
