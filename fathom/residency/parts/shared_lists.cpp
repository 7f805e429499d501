#include "fathom/residency/parts/shared_lists.hpp"

#include <algorithm>
#include <numeric>

#include "fathom/core/parallel.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/graph/lists/edge_shares.hpp"
#include "fathom/graph/lists/neighbors.hpp"
#include "fathom/residency/parts/part_source.hpp"

namespace fathom::detail {

using store::PartLists;
using store::PartRange;

namespace {

constexpr std::size_t kVerticesAtOnce = 1024;

/// Calls step(to, from) for each rank to give something to, and the one to take from then: itself
/// first.
template <class Step>
void with_each_rank(const ReplicaGroup& group, const Step& step) {
  const int ranks = group.ranks(), rank = group.rank();
  for (int s = 0; s < ranks; ++s) step((rank + s) % ranks, (rank - s + ranks) % ranks);
}

template <class T>
void exchange(ReplicaGroup& group, std::span<const T> given, int to, std::span<T> taken, int from) {
  if (to == group.rank())
    std::copy(given.begin(), given.end(), taken.begin());
  else
    group.exchange(std::as_bytes(given), to, std::as_writable_bytes(taken), from);
}

/// Of values[0 .. count) each rank has written those from `first` to `last`.
template <class T>
void share(const Context& ctx, T* values, std::size_t count, std::size_t first, std::size_t last) {
  if (ctx.ranks() > 1) share_among_ranks(ctx, values, count, sizeof(T), first, last);
}

EdgeRange meet(const EdgeRange& a, const EdgeRange& b) {
  const EdgeId begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

std::size_t size_of(const EdgeRange& range) {
  return static_cast<std::size_t>(range.end - range.begin);
}

/// The ranges of all ranks, of lists with these offsets.
std::vector<PartRange> shares_of(const Context& ctx, const Array<EdgeId>& offset) {
  std::vector<PartRange> shares;
  const auto vertices = static_cast<VertexId>(offset.size() - 1);
  for (int r = 0; r < ctx.ranks(); ++r) {
    const VertexId first = graph::share_begins(offset.data(), vertices, ctx.ranks(), r);
    const VertexId last = graph::share_begins(offset.data(), vertices, ctx.ranks(), r + 1);
    shares.push_back({first, last, offset[first], offset[last]});
  }
  return shares;
}

std::vector<EdgeRange> edges_of(const std::vector<PartRange>& ranges) {
  std::vector<EdgeRange> edges;
  edges.reserve(ranges.size());
  for (const PartRange& range : ranges) edges.push_back({range.begin, range.end});
  return edges;
}

std::span<const VertexId> list_of(const PartLists& lists, VertexId v) {
  return {lists.target + (lists.offset[v] - lists.range.begin),
          static_cast<std::size_t>(lists.offset[v + 1] - lists.offset[v])};
}

template <class Body>
void for_vertices(const Context& ctx, VertexId first, VertexId last, const Body& body) {
  parallel_for(ctx.threads(), std::size_t{last} - first, kVerticesAtOnce,
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t i = begin; i < end; ++i) body(static_cast<VertexId>(first + i));
               });
}

/// Offsets from degrees: offset[v + 1] is the degree of v before.
void add_up(Array<EdgeId>& offset) {
  offset[0] = 0;
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
}

/// Places of a rank's own vertices, one after the other; the ranks' follow each other in their
/// order, from `base` on.
struct Places {
  VertexId base = 0, first = 0, last = 0;
};

/// each(u, neighbor) calls neighbor(v) for each neighbour of place u, of this rank's, ascending.
template <class Each>
SharedLists orient_places(const Context& ctx, VertexId places, std::span<const Places> mine,
                          std::span<const PartRange> ranges, const Each& each) {
  const std::size_t vertices = places / mine.size();
  Array<VertexId> degree(places, ctx.host_memory());
  for (const Places& its : mine) {
    for_vertices(ctx, its.first, its.last, [&](VertexId u) {
      VertexId d = 0;
      each(u, [&](VertexId) { ++d; });
      degree[u] = d;
    });
    share(ctx, degree.data() + its.base, vertices, its.first - its.base, its.last - its.base);
  }
  const auto kept = [&](VertexId u, VertexId v) {
    return degree[u] < degree[v] || (degree[u] == degree[v] && u < v);
  };
  SharedLists lists;
  lists.offset = Array<EdgeId>(std::size_t{places} + 1, ctx.host_memory());
  EdgeId* const count = lists.offset.data() + 1;
  for (const Places& its : mine) {
    for_vertices(ctx, its.first, its.last, [&](VertexId u) {
      EdgeId d = 0;
      each(u, [&](VertexId v) { d += kept(u, v) ? 1 : 0; });
      count[u] = d;
    });
    share(ctx, count + its.base, vertices, its.first - its.base, its.last - its.base);
  }
  add_up(lists.offset);
  lists.ranges = shares_of(ctx, lists.offset);
  const std::vector<EdgeRange> wanted = edges_of(lists.ranges);
  lists.range = lists.ranges[static_cast<std::size_t>(ctx.group().rank())];
  lists.target = Array<VertexId>(static_cast<std::size_t>(lists.range.edges()), ctx.host_memory());
  for (const Places& its : mine) {
    const EdgeId base = lists.offset[its.first];
    Array<VertexId> target(static_cast<std::size_t>(lists.offset[its.last] - base),
                           ctx.host_memory());
    for_vertices(ctx, its.first, its.last, [&](VertexId u) {
      auto at = static_cast<std::size_t>(lists.offset[u] - base);
      each(u, [&](VertexId v) {
        if (kept(u, v)) target[at++] = v;
      });
    });
    std::vector<EdgeRange> owned;
    for (const PartRange& range : ranges)
      owned.push_back({lists.offset[its.base + range.first], lists.offset[its.base + range.last]});
    redistribute(ctx, owned, target.data(), wanted, lists.target.data());
  }
  return lists;
}

}  // namespace

