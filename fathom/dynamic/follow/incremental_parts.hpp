// What results have in common that follow a graph; nothing for users.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/follow/incremental.hpp"
#include "fathom/dynamic/lists/list_walk.hpp"

namespace fathom::dynamic {

/// Vertices whose values a thread copies at once.
inline constexpr std::size_t kCopiedAtOnce = std::size_t{1} << 14;

// Ranks are the shares of q (see IncrementalPagerank), whose distance from what it should be is at
// most the sum of residuals / (1 - alpha), and that of the ranks twice that / sum. A quarter of the
// tolerance is for residuals of vertices that each keep a little, half for what sweeps leave, and
// the rest for sums that fall (LeftOut).

/// Sweeps for a batch: for tolerances that rounding does not let them come to.
inline constexpr std::uint32_t kMostSweeps = 10000;

/// The residual that each of so many vertices may keep; `sum`: of q.
inline double residual_to_keep(const IncrementalPagerankOptions& o, double sum, VertexId vertices) {
  return o.tolerance * o.alpha / 8 * sum / std::max(static_cast<double>(vertices), 1.0);
}
/// By how much of its sum q may change in the last sweep: that leaves residuals of at most 2 *
/// alpha times as much, which do not change the sum.
inline double change_to_keep(const IncrementalPagerankOptions& o) {
  return o.tolerance / 4;
}
/// What residuals leave out, and what vertices keep of them, is little beside the sum of q at that
/// time: when edges have gone since, it has fallen, by up to 1 - alpha of it.
class LeftOut {
 public:
  /// All of q has been found.
  void begin(double sum, double enough) {
    sum_ = sum;
    most_ = enough;
  }
  /// A vertex may keep so much from now on.
  void may_keep(double enough) { most_ = std::max(most_, enough); }
  /// Whether it has become more than a third more, so that all has to be found again.
  bool too_much(double sum, double enough) const {
    return sum < kLeast * sum_ || enough < kLeast * most_;
  }

 private:
  static constexpr double kLeast = .75;
  double sum_ = 0, most_ = 0;
};
/// The jump with which a sweep keeps the sum of q: with one of 1 the error in it would go by alpha
/// a sweep, the slowest of all. In the end q is scaled to jumps of 1. `dangling`: of vertices
/// without edges.
inline double jump_of_sweep(const IncrementalPagerankOptions& o, double sum, double dangling,
                            VertexId vertices) {
  return (sum - o.alpha * (sum - dangling)) / static_cast<double>(vertices);
}

/// So many changed edges are followed in any graph, however small.
inline constexpr EdgeId kAlwaysFollowed = 256;

/// So many vertices a repair by one thread may look at in any graph.
inline constexpr std::size_t kAlwaysLookedAt = 1024;

/// Seconds that this thread has had a processor.
inline double thread_seconds() {
  std::timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Body>
double wall_seconds(const Body& body) {
  const auto began = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Which batches have a result computed at once: two of not many fewer edges than one whose repair
/// was given up, or since which repairs take longer on average than to compute it. Each time in a
/// row that this happens they are twice as many, up to a hundred.
class TooLarge {
 public:
  bool holds(std::size_t edges) {
    if (edges < from_) return false;
    from_ += (from_ >> step_) + 1;
    return true;
  }
  void gave_up(std::size_t edges) {
    from_ = std::max<std::size_t>(edges / 4, 1);
    step_ = std::exchange(next_step_, std::min(next_step_ + 1, kMostStep));
    average_.reset();
  }
  /// After so many seconds. Where it is known how long it takes to compute the result, it may be
  /// the average that counts: of a few repairs that take long and many that take little.
  void gave_up(std::size_t edges, double seconds) {
    if (computing_)
      repaired(edges, seconds + *computing_);
    else
      gave_up(edges);
  }
  void repaired(std::size_t edges, double seconds) {
    average_ = average_ ? *average_ + (seconds - *average_) / 4 : seconds;
    if (computing_ && *average_ > (doubts_ ? *computing_ / kOfDoubted : *computing_))
      gave_up(edges);
    else
      next_step_ = 0;
  }
  /// How long it took to compute the result.
  void computed(double seconds) {
    doubts_ = doubts_ && !computing_;
    computing_ = seconds;
  }
  /// Whether the first time may be much longer than others, as where operators' kernels are loaded
  /// and memory comes new: once repairs take an eighth of it, batches are computed to know better.
  void doubt_first() { doubts_ = true; }
  double computing() const { return computing_.value_or(std::numeric_limits<double>::infinity()); }

 private:
  static constexpr int kMostStep = 6;
  static constexpr double kOfDoubted = 8;

  std::size_t from_ = std::numeric_limits<std::size_t>::max();
  int step_ = 0, next_step_ = 0;
  std::optional<double> computing_, average_;  // seconds
  bool doubts_ = false;                        // what is known of computing
};

/// The graph that a result follows, how far, and whether that went well.
class Followed {
 public:
  /// @throws Error(Usage) where vertices are dealt out to several GPUs.
  explicit Followed(const DynamicGraph& g) : graph(g.state()), batches_(graph->version.load()) {
    graph->check_in_one_memory("a result that follows a graph");
  }
  virtual ~Followed() = default;

  /// Computes the result for the first time.
  void begin(const Graph& now) {
    compute_anew([&] { start(now); });
    whole_ = true;
  }
  /// Repairs the result where the batch is the next one, and computes it anew where there were
  /// others between, or changes that no batch tells of.
  /// @throws Error(Usage) for a batch of another graph, or that is not the last one or was
  ///         followed; what start() and repair() throw, after which there is no result until a
  ///         batch has been followed.
  void follow(const AppliedBatch& batch) {
    check_last(batch);
    if (std::exchange(whole_, false) && batch.report.number == batches_ + 1)
      repair(batch);
    else
      compute_anew([&] { start(graph_of(graph)); });
    batches_ = batch.report.number;
    whole_ = true;
  }
  /// @throws Error(Usage) when there is no result.
  void check_whole() const {
    if (whole_) return;
    throw Error(ErrorCode::Usage, "batch " + std::to_string(batches_ + 1) +
                                      " could not be followed: there is no result until an update "
                                      "has been");
  }

 protected:
  /// Computes the result anew, whatever is left of a repair.
  virtual void start(const Graph& now) = 0;
  /// Brings the result of the batch before up to this one.
  virtual void repair(const AppliedBatch& batch) = 0;

  /// @return whether `repair`, which says so, has followed a batch that changed so many edges. It
  /// is this thread's work alone.
  template <class Repair>
  bool try_repair(std::size_t edges, const Repair& repair) {
    const double began = thread_seconds();
    const bool done = repair();
    return noted(edges, done, thread_seconds() - began);
  }
  /// The same of a repair by operators, which all threads or a GPU do.
  template <class Repair>
  bool repair_in_time(std::size_t edges, const Repair& repair) {
    bool done = false;
    const double took = wall_seconds([&] { done = repair(); });
    return noted(edges, done, took);
  }
  template <class Compute>
  void compute_anew(const Compute& compute) {
    too_large.computed(wall_seconds(compute));
  }

  VertexId vertices() const { return graph->vertices(); }
  DynamicEdges out() const { return graph->view(false); }
  DynamicEdges in() const { return graph->view(graph->both_directions()); }
  const std::shared_ptr<MemoryPool>& pool() const { return graph->ctx->host_memory(); }
  VertexId most() const { return graph->options.most_vertices; }

  void need_in_edges() const {
    if (graph->options.directed && !graph->both_directions())
      throw Error(ErrorCode::Usage,
                  "a result that follows a directed graph needs its in-edges (options.in_edges)");
  }
  /// Whether so much has changed that a result is better computed from the beginning.
  bool is_large(const AppliedBatch& batch) const {
    return batch.changed_edges() > graph->edges() / 8;
  }
  /// The same of more changes than a share of the edges.
  bool are_many(std::size_t changes, EdgeId share) const {
    return changes > std::max(graph->edges() / share, kAlwaysFollowed);
  }

  std::shared_ptr<DynamicGraph::State> graph;
  TooLarge too_large;

 private:
  bool noted(std::size_t edges, bool done, double took) {
    if (done)
      too_large.repaired(edges, took);
    else
      too_large.gave_up(edges, took);
    return done;
  }
  void check_last(const AppliedBatch& batch) const {
    const std::uint64_t number = batch.report.number, now = graph->version.load();
    if (batch.graph != graph->number)
      throw Error(ErrorCode::Usage,
                  "batch " + std::to_string(number) +
                      " is of another graph than the one that the result follows");
    if (number == now && number > batches_) return;
    throw Error(ErrorCode::Usage, "the result is up to batch " + std::to_string(batches_) +
                                      " and the graph to batch " + std::to_string(now) +
                                      ": batch " + std::to_string(number) + " is not what follows");
  }

  std::uint64_t batches_;
  bool whole_ = false;  // also not while a batch is followed
};

/// What a result tells. @throws Error(Usage) when there is none.
template <class Following>
const Following& whole(const std::unique_ptr<Following>& its) {
  its->check_whole();
  return *its;
}

/// @throws Error(Usage)
inline bool by_operators(const DynamicGraph& g, FollowBy by) {
  const Context& ctx = *g.state()->ctx;
  const bool on_gpu = g.state()->gpu != nullptr;
  if (by == FollowBy::Host && on_gpu)
    throw Error(ErrorCode::Usage,
                "loops on the host follow graphs in host memory, and this one is in a GPU's");
  if (by == FollowBy::Operators && !on_gpu && (ctx.separate() || ctx.devices().size() > 1))
    throw Error(ErrorCode::Usage,
                "operators follow graphs in the memory of the only device that they run on, and "
                "this one is in host memory");
  return by == FollowBy::Operators || (by == FollowBy::Auto && on_gpu);
}

// What results tell, whoever brings them up to date.

class FollowingLevels : public Followed {
 public:
  explicit FollowingLevels(const DynamicGraph& g) : Followed(g) { need_in_edges(); }
  virtual std::uint32_t depth(VertexId v) const = 0;
  virtual std::vector<std::uint32_t> depths() const = 0;
};

class FollowingComponents : public Followed {
 public:
  explicit FollowingComponents(const DynamicGraph& g) : Followed(g) { need_in_edges(); }
  virtual VertexId label(VertexId v) const = 0;
  virtual std::vector<VertexId> labels() const = 0;
  virtual VertexId components() const = 0;
  virtual VertexId largest() const = 0;
};

class FollowingRanks : public Followed {
 public:
  using Followed::Followed;
  virtual std::vector<double> ranks() const = 0;
  virtual std::uint64_t pushes() const = 0;
};

// By operators; those on the host are where the results are.
std::unique_ptr<FollowingLevels> levels_by_operators(const DynamicGraph& g,
                                                     std::span<const VertexId> sources);
std::unique_ptr<FollowingComponents> components_by_operators(const DynamicGraph& g);
std::unique_ptr<FollowingRanks> ranks_by_operators(const DynamicGraph& g,
                                                   const IncrementalPagerankOptions& options);

}  // namespace fathom::dynamic
