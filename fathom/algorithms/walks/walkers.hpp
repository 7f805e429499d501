// The walks of a batch, all at the same step.
#pragma once

#include <memory>
#include <span>

#include "fathom/algorithms/walks/step_reads.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// Draws are words of a random stream of each walker's own step, by what they are for: whether it
/// goes back to its source; of the k-th try which edge, whether that is accepted, and, at ~k,
/// whether it is the way back that is drawn apart.
class Walkers {
 public:
  /// Up to `most` at a time, a power of 2. `in_reach`: the host reads lists entry by entry.
  /// `both_ways`: with every edge there is one back.
  Walkers(const Context& ctx, EdgeSource& source, const WalkOptions& options, std::size_t most,
          bool in_reach, bool both_ways);

  /// Rows of walks first, first + 1 and so on; source(i) is where the walk first + i begins.
  std::span<const VertexId> walk(std::uint64_t first, std::size_t walks,
                                 FunctionRef<VertexId(std::size_t)> source);
  /// Of the rows that walk() has given: steps, and walks that ended early.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t ended() const { return ended_; }

 private:
  enum class Behind : std::uint8_t { Nothing, Edge };  // a walk: at its source, or behind a step
  enum class Verdict : std::uint8_t { Reject, Accept, Ask };

  VertexId* at(std::size_t walk) { return rows_.data() + walk * width_ + step_; }
  RandomStream draws_of(std::size_t walk) const {
    return {RandomStream(options_.seed, first_ + walk).at(step_), 0};
  }
  static std::uint64_t edge_word(const RandomStream& draws, std::uint64_t tried) {
    return draws.at(2 * tried + 1);
  }
  static double acceptance(const RandomStream& draws, std::uint64_t tried) {
    return unit_interval(draws.at(2 * tried + 2));
  }
  /// Of a target that the vertex before has an edge to, or has not.
  bool is_accepted(const RandomStream& draws, std::uint64_t tried, bool near) const {
    return acceptance(draws, tried) * ceiling_ < (near ? 1 : 1 / options_.q);
  }
  bool second_order(std::size_t walk) const {
    return options_.second_order() && behind_[walk] == Behind::Edge;
  }

  void take_step(std::size_t walks);
  void try_alone();
  void begin_entries(std::size_t walks);
  void count_ways_back();
  void draw(std::size_t tries);
  void judge(std::size_t tries);
  void settle(std::size_t tries);
  Verdict verdict_of(std::size_t entry, VertexId target, std::uint64_t tried) const;
  VertexId before(std::size_t entry) const { return rows_[walk_[entry] * width_ + step_ - 1]; }
  /// Whether a try takes what edges back are more likely than all others.
  bool goes_back(const RandomStream& draws, std::uint64_t tried, std::size_t entry) const;

  const Context& ctx_;
  const WalkOptions& options_;
  const bool alone_, back_apart_;
  const std::size_t width_, drawn_;  // vertices of a row; edges that are drawn at a time
  // What the bias of an edge is drawn below, and what each is at least that does not lead back.
  const double ceiling_, floor_;
  std::unique_ptr<StepReads> lists_;
  Array<VertexId> rows_;  // [walks, width]
  // Of walks.
  Array<Behind> behind_;
  // Of those that still draw an edge at this step.
  Array<std::uint32_t> walk_;
  Array<EdgeId> degree_;
  Array<std::uint32_t> back_;  // edges to where they came from
  // Of edges to draw, `tries` for each of these.
  Array<VertexId> vertex_, target_;
  Array<EdgeId> place_;
  Array<double> share_;
  Array<Verdict> verdict_;
  // Of those to ask about: whether the vertex before has an edge to the target.
  Array<VertexId> wanted_, found_;
  Array<std::uint32_t> asked_;
  std::uint64_t first_ = 0, tried_ = 0, steps_ = 0, ended_ = 0;
  std::uint32_t step_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace fathom
