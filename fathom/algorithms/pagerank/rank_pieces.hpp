// Values that several ranks update in place, each those of the vertices whose lists it sees whole.
#pragma once

#include <algorithm>
#include <vector>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/ops/fold.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// In how many pieces each rank tells its values. 16 take R-MAT and uniform graphs no more
/// iterations on two ranks than on one; each has some vertices of every rank, or it is not worth an
/// exchange.
inline std::size_t pieces_of_ranks(std::uint64_t vertices, int ranks) {
  constexpr std::size_t kMost = 16, kVertices = 4096;
  const std::uint64_t each = vertices / static_cast<std::uint64_t>(ranks);
  return std::clamp<std::uint64_t>(each / kVertices, 1, kMost);
}

/// gather() over all vertices on several ranks, after which a functor's values are the same on all:
/// a rank goes through its own vertices in pieces and tells the others each of them, so that what
/// they read is a piece old and not an iteration.
template <class Value>
class RankPieces {
 public:
  /// `own`: of this rank, not split among devices.
  RankPieces(const Context& ctx, EdgeSource& lists, VertexRange own)
      : ctx_(ctx),
        lists_(lists),
        all_(ctx, lists.vertices()),
        pieces_(pieces_of_ranks(lists.vertices(), ctx.ranks())),
        begin_((pieces_ + 1) * static_cast<std::size_t>(ctx.ranks())) {
    all_.fill();
    const std::vector<VertexId> mine = cut(own, lists.offsets(ctx.devices()[0]));
    gather_among_ranks(ctx, mine.data(), mine.size() * sizeof(VertexId), begin_.data());
  }

  /// `f` reads lists whole and writes values[u] when it commits u, and none else.
  template <class F>
  TallyOf<F> gather(const F& f, Value* values) {
    struct alignas(64) Worker {
      TallyOf<F> tally{};
    };
    std::vector<Worker> workers(static_cast<std::size_t>(ctx_.threads()));
    std::size_t piece = 0;
    lists_.sweep(ctx_, all_, {kWholeList, kReadsWeights<F>}, [&](const Pass& pass) {
      visit_host_edges(
          [&](const auto& view) {
            for (; piece < pieces_; ++piece) {
              const VertexRange its = range(ctx_.group().rank(), piece);
              cpu::for_active(ctx_.threads(), all_.on(pass.device), its.first, its.last,
                              [=, &workers](VertexId u, int w) {
                                fold(OneLane{}, view, u, f,
                                     workers[static_cast<std::size_t>(w)].tally);
                              });
              tell(piece, values);
            }
          },
          pass.edges);
    });
    for (; piece < pieces_; ++piece) tell(piece, values);  // of a rank that was shown nothing
    TallyOf<F> total{};
    for (const Worker& w : workers) total = total + w.tally;
    return sum_among_ranks(ctx_, total);
  }

 private:
  /// Where pieces of this rank begin, and the last one ends: of a sum of its shares of edges and of
  /// vertices each has as much as others, as far as whole lists allow.
  std::vector<VertexId> cut(VertexRange own, const EdgeId* offset) const {
    const EdgeId edges = std::max<EdgeId>(offset[own.last] - offset[own.first], 1);
    const std::size_t vertices = std::max<std::size_t>(own.size(), 1);
    const auto share_before = [&](VertexId v) {
      return static_cast<double>(offset[v] - offset[own.first]) / static_cast<double>(edges) +
             static_cast<double>(v - own.first) / static_cast<double>(vertices);
    };
    std::vector<VertexId> begin{own.first};
    for (std::size_t p = 1; p < pieces_; ++p) {
      const double share =
          share_before(own.last) * static_cast<double>(p) / static_cast<double>(pieces_);
      VertexId first = begin.back(), last = own.last;
      while (first < last) {
        const VertexId middle = first + (last - first) / 2;
        if (share_before(middle) < share)
          first = middle + 1;
        else
          last = middle;
      }
      begin.push_back(first);
    }
    begin.push_back(own.last);
    return begin;
  }

  /// What each rank has found of a piece becomes the value of all.
  void tell(std::size_t piece, Value* values) {
    std::vector<ReplicaGroup::Place> own;
    for (int r = 0; r < ctx_.ranks(); ++r) {
      const VertexRange its = range(r, piece);
      own.push_back({its.first, its.last});
    }
    ctx_.group().share(values, sizeof(Value), own);
  }

  VertexRange range(int rank, std::size_t piece) const {
    const std::size_t at = static_cast<std::size_t>(rank) * (pieces_ + 1) + piece;
    return {begin_[at], begin_[at + 1]};
  }

  const Context& ctx_;
  EdgeSource& lists_;
  Frontier all_;
  const std::size_t pieces_;
  std::vector<VertexId> begin_;  // of each rank, pieces_ + 1
};

}  // namespace fathom
