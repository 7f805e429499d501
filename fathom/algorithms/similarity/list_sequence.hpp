// The lists of some vertices, one after the other, of which a part at a time is in the memory of
// each device.
#pragma once

#include <algorithm>
#include <span>

#include "fathom/algorithms/similarity/functors.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {

/// Invariant: what on() shows are entries [begin(), end()) of the sequence, and the one before.
class ListSequence {
 public:
  /// How many members and slots there are room for, of a graph of so many vertices.
  static EdgeId room_for(VertexId vertices) { return EdgeId{vertices} / 2 + 1; }

  /// `offset` ([vertices + 1], on the host) and `frontier` are there as long as this.
  ListSequence(const Context& ctx, EdgeSource& lists, std::span<const EdgeId> offset,
               Frontier& frontier)
      : ctx_(ctx),
        lists_(lists),
        offset_(offset),
        frontier_(frontier),
        room_(room_for(lists.vertices())),
        place_(ctx, lists.vertices()),
        who_(ctx, room_),
        start_(ctx, room_ + 1),
        slot_(ctx, room_ + 1, 0),
        begins_(room_ + 1, ctx.host_memory()) {}

  EdgeId room() const { return room_; }
  EdgeId length(VertexId v) const { return offset_[v + std::size_t{1}] - offset_[v]; }

  /// The lists of these from now on: ascending, at most room(), and there until others are named.
  void name(std::span<const VertexId> members) {
    members_ = members;
    EdgeId sum = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      begins_[i] = sum;
      sum += length(members[i]);
    }
    begins_[members.size()] = entries_ = sum;
    for (const Device& d : ctx_.devices()) {
      ctx_.copy(who_.on(d), members.data(), members.size_bytes());
      ctx_.copy(start_.on(d), begins_.data(), (members.size() + 1) * sizeof(EdgeId));
    }
    compute(ctx_, static_cast<VertexId>(members.size()), [&](const Device& d) {
      return PlaceLists{who_.on(d), start_.on(d), place_.on(d)};
    });
  }
  EdgeId entries() const { return entries_; }

  /// Shows as many entries from `begin` on as there is room for.
  void load(EdgeId begin) {
    begin_ = begin;
    base_ = begin > 0 ? begin - 1 : 0;
    end_ = std::min(entries_, begin + room_);
    const EdgeId* const first = begins_.data();
    const EdgeId* const last = first + members_.size();
    const auto from = std::upper_bound(first, last, base_) - first - 1;
    const auto to = std::lower_bound(first, last, end_) - first;
    frontier_.assign(
        members_.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    // Each device puts what it sees: the sum is then what all of them saw.
    if (ctx_.replicas() > 1) slot_.fill(0);
    advance(ctx_, lists_, frontier_, nullptr, [&](const Device& d) {
      return PutEntry{place_.on(d), slot_.on(d), base_, end_};
    });
    merge(slot_);
    read_ += end_ - base_;
  }
  /// Calls see(member, neighbour) for what is shown, duplicates and loops left out. `entries` gets
  /// what is in slots: room() + 1 at most.
  template <class See>
  void for_each_entry(Array<VertexId>& entries, const See& see) const {
    const Device& first = ctx_.devices()[0];
    ctx_.copy(entries.data(), slot_.on(first), (end_ - base_) * sizeof(VertexId));
    std::size_t member = 0;
    for (EdgeId at = begin_; at < end_; ++at) {
      while (begins_[member + 1] <= at) ++member;
      const VertexId its = entries[at - base_];
      const bool again = at > begins_[member] && entries[at - 1 - base_] == its;
      if (!again && its != members_[member]) see(static_cast<VertexId>(member), its);
    }
  }
  const VertexId* members(const Device& d) const { return who_.on(d); }
  EdgeId begin() const { return begin_; }
  EdgeId end() const { return end_; }
  /// Entries loaded so far.
  EdgeId read() const { return read_; }

  /// Calls use() with each part of all lists.
  template <class Use>
  void for_each_part(const Use& use) {
    for (EdgeId begin = 0; begin < entries_; begin = end_) {
      load(begin);
      use();
      ctx_.task().check();
    }
  }

  ListPart on(const Device& d) const {
    return {who_.on(d),   start_.on(d),
            place_.on(d), lists_.offsets(d),
            slot_.on(d),  static_cast<VertexId>(members_.size()),
            base_,        begin_,
            end_};
  }

 private:
  const Context& ctx_;
  EdgeSource& lists_;
  const std::span<const EdgeId> offset_;
  Frontier& frontier_;
  const EdgeId room_;
  VertexArray<EdgeId> place_;
  VertexArray<VertexId> who_;
  VertexArray<EdgeId> start_;
  VertexArray<VertexId, MergeSum> slot_;
  Array<EdgeId> begins_;  // start_ on the host
  std::span<const VertexId> members_;
  EdgeId entries_ = 0, base_ = 0, begin_ = 0, end_ = 0, read_ = 0;
};

}  // namespace fathom
