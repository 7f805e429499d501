// The states of a batch: every step that there is, and none other; and parts that share a batch,
// all of which commit it or none.
#include "fathom/dynamic/batches/batch_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fathom/dynamic/batches/finding.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using dynamic::BatchEvent;
using dynamic::BatchFinding;
using dynamic::BatchStage;
using dynamic::BatchState;

constexpr std::array kStages = {BatchStage::Unplanned, BatchStage::Planned,   BatchStage::Short,
                                BatchStage::Retried,   BatchStage::Committed, BatchStage::Failed};
constexpr std::array kEvents = {BatchEvent::Plan, BatchEvent::Replan, BatchEvent::Lack,
                                BatchEvent::Grow, BatchEvent::Commit, BatchEvent::Fail};

/// A batch of one part that has come to a stage.
BatchState brought_to(BatchStage stage) {
  BatchState batch(1);
  if (stage == BatchStage::Unplanned) return batch;
  if (stage == BatchStage::Failed) {
    batch.fail();
    return batch;
  }
  batch.planned();
  if (stage == BatchStage::Planned) return batch;
  if (stage == BatchStage::Committed) {
    batch.found(BatchFinding::Fits);
    return batch;
  }
  batch.found(BatchFinding::Lacks);
  if (stage == BatchStage::Retried) batch.grown();
  return batch;
}

void tell(BatchState& batch, BatchEvent event) {
  switch (event) {
    case BatchEvent::Plan:
      return batch.planned();
    case BatchEvent::Replan:
      return batch.found(BatchFinding::Unsuited);
    case BatchEvent::Lack:
      return batch.found(BatchFinding::Lacks);
    case BatchEvent::Grow:
      return batch.grown();
    case BatchEvent::Commit:
      return batch.found(BatchFinding::Fits);
    case BatchEvent::Fail:
      return batch.fail();
  }
}

/// What the drawing says, written down once more.
std::optional<BatchStage> expected(BatchStage from, BatchEvent event) {
  using enum BatchStage;
  static const std::map<std::pair<BatchStage, BatchEvent>, BatchStage> kSteps = {
      {{Unplanned, BatchEvent::Plan}, Planned},  {{Planned, BatchEvent::Replan}, Unplanned},
      {{Planned, BatchEvent::Lack}, Short},      {{Retried, BatchEvent::Lack}, Short},
      {{Short, BatchEvent::Grow}, Retried},      {{Planned, BatchEvent::Commit}, Committed},
      {{Retried, BatchEvent::Commit}, Committed}};
  if (event == BatchEvent::Fail && from != Committed && from != Failed) return Failed;
  const auto found = kSteps.find({from, event});
  if (found == kSteps.end()) return std::nullopt;
  return found->second;
}

TEST(BatchStates, AreLeftByTheStepsThatThereAreAndByNoOthers) {
  int steps = 0;
  for (const BatchStage from : kStages)
    for (const BatchEvent event : kEvents) {
      SCOPED_TRACE(std::string(name_of(from)) + ", " + name_of(event));
      BatchState batch = brought_to(from);
      ASSERT_EQ(batch.stage(), from);
      const std::optional<BatchStage> to = expected(from, event);
      if (to) {
        tell(batch, event);
        EXPECT_EQ(batch.stage(), *to);
        ++steps;
      } else {
        expect_error(
            ErrorCode::Internal, [&] { tell(batch, event); },
            std::string("a batch that is ") + name_of(from) + " has no step \"" + name_of(event));
        EXPECT_EQ(batch.stage(), from);
      }
      EXPECT_EQ(batch.over(),
                batch.stage() == BatchStage::Committed || batch.stage() == BatchStage::Failed);
    }
  EXPECT_EQ(steps, 11);
  EXPECT_EQ(std::size(dynamic::kBatchSteps), 11u);
}

