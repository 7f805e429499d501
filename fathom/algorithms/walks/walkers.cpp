#include "fathom/algorithms/walks/walkers.hpp"

#include <algorithm>

#include "fathom/algorithms/walks/batches.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

constexpr std::size_t kWalkGrain = 1024;  // walks that a thread takes at a time
constexpr std::size_t kMostTries = 64;    // of a walk at a time

}  // namespace

Walkers::Walkers(const Context& ctx, EdgeSource& source, const WalkOptions& options,
                 std::size_t most, bool in_reach, bool both_ways)
    : ctx_(ctx),
      options_(options),
      alone_(tries_alone(options, in_reach)),
      back_apart_(draws_back_apart(options)),
      width_(std::size_t{options.length} + 1),
      drawn_(most * drawn_together(options, in_reach)),
      ceiling_(std::max({1., back_apart_ ? 1. : 1 / options.p, 1 / options.q})),
      floor_(std::min(1., 1 / options.q)),
      lists_(in_reach ? reached_steps(ctx, source, options, drawn_, both_ways)
                      : swept_steps(ctx, source, options, drawn_)),
      rows_(most * width_, ctx.host_memory()),
      behind_(most, ctx.host_memory()),
      walk_(most, ctx.host_memory()),
      degree_(most, ctx.host_memory()),
      back_(back_apart_ ? most : 0, ctx.host_memory()),
      vertex_(drawn_, ctx.host_memory()),
      target_(drawn_, ctx.host_memory()),
      place_(options.weighted ? 0 : drawn_, ctx.host_memory()),
      share_(options.weighted ? drawn_ : 0, ctx.host_memory()) {
  if (!options.second_order() || alone_) return;
  verdict_ = Array<Verdict>(drawn_, ctx.host_memory());
  wanted_ = Array<VertexId>(drawn_, ctx.host_memory());
  found_ = Array<VertexId>(drawn_, ctx.host_memory());
  asked_ = Array<std::uint32_t>(drawn_, ctx.host_memory());
}

std::span<const VertexId> Walkers::walk(std::uint64_t first, std::size_t walks,
                                        FunctionRef<VertexId(std::size_t)> source) {
  first_ = first;
  std::fill_n(rows_.data(), walks * width_, kNoVertex);
  std::fill_n(behind_.data(), walks, Behind::Nothing);
  for (std::size_t i = 0; i < walks; ++i) rows_[i * width_] = source(i);
  for (step_ = 0; step_ < options_.length; ++step_) {
    ctx_.task().check();
    take_step(walks);
  }
  steps_ = ended_ = 0;
  for (std::size_t i = 0; i < walks; ++i) {
    const VertexId* const row = rows_.data() + i * width_;
    const auto vertices = static_cast<std::uint64_t>(std::find(row, row + width_, kNoVertex) - row);
    steps_ += vertices - 1;
    ended_ += vertices < width_ ? 1 : 0;
  }
  return {rows_.data(), walks * width_};
}

void Walkers::take_step(std::size_t walks) {
  begin_entries(walks);
  tried_ = 0;
  if (alone_) return try_alone();
  if (back_apart_ && entries_ > 0) count_ways_back();
  while (entries_ > 0) {
    if (tried_ > 0) ctx_.task().check();
    // Those that are left try several times at once, so that few rounds are for few of them.
    const bool once = !options_.second_order() || step_ == 0;
    const std::size_t tries = once ? 1 : std::clamp<std::size_t>(drawn_ / entries_, 1, kMostTries);
    draw(tries);
    judge(tries);
    settle(tries);
    tried_ += tries;
  }
}

/// Those that go along an edge, where there is one; restarts are done with.
void Walkers::begin_entries(std::size_t walks) {
  entries_ = 0;
  for (std::size_t i = 0; i < walks; ++i) {
    VertexId* const now = at(i);
    if (*now == kNoVertex) continue;
    if (options_.restart > 0 && unit_interval(draws_of(i).at(0)) < options_.restart) {
      now[1] = rows_[i * width_];
      behind_[i] = Behind::Nothing;
      continue;
    }
    walk_[entries_] = static_cast<std::uint32_t>(i);
    vertex_[entries_++] = *now;
  }
  if (entries_ == 0 || options_.weighted) return;
  lists_->degrees(vertex_.span().first(entries_), degree_.data());
  std::size_t left = 0;
  for (std::size_t e = 0; e < entries_; ++e) {
    if (degree_[e] == 0) continue;
    walk_[left] = walk_[e];
    degree_[left++] = degree_[e];
  }
  entries_ = left;
}

/// Of those that came from somewhere; others have none.
void Walkers::count_ways_back() {
  std::size_t asked = 0;
  for (std::size_t e = 0; e < entries_; ++e) {
    if (!second_order(walk_[e])) continue;
    vertex_[asked] = *at(walk_[e]);
    wanted_[asked] = before(e);
    asked_[asked++] = static_cast<std::uint32_t>(e);
  }
  if (asked > 0) lists_->count(vertex_.span().first(asked), wanted_.data(), back_.data());
  // From the last on, for answers lie before where they belong.
  for (std::size_t e = entries_; e-- > 0;)
    back_[e] = asked > 0 && asked_[asked - 1] == e ? back_[--asked] : 0;
}

