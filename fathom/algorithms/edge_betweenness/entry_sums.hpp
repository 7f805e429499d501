// A number for each entry of the lists, which passes over them add to: where a device has no memory
// for all, as many entries at a time as there are vertices, and the host adds those up.
#pragma once

#include <optional>
#include <span>

#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"
#include "fathom/algorithms/edge_betweenness/functors.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom::detail {

/// Entries lie in the order of rows: those of the vertex whose row is first, as its list has them,
/// come first.
class EntrySums {
 public:
  /// `state`: of the run, which devices have to have room for beside.
  EntrySums(const Context& ctx, EdgeSource& lists, std::span<const VertexId> row,
            const StateSize& state);

  EdgeId entries() const { return entries_; }

  /// Adds to each entry: make(device, window, sums) builds the functor.
  /// Cost: one read of each edge.
  template <class Make>
  void add(const Make& make) {
    for (EdgeId begin = 0; begin < entries_; begin += room_) {
      const EdgeId end = select(begin, room_);
      if (!whole_) sum_->fill(0);
      advance(ctx_, lists_, members_, nullptr, [&](const Device& d) {
        return make(d, EntryWindow{place_.on(d), begin, end}, sum_->on(d));
      });
      if (!whole_) bring(begin, end);
    }
  }

  /// The rows, `scale` times their sums. `once`: an edge is listed by both of its ends, and has a
  /// row of the first one.
  void take(bool once, double scale, EdgeBetweennessResult& result) &&;

 private:
  bool has_room(const StateSize& state) const;
  void place_entries();
  /// members_: who has the next `room` entries, from `begin` on. @returns where they end.
  EdgeId select(EdgeId begin, EdgeId room);
  /// Adds up what all devices have in slots.
  void bring(EdgeId begin, EdgeId end);
  void bring_all();

  /// visit(row, entry, target), ascending. Cost: one read of each edge.
  template <class Visit>
  void for_each_entry(const Visit& visit);
  VertexId row_of(VertexId v) const { return row_.empty() ? v : row_[v]; }
  void sort_row(EdgeBetweennessResult& rows, std::size_t first, std::size_t last) const;

  const Context& ctx_;
  EdgeSource& lists_;
  const std::span<const VertexId> row_;
  const VertexId n_;
  const EdgeId entries_;
  const bool whole_;        // all entries have slots
  const EdgeId room_;       // slots
  Array<VertexId> vertex_;  // of each row
  Array<EdgeId> begin_;     // [vertices + 1]: where the entries of each row begin
  VertexArray<EdgeId> place_;
  std::optional<VertexArray<double>> sum_;  // of what each device was shown
  Array<double> piece_;                     // of one of them
  Array<double> total_;
  Frontier members_;
};

}  // namespace fathom::detail