TEST(BatchStates, AreThoseOfAllPartsOnceEachHasSpoken) {
  for (const std::size_t parts : {1u, 2u, 5u}) {
    BatchState batch(parts);
    const auto all = [&](const auto& say) {
      const BatchStage before = batch.stage();
      for (std::size_t i = 0; i < parts; ++i) {
        EXPECT_EQ(batch.stage(), before);
        say(i);
      }
    };
    const auto find = [&](BatchFinding last) {
      all([&](std::size_t i) { batch.found(i + 1 == parts ? last : BatchFinding::Fits); });
    };
    all([&](std::size_t i) {
      EXPECT_EQ(batch.with_plan(), i);
      batch.planned();
    });
    EXPECT_EQ(batch.stage(), BatchStage::Planned);
    find(BatchFinding::Unsuited);
    EXPECT_EQ(batch.stage(), BatchStage::Unplanned);
    EXPECT_EQ(batch.with_plan(), 0u);
    all([&](std::size_t) { batch.planned(); });
    find(BatchFinding::Lacks);
    EXPECT_EQ(batch.stage(), BatchStage::Short);
    EXPECT_EQ(batch.with_plan(), parts);
    batch.grown();
    // What a part has found is forgotten with the attempt.
    find(BatchFinding::Fits);
    EXPECT_EQ(batch.stage(), BatchStage::Committed);
  }
}

TEST(BatchStates, FollowWhatCountsMostOfWhatPartsFind) {
  constexpr std::array kFindings = {BatchFinding::Fits, BatchFinding::Lacks, BatchFinding::Unsuited,
                                    BatchFinding::Refused};
  constexpr std::array kTo = {BatchStage::Committed, BatchStage::Short, BatchStage::Unplanned,
                              BatchStage::Failed};
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      BatchState batch(2);
      batch.planned();
      batch.planned();
      batch.found(kFindings[a]);
      batch.found(kFindings[b]);
      EXPECT_EQ(batch.stage(), kTo[std::max(a, b)]) << a << ", " << b;
    }
}

TEST(BatchStates, DoNotHearOfAPartBeforeAllHaveAPlan) {
  BatchState batch(2);
  batch.planned();
  expect_error(
      ErrorCode::Internal, [&] { batch.found(BatchFinding::Fits); }, "unplanned");
  batch.planned();
  expect_error(
      ErrorCode::Internal, [&] { batch.planned(); }, "planned");
  EXPECT_EQ(batch.with_plan(), 2u);
}

/// What parts do, in the order in which they do it, and what they say to it.
struct Script {
  std::vector<std::vector<BatchFinding>> found;  // of each attempt, by part; at last all fits
  int throw_at = -1;                             // the number of the call that throws
  std::size_t attempt = 0;
  int call = 0;
  bool refuses = true;  // a part that says so throws when it is asked
  bool thrown = false;

  std::vector<std::string> log;
};

class ScriptedPart {
 public:
  ScriptedPart(Script& script, std::size_t number) : script_(script), number_(number) {}

  void plan() { does("plan"); }
  void attempt() {
    does("attempt");
    holds_ = true;
  }
  BatchFinding found() {
    does("found");
    if (number_ == 0) ++script_.attempt;
    if (script_.attempt > script_.found.size()) return now_ = BatchFinding::Fits;
    return now_ = script_.found[script_.attempt - 1][number_];
  }
  void make_room() { does("make_room"); }
  void refuse() {
    does("refuse");
    if (now_ == BatchFinding::Refused && script_.refuses)
      throw Error(ErrorCode::Usage, "refused by part " + std::to_string(number_));
  }
  void commit() noexcept {
    ++committed;
    script_.log.push_back("commit");
  }
  void give_up() noexcept {
    ++given_up;
    holds_ = false;
    script_.log.push_back("give_up");
  }

  bool holds() const { return holds_; }
  int committed = 0, given_up = 0;

 private:
  void does(const char* what) {
    if (script_.call++ == script_.throw_at) {
      script_.thrown = true;
      throw Error(ErrorCode::DoesNotFit, "as the script says");
    }
    script_.log.emplace_back(what);
  }

  Script& script_;
  std::size_t number_;
  bool holds_ = false;
  BatchFinding now_ = BatchFinding::Fits;
};

std::vector<ScriptedPart> parts_of(Script& script, std::size_t n) {
  std::vector<ScriptedPart> parts;
  for (std::size_t i = 0; i < n; ++i) parts.emplace_back(script, i);
  return parts;
}

