// Party: the lanes of a group that take part in one step, so that a single one of them does the
// atomic operations of all (warp aggregation).
#pragma once

#include "fathom/core/lanes.hpp"
#include "fathom/memory/word.hpp"

namespace fathom::memory {

/// A group that can be split by a key into groups of the same kind, which run in lock step.
template <class G>
concept Splits = requires(const G g, unsigned long long key) {
  { g.split(key) } -> std::same_as<G>;
};

/// Made by all lanes of the group together; those that passed true are members. Members may be
/// scattered: nothing depends on which lanes of a warp are active.
template <LaneGroup G>
class Party {
 public:
  FATHOM_HD Party(const G& group, bool joins)
      : group_(group), mask_(group.ballot(joins)), joins_(joins) {}

  FATHOM_HD bool any() const { return mask_ != 0; }
  FATHOM_HD std::uint32_t count() const { return count_bits(mask_); }
  FATHOM_HD bool joins() const { return joins_; }
  FATHOM_HD std::uint32_t leader() const { return lowest_bit(mask_); }
  FATHOM_HD bool leads() const { return joins_ && group_.rank() == leader(); }

  /// How many members come before this lane.
  FATHOM_HD std::uint32_t index() const {
    return count_bits(mask_ & ((std::uint64_t{1} << group_.rank()) - 1));
  }

  /// The lane of the i-th member.
  FATHOM_HD std::uint32_t lane(std::uint32_t i) const { return nth_bit(mask_, i); }

  /// Whether a member passes true. Collective.
  FATHOM_HD bool any_of(bool b) const { return group_.ballot(joins_ && b) != 0; }

  /// The leader's value, in every lane of the group. Collective.
  template <class T>
  FATHOM_HD T from_leader(const T& x) const {
    return shuffle(group_, x, leader());
  }

 private:
  const G& group_;
  std::uint32_t mask_;
  bool joins_;
};

/// Runs step(party) once for each distinct key among the lanes that take part. Collective: every
/// lane of the group calls it and runs every step; party.joins() says whose turn it is.
template <LaneGroup G, class Key, class Step>
FATHOM_HD void for_each_key(const G& group, bool joins, Key key, const Step& step) {
  for (bool waiting = joins;;) {
    const Party<G> all(group, waiting);
    if (!all.any()) return;
    const Key first = all.from_leader(key);
    const bool turn = waiting && key == first;
    step(Party<G>(group, turn));
    if (turn) waiting = false;
  }
}

/// The same for steps that use nothing of the group but the party: all at once where the group can
/// be split, so that the leaders' operations overlap.
template <LaneGroup G, class Key, class Step>
FATHOM_HD void for_keys_apart(const G& group, bool joins, Key key, const Step& step) {
  if constexpr (Splits<G>) {
    const G peers = group.split(joins ? std::uint64_t{key} : ~std::uint64_t{0});
    if (joins) step(Party<G>(peers, true));
  } else {
    for_each_key(group, joins, key, step);
  }
}

}  // namespace fathom::memory
