// A hash table from labels of 64 bits to vertices, for host threads and kernels alike: open
// addressing with linear probing, and a slot that a label has left stays taken until the table is
// made anew.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/update.hpp"

namespace fathom::dynamic {

struct LabelSlot {
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  static constexpr std::uint64_t kLeft = kEmpty - 1;   // by a label
  static constexpr std::uint64_t kBeing = kEmpty - 2;  // written: the label is not there yet

  std::uint64_t label = 0;
  std::uint64_t vertex = kEmpty;
};

/// Which labels share a slot is another matter in every process, so that no input can be made of
/// labels that all do. Trivially copyable. Phases insert, remove or look up, each beside others
/// that do the same. Invariant: between two phases no slot is being written, and one in four at
/// least is empty.
struct LabelTable {
  LabelSlot* slot;
  std::uint64_t mask;  // slots less one; slots are a power of two
  std::uint64_t salt;

  /// `slots`: a power of two.
  FATHOM_API static LabelTable of(LabelSlot* slot, std::size_t slots);

  /// Whether the label is new; else it keeps its vertex.
  FATHOM_HD bool insert(std::uint64_t label, std::uint64_t vertex) const {
    for (std::uint64_t at = home(label);;) {
      const AtomicRef its(slot[at].vertex);
      std::uint64_t now = its.load(Order::Acquire);
      if (now == LabelSlot::kEmpty && its.compare_exchange(now, LabelSlot::kBeing)) {
        AtomicRef(slot[at].label).store(label);
        its.store(vertex, Order::Release);
        return true;
      }
      if (now == LabelSlot::kBeing) {
        pause();  // it may be this label
        continue;
      }
      if (now == LabelSlot::kEmpty) continue;  // taken meanwhile
      if (now != LabelSlot::kLeft && AtomicRef(slot[at].label).load() == label) return false;
      at = (at + 1) & mask;
    }
  }

  /// kEmpty where the label has no vertex.
  FATHOM_HD std::uint64_t find(std::uint64_t label) const {
    const LabelSlot* const its = slot_of(label);
    return its == nullptr ? LabelSlot::kEmpty : its->vertex;
  }

  /// Whether this call has removed the label.
  FATHOM_HD bool remove(std::uint64_t label) const {
    for (std::uint64_t at = home(label);; at = (at + 1) & mask) {
      const AtomicRef its(slot[at].vertex);
      std::uint64_t now = its.load();
      if (now == LabelSlot::kEmpty) return false;
      if (now == LabelSlot::kLeft || slot[at].label != label) continue;
      return its.compare_exchange(now, LabelSlot::kLeft);
    }
  }

 private:
  /// The finalizer of MurmurHash3: labels are often numbers in a row.
  FATHOM_HD std::uint64_t home(std::uint64_t label) const {
    std::uint64_t x = label ^ salt;
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return (x ^ x >> 33) & mask;
  }
  FATHOM_HD const LabelSlot* slot_of(std::uint64_t label) const {
    for (std::uint64_t at = home(label);; at = (at + 1) & mask) {
      if (slot[at].vertex == LabelSlot::kEmpty) return nullptr;
      if (slot[at].vertex != LabelSlot::kLeft && slot[at].label == label) return &slot[at];
    }
  }
};

/// An edge to insert or to delete, by the labels of its vertices.
struct LabelledUpdate {
  std::uint64_t source = 0, target = 0;
  Weight weight = 1;
  bool deletion = false;
};

// What is done to a table in bulk, an item each.

struct InsertLabels {
  LabelTable table;
  const std::uint64_t* label;
  const VertexId* vertex;
  unsigned long long* changed;  // labels that are new
  FATHOM_HD void operator()(std::size_t i) const {
    if (table.insert(label[i], vertex[i])) AtomicRef(*changed).fetch_add(1ull);
  }
};
struct RemoveLabels {
  LabelTable table;
  const std::uint64_t* label;
  unsigned long long* changed;  // labels that were there
  FATHOM_HD void operator()(std::size_t i) const {
    if (table.remove(label[i])) AtomicRef(*changed).fetch_add(1ull);
  }
};
struct FindLabels {
  LabelTable table;
  const std::uint64_t* label;
  VertexId* vertex;  // kNoVertex where there is none
  FATHOM_HD void operator()(std::size_t i) const {
    const std::uint64_t its = table.find(label[i]);
    vertex[i] = its == LabelSlot::kEmpty ? kNoVertex : static_cast<VertexId>(its);
  }
};
struct TranslateUpdates {
  LabelTable table;
  const LabelledUpdate* from;
  EdgeUpdate* to;
  unsigned long long* first_unknown;  // 2^64 - 1 less the first update whose label is nobody's
  FATHOM_HD void operator()(std::size_t i) const {
    const std::uint64_t u = table.find(from[i].source), v = table.find(from[i].target);
    to[i].source = static_cast<VertexId>(u);
    to[i].target = static_cast<VertexId>(v);
    to[i].weight = from[i].weight;
    to[i].deletion = from[i].deletion;
    if (u != LabelSlot::kEmpty && v != LabelSlot::kEmpty) return;
    const AtomicRef first(*first_unknown);
    unsigned long long old = first.load();
    while (old < ~static_cast<unsigned long long>(i) &&
           !first.compare_exchange(old, ~static_cast<unsigned long long>(i))) {
    }
  }
};
/// Item i: slot i of the old table.
struct MoveLabels {
  const LabelSlot* from;
  LabelTable to;
  FATHOM_HD void operator()(std::size_t i) const {
    if (from[i].vertex < LabelSlot::kBeing) to.insert(from[i].label, from[i].vertex);
  }
};

}  // namespace fathom::dynamic