void redistribute(const Context& ctx, std::span<const EdgeRange> owned, const VertexId* mine,
                  std::span<const EdgeRange> wanted, VertexId* into) {
  const auto rank = static_cast<std::size_t>(ctx.group().rank());
  with_each_rank(ctx.group(), [&](int to, int from) {
    const EdgeRange given = meet(owned[rank], wanted[static_cast<std::size_t>(to)]);
    const EdgeRange taken = meet(owned[static_cast<std::size_t>(from)], wanted[rank]);
    const bool gives = size_of(given) > 0, takes = size_of(taken) > 0;
    exchange(ctx.group(),
             gives ? std::span(mine + (given.begin - owned[rank].begin), size_of(given))
                   : std::span<const VertexId>(),
             to,
             takes ? std::span(into + (taken.begin - wanted[rank].begin), size_of(taken))
                   : std::span<VertexId>(),
             from);
  });
}

SharedLists transpose(const Context& ctx, const PartLists& lists) {
  ReplicaGroup& group = ctx.group();
  const auto& pool = ctx.host_memory();
  const std::size_t n = lists.vertices;
  const PartRange& own = lists.range;
  // This rank's edges by their targets: sources ascend, for they come so.
  Array<EdgeId> local(n + 1, 0, pool);
  for (std::size_t e = 0; e < own.edges(); ++e) ++local[std::size_t{lists.target[e]} + 1];
  SharedLists reverse;
  reverse.offset = Array<EdgeId>::copy_of(local.span(), pool);
  add_up(local);
  Array<VertexId> source(static_cast<std::size_t>(own.edges()), pool);
  {
    Array<EdgeId> at = Array<EdgeId>::copy_of(local.span(), pool);
    for (VertexId u = own.first; u < own.last; ++u)
      for (const VertexId v : list_of(lists, u)) source[static_cast<std::size_t>(at[v]++)] = u;
  }
  group.all_reduce(reverse.offset.data(), n + 1, ScalarKind::Uint64, MergeRule::Sum);
  add_up(reverse.offset);
  const std::vector<PartRange>& shares = reverse.ranges = shares_of(ctx, reverse.offset);
  reverse.range = shares[static_cast<std::size_t>(group.rank())];
  const PartRange& range = reverse.range;
  reverse.target = Array<VertexId>(static_cast<std::size_t>(range.edges()), pool);

  // What ranks have of the lists of this one's range, those before first.
  const std::size_t vertices = range.vertices();
  const auto ranks = static_cast<std::size_t>(group.ranks());
  Array<EdgeId> begins(ranks * (vertices + 1), pool);
  const auto begins_of = [&](int rank) {
    return begins.span().subspan(static_cast<std::size_t>(rank) * (vertices + 1), vertices + 1);
  };
  with_each_rank(group, [&](int to, int from) {
    const PartRange& its = shares[static_cast<std::size_t>(to)];
    exchange<EdgeId>(group, std::span(local.data() + its.first, std::size_t{its.vertices()} + 1),
                     to, begins_of(from), from);
  });
  std::vector<Array<VertexId>> pieces(ranks);
  with_each_rank(group, [&](int to, int from) {
    const PartRange& its = shares[static_cast<std::size_t>(to)];
    const auto taken = begins_of(from);
    Array<VertexId>& piece = pieces[static_cast<std::size_t>(from)];
    piece = Array<VertexId>(static_cast<std::size_t>(taken.back() - taken.front()), pool);
    exchange<VertexId>(group,
                       std::span(source.data() + local[its.first],
                                 static_cast<std::size_t>(local[its.last] - local[its.first])),
                       to, piece.span(), from);
  });
  for_vertices(ctx, range.first, range.last, [&](VertexId v) {
    auto at = static_cast<std::size_t>(reverse.offset[v] - range.begin);
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto begin = begins_of(static_cast<int>(r));
      const std::size_t i = v - range.first;
      const auto first = static_cast<std::size_t>(begin[i] - begin[0]);
      const auto count = static_cast<std::size_t>(begin[i + 1] - begin[i]);
      std::copy_n(pieces[r].data() + first, count, reverse.target.data() + at);
      at += count;
    }
  });
  return reverse;
}

