// The states of a batch between its first plan and its end, and who drives it through them: on the
// host, on a GPU, and for several parts that share one batch (the directions of a graph, or GPUs),
// all of which commit it or none.
//
//   Unplanned ──▶ Planned ──────────────▶ Committed
//       ▲           │  │                      ▲
//       └───────────┘  ▼                      │      from everywhere but
//       planned anew  Short of pages ◀──▶ Retried    Committed: ▶ Failed
//
// Plain code of the host: nothing here knows what a part is made of.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include "fathom/core/error.hpp"

namespace fathom::dynamic {

enum class BatchStage : std::uint8_t {
  Unplanned,  // not all parts have a plan
  Planned,
  Short,      // a part lacks pages, or room for their numbers; what all have asked for stays theirs
  Retried,    // planned as before, with more room
  Committed,  // all parts have all they need: nothing may fail from here on
  Failed,     // nothing has changed
};

enum class BatchEvent : std::uint8_t { Plan, Replan, Lack, Grow, Commit, Fail };

struct BatchStep {
  BatchStage from;
  BatchEvent event;
  BatchStage to;
};

/// All steps that there are.
inline constexpr BatchStep kBatchSteps[] = {
    {BatchStage::Unplanned, BatchEvent::Plan, BatchStage::Planned},
    {BatchStage::Planned, BatchEvent::Replan, BatchStage::Unplanned},
    {BatchStage::Planned, BatchEvent::Lack, BatchStage::Short},
    {BatchStage::Planned, BatchEvent::Commit, BatchStage::Committed},
    {BatchStage::Short, BatchEvent::Grow, BatchStage::Retried},
    {BatchStage::Retried, BatchEvent::Lack, BatchStage::Short},
    {BatchStage::Retried, BatchEvent::Commit, BatchStage::Committed},
    {BatchStage::Unplanned, BatchEvent::Fail, BatchStage::Failed},
    {BatchStage::Planned, BatchEvent::Fail, BatchStage::Failed},
    {BatchStage::Short, BatchEvent::Fail, BatchStage::Failed},
    {BatchStage::Retried, BatchEvent::Fail, BatchStage::Failed},
};

/// What a part's attempt has found; of several parts the last of these counts that any has found.
enum class BatchFinding : std::uint8_t {
  Fits,
  Lacks,     // pages, or room for their numbers
  Unsuited,  // it has to be planned in another way
  Refused,
};

constexpr const char* name_of(BatchStage stage) {
  constexpr const char* kNames[] = {"unplanned", "planned",   "short of pages",
                                    "retried",   "committed", "failed"};
  return kNames[static_cast<int>(stage)];
}
constexpr const char* name_of(BatchEvent event) {
  constexpr const char* kNames[] = {"plan", "replan", "lack", "grow", "commit", "fail"};
  return kNames[static_cast<int>(event)];
}

/// Where a batch of so many parts, at least one, is. What parts say counts once all have said it.
/// Each of its functions throws Error(Internal), and changes nothing, where there is no such step.
class BatchState {
 public:
  explicit BatchState(std::size_t parts) : parts_(parts) {}

  BatchStage stage() const { return stage_; }
  bool over() const { return stage_ == BatchStage::Committed || stage_ == BatchStage::Failed; }
  /// How many parts, from the first on, have a plan, and with it perhaps pages.
  std::size_t with_plan() const { return with_plan_; }

  /// The next part has a plan.
  void planned() {
    const BatchStage to = after(BatchEvent::Plan);
    if (++with_plan_ == parts_) stage_ = to;
  }
  /// The next part has tried to get all it needs.
  void found(BatchFinding finding) {
    const BatchFinding worst = std::max(worst_, finding);
    const BatchStage to = after(event_of(worst));
    worst_ = worst;
    if (++heard_ < parts_) return;
    heard_ = 0;
    worst_ = BatchFinding::Fits;
    stage_ = to;
    if (to == BatchStage::Unplanned) with_plan_ = 0;
  }
  /// All parts have made what room they lacked.
  void grown() { stage_ = after(BatchEvent::Grow); }
  void fail() { stage_ = after(BatchEvent::Fail); }

 private:
  static constexpr BatchEvent event_of(BatchFinding worst) {
    constexpr BatchEvent kEvents[] = {BatchEvent::Commit, BatchEvent::Lack, BatchEvent::Replan,
                                      BatchEvent::Fail};
    return kEvents[static_cast<int>(worst)];
  }
  BatchStage after(BatchEvent event) const {
    const auto* const step =
        std::find_if(std::begin(kBatchSteps), std::end(kBatchSteps),
                     [&](const BatchStep& s) { return s.from == stage_ && s.event == event; });
    if (step != std::end(kBatchSteps)) return step->to;
    throw Error(ErrorCode::Internal, std::string("a batch that is ") + name_of(stage_) +
                                         " has no step \"" + name_of(event) + '"');
  }

  std::size_t parts_;
  std::size_t with_plan_ = 0;
  std::size_t heard_ = 0;  // parts whose findings are in
  BatchFinding worst_ = BatchFinding::Fits;
  BatchStage stage_ = BatchStage::Unplanned;
};

/// A part has
///
///   plan()        anew after an attempt that was Unsuited
///   attempt()     to get all it needs; what it has got already it keeps. May be queued
///   found()       waits, and says what came of it
///   make_room()   after an attempt of which a part lacks something, be it another one
///   refuse()      throws, where it has refused the batch
///   commit()      cannot fail. A part that has no others may queue it with its attempt, provided
///                 that it does nothing unless all is there
///   give_up()     gives back what its plan and attempts have got; cannot fail. Before it plans
///                 anew, or when the batch fails
template <class P>
concept BatchPart = requires(P part) {
  part.plan();
  part.attempt();
  { part.found() } -> std::same_as<BatchFinding>;
  part.make_room();
  part.refuse();
  { part.commit() }
  noexcept;
  { part.give_up() }
  noexcept;
};

/// Applies a batch to all parts, or, when anything throws, to none.
template <BatchPart Part>
void apply_to_all(std::span<Part> parts) {
  BatchState batch(parts.size());
  try {
    while (batch.stage() != BatchStage::Committed) {
      switch (batch.stage()) {
        case BatchStage::Unplanned:
          for (Part& part : parts) {
            part.plan();
            batch.planned();
          }
          break;
        case BatchStage::Planned:
        case BatchStage::Retried:
          for (Part& part : parts) part.attempt();
          for (Part& part : parts) batch.found(part.found());
          // What parts have got by a plan that others cannot go by is not for the next one.
          if (batch.stage() == BatchStage::Unplanned)
            for (Part& part : parts) part.give_up();
          break;
        case BatchStage::Short:
          for (Part& part : parts) part.make_room();
          batch.grown();
          break;
        case BatchStage::Failed:
          for (Part& part : parts) part.refuse();
          throw Error(ErrorCode::Internal, "a batch was refused, and nobody says why");
        case BatchStage::Committed:
          break;
      }
    }
  } catch (...) {
    if (!batch.over()) batch.fail();
    for (Part& part : parts.first(batch.with_plan())) part.give_up();
    throw;
  }
  for (Part& part : parts) part.commit();
}

}  // namespace fathom::dynamic
