// Analyses on snapshots of a graph that changes: several at once, the most urgent first, while
// batches are applied.
//
//   fathom::AnalysisQueue queue({.workers = 2});
//   auto ranks = std::make_shared<fathom::PagerankResult>();
//   fathom::Analysis a = queue.submit(graph.snapshot(), 1, [=](const auto& ctx, const auto& shot) {
//     *ranks = fathom::pagerank(ctx, shot.graph());
//   });
//   a.wait();
#pragma once

#include <functional>
#include <memory>

#include "fathom/dynamic/dynamic_graph.hpp"

namespace fathom {

enum class AnalysisState {
  Waiting,
  Running,
  Done,
  Failed,     // it threw; wait() throws the same
  Cancelled,  // before it began, or it stopped when it was told to; wait() throws Interrupted
};

/// One analysis, as whoever asked for it sees it. Cheap to copy; may outlive its queue.
class FATHOM_API Analysis {
 public:
  AnalysisState state() const;
  /// Waits for its end. @throws what it threw; Error(Interrupted) when it was cancelled.
  void wait() const;
  /// An analysis that waits does not begin any more and gives its snapshot back at once; one that
  /// runs is told by its context's Task, which algorithms look at in every superstep.
  void cancel() const;

  struct Job;
  explicit Analysis(std::shared_ptr<Job> job) : job_(std::move(job)) {}

 private:
  std::shared_ptr<Job> job_;
};

struct AnalysisQueueOptions {
  int workers = 2;  // analyses at once, at least 1
  int threads = 1;  // of each
  /// Budget of each, for what its algorithms keep; snapshots count against that of their graph.
  std::size_t host_memory = MemoryPool::kUnlimited;
};

/// Rule: a worker that is free takes the waiting analysis of the highest priority, of several the
/// one that was submitted first. An analysis that runs is not interrupted for a more urgent one.
/// Each sees the graph as its snapshot has it, however many batches are applied meanwhile: its
/// result is that of the graph after snapshot.batches() batches (serialisable).
///
/// Any thread may call anything.
class FATHOM_API AnalysisQueue {
 public:
  using Work = std::function<void(const Context& ctx, const Snapshot& snapshot)>;

  /// @throws Error(Usage) for no workers or threads.
  explicit AnalysisQueue(const AnalysisQueueOptions& options = {});
  AnalysisQueue(const AnalysisQueue&) = delete;
  AnalysisQueue& operator=(const AnalysisQueue&) = delete;
  /// Cancels what waits, what runs and what the latter submits meanwhile, and waits for what runs.
  ~AnalysisQueue();

  /// `work` gets a context of its own, on the processor: for graphs in host memory. The snapshot is
  /// given back when it has ended.
  Analysis submit(Snapshot snapshot, int priority, Work work);
  /// How many wait.
  std::size_t waiting() const;
  /// Until none waits or runs.
  void wait_for_all() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom
