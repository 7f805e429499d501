// What walkers ask of the lists at a step, many of them at a time, and who answers: the host entry
// by entry, or sweeps over the lists of the vertices that they ask about.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// Of edges to draw: [n] of everything, and vertices may repeat.
class StepReads {
 public:
  StepReads() = default;
  virtual ~StepReads() = default;
  StepReads(const StepReads&) = delete;
  StepReads& operator=(const StepReads&) = delete;

  virtual void degrees(std::span<const VertexId> vertex, EdgeId* degree) = 0;
  /// The entry of each list at `place`, which is below its degree.
  virtual void pick(std::span<const VertexId> vertex, const EdgeId* place, VertexId* target) = 0;
  /// The entry of each list at a share, in [0, 1), of the sum of its weights; kNoVertex where no
  /// weight is above 0. @throws Error(BadInput) for a weight that is negative or not finite.
  virtual void pick_by_weight(std::span<const VertexId> vertex, const double* share,
                              VertexId* target) = 0;
  /// One by one and from several threads, where the host reaches the lists: the entry at a place,
  /// and whether there is one to `wanted`, and how many there are.
  virtual VertexId entry(VertexId, EdgeId) const { return kNoVertex; }
  virtual bool has(VertexId, VertexId) const { return false; }
  virtual std::uint32_t times(VertexId, VertexId) const { return 0; }
  /// `wanted` where the list has it, else kNoVertex.
  virtual void find(std::span<const VertexId> vertex, const VertexId* wanted, VertexId* found) = 0;
  /// How often the list has it. Only where walks draw the way back apart.
  virtual void count(std::span<const VertexId> vertex, const VertexId* wanted,
                     std::uint32_t* times) = 0;
};

/// Within a run of RunLists, which all of these outlive; for `most` at a time, a power of 2. Null
/// where the host does not reach the lists. `both_ways`: with every edge there is one back.
std::unique_ptr<StepReads> reached_steps(const Context& ctx, EdgeSource& source,
                                         const WalkOptions& options, std::size_t most,
                                         bool both_ways);
std::unique_ptr<StepReads> swept_steps(const Context& ctx, EdgeSource& source,
                                       const WalkOptions& options, std::size_t most);

[[noreturn]] void refuse_step_weight(const WalkOptions& options, VertexId from, VertexId to,
                                     Weight w);

/// Entries of one list at shares of the sum of its weights, which ascend: every entry is added
/// once, in order, and shown once more. The sum of doubles is that of this order.
class PickByWeight {
 public:
  PickByWeight(const WalkOptions& options, VertexId from) : options_(options), from_(from) {}

  void add(VertexId target, Weight w) {
    if (!(w >= 0 && w <= std::numeric_limits<Weight>::max()))
      refuse_step_weight(options_, from_, target, w);
    if (w == 0) return;
    total_ += double{w};
    last_ = target;
  }

  /// share(k) for k below `count`; take(k, target).
  template <class Share, class Take>
  void show(VertexId target, Weight w, std::size_t count, const Share& share, const Take& take) {
    if (w == 0) return;
    running_ += double{w};
    for (; taken_ < count && share(taken_) * total_ < running_; ++taken_) take(taken_, target);
  }
  /// What is left is a product that was rounded up to the sum, or there is nothing to take.
  template <class Take>
  void end(std::size_t count, const Take& take) {
    for (; taken_ < count; ++taken_) take(taken_, last_);
  }

 private:
  const WalkOptions& options_;
  VertexId from_, last_ = kNoVertex;
  double total_ = 0, running_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace fathom