SharedLists orient(const Context& ctx, const PartLists& out, const PartLists* in, bool mutual) {
  const std::vector<PartRange> ranges = ranges_of_ranks(ctx, out.range);
  // The in-lists of the vertices whose out-lists are here.
  Array<VertexId> entering;
  PartLists others;
  if (in) {
    others = *in;
    const std::vector<EdgeRange> owned = edges_of(ranges_of_ranks(ctx, in->range));
    std::vector<EdgeRange> wanted;
    wanted.reserve(ranges.size());
    for (const PartRange& range : ranges)
      wanted.push_back({in->offset[range.first], in->offset[range.last]});
    const EdgeRange& mine = wanted[static_cast<std::size_t>(ctx.group().rank())];
    entering = Array<VertexId>(size_of(mine), ctx.host_memory());
    redistribute(ctx, owned, in->target, wanted, entering.data());
    others.target = entering.data();
    others.range = {out.range.first, out.range.last, mine.begin, mine.end};
  }
  const auto each_neighbor = [&](VertexId u, const auto& neighbor) {
    graph::each_neighbor(list_of(out, u), in ? list_of(others, u) : std::span<const VertexId>(), u,
                         neighbor);
  };
  const VertexId n = out.vertices;
  const Places low{0, out.range.first, out.range.last};
  if (!mutual)
    return orient_places(ctx, n, std::span(&low, 1), ranges, [&](VertexId u, const auto& neighbor) {
      each_neighbor(u, [&](VertexId v, bool) { neighbor(v); });
    });
  // As graph::orient_mutual() has it.
  const Places both[] = {low, {n, n + out.range.first, n + out.range.last}};
  return orient_places(ctx, 2 * n, both, ranges, [&](VertexId u, const auto& neighbor) {
    if (u >= n) return each_neighbor(u - n, [&](VertexId v, bool) { neighbor(v); });
    each_neighbor(u, [&](VertexId v, bool both_ways) {
      if (both_ways) neighbor(v);
    });
    each_neighbor(u, [&](VertexId v, bool) { neighbor(n + v); });
  });
}

}  // namespace fathom::detail
