// What a matching does on an edge and a vertex, for any executor.
//
// A vertex proposes to the neighbour at its first edge that goes before the one its neighbour's
// suitor has proposed by; that one then has to look for another. When nobody looks any more, the
// suitors of two vertices are each other.
#pragma once

#include <cstddef>
#include <span>

#include "fathom/algorithms/msf/functors.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

class Context;

/// An edge of a vertex that is known otherwise, without gaps between words.
struct Proposal {
  std::uint32_t weight;  // rises as weights fall
  std::uint32_t tie;     // among edges of one weight
  VertexId to;
};
FATHOM_HD Proposal no_proposal() {
  return {~0u, ~0u, kNoVertex};
}

FATHOM_HD Proposal propose_by(const RandomStream& random, VertexId u, VertexId v, Weight w) {
  const std::uint64_t hash = u < v ? random.at(u, v) : random.at(v, u);
  return {weight_key(w, true), static_cast<std::uint32_t>(hash >> 32), v};
}

/// Whether edge a goes before b, of two that share an end; the others are these.
FATHOM_HD bool goes_before(const Proposal& a, VertexId end_a, const Proposal& b, VertexId end_b) {
  if (a.weight != b.weight) return a.weight < b.weight;
  return a.tie != b.tie ? a.tie < b.tie : end_a < end_b;
}

/// The first of two edges of one vertex.
struct MergeFirst {
  static bool on_gpus(const Context& ctx, std::span<Proposal* const> replica, std::size_t n);
  FATHOM_HD Proposal operator()(Proposal a, Proposal b) const {
    return goes_before(b, b.to, a, a.to) ? b : a;
  }
};

/// Keeps the first of the edges of `first + v` in two replicas, of which from[0] is that of
/// `first`.
struct KeepFirst {
  static constexpr bool kDeviceCode = true;
  Proposal* into;
  const Proposal* from;
  VertexId first;
  FATHOM_HD void operator()(VertexId v) const {
    into[first + v] = MergeFirst{}(into[first + v], from[v]);
  }
};

struct ForgetProposal {
  static constexpr bool kDeviceCode = true;
  Proposal* proposal;
  FATHOM_HD void operator()(VertexId u) const { proposal[u] = no_proposal(); }
};

/// The first edge of u that its other end would be pleased with. Suitors are not looking
/// themselves: what they proposed stays while others look.
struct FindProposal {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  Proposal* proposal;
  const VertexId* suitor;
  RandomStream random;

  using Value = Proposal;
  using Tally =
      VertexId;  // makes one commit of the parts of a list: three words are not one atomic
  FATHOM_HD Value identity() const { return no_proposal(); }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight w) const {
    if (u == v) return no_proposal();
    const Proposal mine = propose_by(random, u, v, w);
    const VertexId other = suitor[v];
    return other == kNoVertex || goes_before(mine, u, proposal[other], other) ? mine
                                                                              : no_proposal();
  }
  FATHOM_HD Value combine(Value a, Value b) const { return MergeFirst{}(a, b); }
  FATHOM_HD bool commit(VertexId u, Value found, Tally&) const {
    proposal[u] = combine(proposal[u], found);
    return false;
  }
};

/// Who may be without a place after this round: who looks for one, and the suitors they find there.
struct MarkRivals {
  static constexpr bool kDeviceCode = true;
  const Proposal* proposal;
  const VertexId* suitor;
  std::uint64_t* rivals;  // a bit per vertex

  FATHOM_HD void operator()(VertexId u) const {
    const VertexId at = proposal[u].to;
    if (at == kNoVertex) return;
    mark(u);
    if (suitor[at] != kNoVertex) mark(suitor[at]);
  }
  FATHOM_HD void mark(VertexId v) const {
    const AtomicRef word(rivals[v >> 6]);
    const std::uint64_t bit = std::uint64_t{1} << (v & 63);
    if ((word.load() & bit) == 0) word.fetch_or(bit);
  }
};

struct Propose {
  static constexpr bool kDeviceCode = true;
  const Proposal* proposal;
  VertexId* suitor;

  FATHOM_HD void operator()(VertexId u) const {
    const Proposal mine = proposal[u];
    if (mine.to == kNoVertex) return;
    const AtomicRef its(suitor[mine.to]);
    VertexId other = its.load();
    while (other == kNoVertex || goes_before(mine, u, proposal[other], other))
      if (its.compare_exchange(other, u, Order::Relaxed)) return;
  }
};

struct IsRejected {
  static constexpr bool kDeviceCode = true;
  const Proposal* proposal;
  const VertexId* suitor;
  FATHOM_HD bool operator()(VertexId v) const { return suitor[proposal[v].to] != v; }
};

/// Suitors become partners. @returns v if it and its suitor have not chosen each other: they do not
/// see the same weight.
struct TakePartner {
  static constexpr bool kDeviceCode = true;
  const Proposal* proposal;
  const VertexId* suitor;
  Weight* weight;

  FATHOM_HD VertexId operator()(VertexId v) const {
    const VertexId other = suitor[v];
    weight[v] = other == kNoVertex ? 0 : weight_of_key(proposal[v].weight, true);
    const bool even =
        other == kNoVertex || (suitor[other] == v && proposal[other].weight == proposal[v].weight);
    return even ? kNoVertex : v;
  }
};

}  // namespace fathom
