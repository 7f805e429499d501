// From updates in any order to changes of lists: what a batch asks of one edge comes down to at
// most a removal and what is added after it.
//
// No containers and no threads: one lane handles all updates of an edge (section 4.2.5 of Winter's
// thesis: duplicates are found in the sorted batch).
#pragma once

#include "fathom/dynamic/update.hpp"

namespace fathom::dynamic {

/// What to do to a list. Insert and Delete are what callers ask for; decide() turns them into the
/// others.
enum class ChangeKind : std::uint16_t {
  Insert,
  Delete,
  None,         // a later update made it pointless
  Remove,       // every edge to the target
  AddIfAbsent,  // unless there is an edge to the target
  Set,          // the weight of the edges to the target; adds one if there is none
  Add,
};

struct Change {
  VertexId source, target;
  Weight weight;  // of semantic edges the number of the update, bit for bit (see UpdateData)
  ChangeKind kind;
  std::uint16_t counts = 1;  // in the report: what is mirrored or implied does not
  // Found in the list: entries before those of the target (after them: for Add), and how many
  // there are of the target. Linked lists: the number alone, of changes that ask(); those that
  // ascend: entries before those of the target, too, of changes that knows_target() names.
  std::uint32_t position = 0, found = 0;

  FATHOM_HD bool same_edge(const Change& other) const {
    return source == other.source && target == other.target;
  }
  /// Whether edges that are there make a difference.
  FATHOM_HD bool asks() const { return kind != ChangeKind::None && kind != ChangeKind::Add; }
  /// Entries that the list gains or, negative, loses.
  FATHOM_HD std::int64_t growth() const {
    switch (kind) {
      case ChangeKind::Remove:
        return -static_cast<std::int64_t>(found);
      case ChangeKind::AddIfAbsent:
      case ChangeKind::Set:
        return found == 0 ? 1 : 0;
      case ChangeKind::Add:
        return 1;
      default:
        return 0;
    }
  }
};

/// What semantic updates say beside endpoints, which does not fit into a change: changes have the
/// number of their update instead of a weight.
struct UpdateData {
  static constexpr bool kFields = true;
  const EdgeUpdate* update = nullptr;  // null: changes have weights after all
  const EdgeFields* fields = nullptr;  // null: all zero

  FATHOM_HD static Weight numbered(std::uint32_t number) {
    return __builtin_bit_cast(Weight, number);
  }
  /// Both take Change::weight.
  FATHOM_HD Weight weight(Weight w) const {
    return update ? update[__builtin_bit_cast(std::uint32_t, w)].weight : w;
  }
  FATHOM_HD std::uint32_t field_word(Weight w, std::uint32_t i) const {
    return fields ? fathom::field_word(fields[__builtin_bit_cast(std::uint32_t, w)], i) : 0;
  }
};

/// The same of other updates. A type of its own: kernels that had the code for both would need more
/// registers than they have.
struct WeightsAlone {
  static constexpr bool kFields = false;
  FATHOM_HD Weight weight(Weight w) const { return w; }
  FATHOM_HD std::uint32_t field_word(Weight, std::uint32_t) const { return 0; }
};

/// What changes of out lists come to in a report; of an undirected graph each edge counts once.
struct ChangeCounts {
  std::uint64_t inserted = 0, overwritten = 0, ignored = 0, removed = 0, missing = 0,
                superseded = 0;

  FATHOM_HD void add(const Change& c, bool directed) {
    if (!directed && c.source > c.target) return;
    inserted += c.growth() > 0 ? 1 : 0;
    overwritten += c.kind == ChangeKind::Set && c.found != 0 ? 1 : 0;
    ignored += c.kind == ChangeKind::AddIfAbsent && c.found != 0 ? 1 : 0;
    removed += c.kind == ChangeKind::Remove ? c.found : 0;
    missing += c.kind == ChangeKind::Remove && c.found == 0 ? c.counts : 0;
    superseded += c.kind == ChangeKind::None ? c.counts : 0;
  }
};

/// Decides what the updates change[first .. last), all of one edge and in the order in which they
/// were asked for, come to: the same as if they were applied one after the other. What asks()
/// for edges that are there is then the first of them or, a Set, the last.
FATHOM_HD void decide(Change* change, std::size_t first, std::size_t last, DuplicatePolicy policy) {
  std::size_t kept_from = first;  // behind the last deletion
  for (std::size_t i = last; i > first; --i) {
    if (change[i - 1].kind == ChangeKind::Delete) {
      kept_from = i;
      break;
    }
  }
  const bool removes = kept_from > first;
  for (std::size_t i = first; i < kept_from; ++i) change[i].kind = ChangeKind::None;
  if (removes) {
    // All but the edge itself, which who decides about the next one compares meanwhile.
    Change &removal = change[kept_from - 1], &head = change[first];
    const std::uint16_t counts = removal.counts;
    removal.counts = head.counts;
    head.counts = counts;
    head.kind = ChangeKind::Remove;
  }
  if (kept_from == last) return;
  for (std::size_t i = kept_from; i < last; ++i)
    change[i].kind = policy == DuplicatePolicy::Keep ? ChangeKind::Add : ChangeKind::None;
  if (policy == DuplicatePolicy::Ignore)
    change[kept_from].kind = removes ? ChangeKind::Add : ChangeKind::AddIfAbsent;
  if (policy == DuplicatePolicy::Overwrite)
    change[last - 1].kind = removes ? ChangeKind::Add : ChangeKind::Set;
}

}  // namespace fathom::dynamic