TEST(BatchParts, GoFromPlanToCommitStepByStep) {
  Script script;
  script.found = {{BatchFinding::Unsuited, BatchFinding::Lacks},
                  {BatchFinding::Fits, BatchFinding::Lacks}};
  std::vector<ScriptedPart> parts = parts_of(script, 2);
  dynamic::apply_to_all(std::span(parts));
  const std::vector<std::string> expected_log = {
      "plan",      "plan",      "attempt", "attempt", "found",   "found",  // unsuited
      "give_up",   "give_up",   "plan",    "plan",    "attempt", "attempt",
      "found",     "found",                                                // lacks
      "make_room", "make_room", "attempt", "attempt", "found",   "found",  // fits
      "commit",    "commit"};
  EXPECT_EQ(script.log, expected_log);
}

/// Wherever something throws: no part commits, and each that has a plan gives up what it has.
TEST(BatchParts, AllCommitOrNoneWhateverThrows) {
  int committed = 0, failed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed);
    const std::size_t n = 1 + dice.roll(4);
    Script script;
    bool replans = true, refused = false;
    for (std::uint32_t round = dice.roll(5); round != 0 && !refused; --round) {
      std::vector<BatchFinding> now(n);
      bool lacks = false;
      for (BatchFinding& finding : now) {
        const std::uint32_t roll = dice.roll(8);
        finding = roll == 0             ? BatchFinding::Refused
                  : roll < 3 && replans ? BatchFinding::Unsuited
                  : roll < 5            ? BatchFinding::Lacks
                                        : BatchFinding::Fits;
        refused = refused || finding == BatchFinding::Refused;
        lacks = lacks || finding == BatchFinding::Lacks;
      }
      const BatchFinding worst = *std::max_element(now.begin(), now.end());
      if (worst == BatchFinding::Fits) break;
      if (worst == BatchFinding::Lacks) replans = false;  // a plan that was retried stays
      script.found.push_back(now);
    }
    for (script.throw_at = -1; script.throw_at < 80; ++script.throw_at) {
      Script its = script;
      std::vector<ScriptedPart> parts = parts_of(its, n);
      bool failure = false;
      try {
        dynamic::apply_to_all(std::span(parts));
      } catch (const Error& e) {
        failure = true;
        ASSERT_NE(e.code(), ErrorCode::Internal) << e.what();
        ASSERT_EQ(its.thrown, e.code() == ErrorCode::DoesNotFit);
      }
      ASSERT_EQ(failure, its.thrown || refused);
      for (const ScriptedPart& part : parts) {
        ASSERT_EQ(part.committed, failure ? 0 : 1);
        ASSERT_EQ(part.holds(), !failure);
      }
      ++(failure ? failed : committed);
    }
  }
  EXPECT_GT(committed, 1000);
  EXPECT_GT(failed, 1000);
}

TEST(BatchParts, ARefusalThatNobodyExplainsIsABrokenPromise) {
  Script script;
  script.found = {{BatchFinding::Refused}};
  script.refuses = false;
  std::vector<ScriptedPart> parts = parts_of(script, 1);
  expect_error(
      ErrorCode::Internal, [&] { dynamic::apply_to_all(std::span(parts)); }, "nobody says why");
  EXPECT_EQ(parts[0].given_up, 1);
  EXPECT_EQ(parts[0].committed, 0);
}

TEST(BatchFindings, OfAGpuAreNamedInTheOrderInWhichTheyCount) {
  dynamic::gpu::Totals totals{};
  const auto finding = [&] { return dynamic::gpu::finding_of(totals); };
  EXPECT_EQ(finding(), BatchFinding::Lacks);
  totals.side[1].too_long = 1;
  EXPECT_EQ(finding(), BatchFinding::Refused);
  totals.unsuited = 1;
  EXPECT_EQ(finding(), BatchFinding::Unsuited);
  totals.check.bad = 1;
  EXPECT_EQ(finding(), BatchFinding::Refused);
  totals = {};
  totals.side[0].too_long = 1;
  EXPECT_EQ(finding(), BatchFinding::Refused);
  totals = {};
  totals.go = 1;
  EXPECT_EQ(finding(), BatchFinding::Fits);
}

}  // namespace
}  // namespace fathom::testing