bool Walkers::goes_back(const RandomStream& draws, std::uint64_t tried, std::size_t entry) const {
  if (!back_apart_ || back_[entry] == 0) return false;
  const double more = (1 / options_.p - ceiling_) * back_[entry];
  const double others = static_cast<double>(degree_[entry]) * ceiling_;
  return unit_interval(draws.at(~tried)) * (others + more) >= others;
}

/// Each walker until it is accepted.
void Walkers::try_alone() {
  parallel_for(ctx_.threads(), entries_, kWalkGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t e = first; e < last; ++e) {
      const RandomStream draws = draws_of(walk_[e]);
      VertexId* const now = at(walk_[e]);
      if (back_apart_) back_[e] = second_order(walk_[e]) ? lists_->times(*now, now[-1]) : 0;
      for (std::uint64_t tried = 0;; ++tried) {
        if (goes_back(draws, tried, e)) {
          now[1] = now[-1];
          break;
        }
        now[1] = lists_->entry(*now, bounded(edge_word(draws, tried), degree_[e]));
        const Verdict verdict = verdict_of(e, now[1], tried);
        if (verdict == Verdict::Accept) break;
        if (verdict == Verdict::Ask && is_accepted(draws, tried, lists_->has(now[-1], now[1])))
          break;
      }
      behind_[walk_[e]] = Behind::Edge;
    }
  });
}

/// Targets of so many tries of each.
void Walkers::draw(std::size_t tries) {
  parallel_for(ctx_.threads(), entries_, kWalkGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t e = first; e < last; ++e) {
      const RandomStream draws = draws_of(walk_[e]);
      for (std::size_t k = 0; k < tries; ++k) {
        const std::size_t i = e * tries + k;
        vertex_[i] = *at(walk_[e]);
        const std::uint64_t word = edge_word(draws, tried_ + k);
        if (options_.weighted)
          share_[i] = unit_interval(word);
        else
          place_[i] = bounded(word, degree_[e]);
      }
    }
  });
  if (entries_ == 0) return;
  const std::span vertices = vertex_.span().first(entries_ * tries);
  if (options_.weighted)
    lists_->pick_by_weight(vertices, share_.data(), target_.data());
  else
    lists_->pick(vertices, place_.data(), target_.data());
}

Walkers::Verdict Walkers::verdict_of(std::size_t entry, VertexId target,
                                     std::uint64_t tried) const {
  const std::size_t walk = walk_[entry];
  if (target == kNoVertex || !second_order(walk)) return Verdict::Accept;
  const double drawn = acceptance(draws_of(walk), tried) * ceiling_;
  if (target == before(entry)) return drawn < 1 / options_.p ? Verdict::Accept : Verdict::Reject;
  if (drawn < floor_) return Verdict::Accept;
  return drawn < std::max(1., 1 / options_.q) ? Verdict::Ask : Verdict::Reject;
}

void Walkers::judge(std::size_t tries) {
  if (!options_.second_order()) return;
  parallel_for(ctx_.threads(), entries_, kWalkGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t e = first; e < last; ++e) {
      bool accepted = false;  // what comes behind is never looked at
      for (std::size_t k = 0; k < tries; ++k) {
        const std::size_t i = e * tries + k;
        if (!accepted && goes_back(draws_of(walk_[e]), tried_ + k, e)) target_[i] = before(e);
        verdict_[i] = accepted ? Verdict::Reject : verdict_of(e, target_[i], tried_ + k);
        accepted = accepted || verdict_[i] == Verdict::Accept;
      }
    }
  });
  std::size_t asked = 0;
  for (std::size_t i = 0; i < entries_ * tries; ++i) {
    if (verdict_[i] != Verdict::Ask) continue;
    vertex_[asked] = at(walk_[i / tries])[-1];
    wanted_[asked] = target_[i];
    asked_[asked++] = static_cast<std::uint32_t>(i);
  }
  if (asked == 0) return;
  lists_->find(vertex_.span().first(asked), wanted_.data(), found_.data());
  for (std::size_t a = 0; a < asked; ++a) {
    const std::size_t i = asked_[a], e = i / tries;
    verdict_[i] = is_accepted(draws_of(walk_[e]), tried_ + (i - e * tries), found_[a] != kNoVertex)
                      ? Verdict::Accept
                      : Verdict::Reject;
  }
}

/// Takes the first target that is accepted; who has none tries again.
void Walkers::settle(std::size_t tries) {
  std::size_t left = 0;
  for (std::size_t e = 0; e < entries_; ++e) {
    std::size_t i = e * tries;
    if (options_.second_order())
      while (i < (e + 1) * tries && verdict_[i] != Verdict::Accept) ++i;
    if (i < (e + 1) * tries) {
      at(walk_[e])[1] = target_[i];
      behind_[walk_[e]] = Behind::Edge;
    } else {
      walk_[left] = walk_[e];
      if (back_apart_) back_[left] = back_[e];
      degree_[left++] = degree_[e];
    }
  }
  entries_ = left;
}

}  // namespace fathom
