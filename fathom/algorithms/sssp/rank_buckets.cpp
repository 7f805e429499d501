#include "fathom/algorithms/sssp/rank_buckets.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fathom/algorithms/bfs/rank_codes.hpp"
#include "fathom/algorithms/bfs/rank_levels.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/exec/bitmap.hpp"
#include "fathom/exec/ranks/tell_each.hpp"
#include "fathom/ops/bucket.hpp"

namespace fathom::detail {
namespace {

/// A set of vertices that many put into, and one takes out in ascending order: a bit for each, and
/// one for each 64 words of those.
class MarkedVertices {
 public:
  MarkedVertices(std::size_t vertices, const std::shared_ptr<MemoryPool>& pool)
      : words_(vertices / 64 + 1, 0, pool), blocks_(words_.size() / 64 / 64 + 1, 0, pool) {}

  /// What functors put into it.
  struct Writer {
    std::uint64_t *words, *blocks;
    void mark(VertexId v) const {
      bitmap::mark(words, v);
      bitmap::mark(blocks, v / 64 / 64);
    }
  };
  Writer writer() { return {words_.data(), blocks_.data()}; }

  template <class Visit>
  void take_all(const Visit& visit) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      bitmap::for_each_of(std::exchange(blocks_[b], 0), b * 64, [&](std::size_t block) {
        for (std::size_t w = block * 64; w < std::min(block * 64 + 64, words_.size()); ++w)
          bitmap::for_each_of(std::exchange(words_[w], 0), w * 64,
                              [&](std::size_t v) { visit(static_cast<VertexId>(v)); });
      });
  }

 private:
  Array<std::uint64_t> words_, blocks_;
};

/// Relaxes an edge; own vertices are gone on from, others are to be told.
template <class Length>
struct RelaxOwn {
  static constexpr bool kReadsWeights = true;
  Relax<Length> relax;
  VertexRange own;
  MarkedVertices::Writer others;

  bool visit(VertexId u, VertexId v, Length w) const {
    if (!relax.visit(u, v, w)) return false;
    if (v >= own.first && v < own.last) return true;
    others.mark(v);
    return false;
  }
};

template <class Length>
class RankBuckets {
 public:
  RankBuckets(const Context& ctx, EdgeSource& edges, Length width, Length* length,
              std::uint32_t* bad_weight)
      : ctx_(ctx),
        edges_(edges),
        offset_(edges.offsets(ctx.devices()[0])),
        width_(width),
        length_(length),
        bad_weight_(bad_weight),
        own_(*edges.own_lists()),
        bins_(ctx.threads(), width, ctx.host_memory()),
        others_(edges.vertices(), ctx.host_memory()),
        left_(bitmap::words(edges.vertices()), 0, ctx.host_memory()),
        shown_(ctx, edges.vertices()),
        range_(static_cast<std::size_t>(ctx.ranks())) {
    ctx.group().all_gather(&own_, sizeof own_, range_.data());
    shown_.fill();
    bins_.open(0);
  }

  RankWork run(VertexId source) {
    if (source >= own_.first && source < own_.last) add(source);
    for (Length begin = 0; begin < kFar;) {
      search_from(begin);
      begin = tell_others(begin);
      ctx_.task().check();
    }
    return done_;
  }

 private:
  using Bins = cpu::Bins<Length>;
  static constexpr Length kFar = std::numeric_limits<Length>::infinity();
  /// From where a rank goes on, and whether too much of what it had found was corrected.
  struct Note {
    Length least;
    std::uint32_t corrected;
  };

  void add(VertexId v) {
    if (!bins_.of(0).push(v, length_[v], 0)) leave(v);
  }
  /// Until there is memory for it.
  void leave(VertexId v) {
    left_[v / 64] |= std::uint64_t{1} << v % 64;
    any_left_ = true;
  }

  /// The buckets at `begin`, and those that begin within so many.
  void search_from(Length begin) {
    edges_.sweep(ctx_, shown_, {kWholeList, true}, [&](const Pass& pass) {
      visit_host_edges([&](const auto& view) { search_from(begin, view); }, pass.edges);
    });
  }
  template <EdgeView E>
  void search_from(Length begin, const E& view) {
    const Length end = begin + static_cast<Length>(steps_.count()) * width_;
    const RelaxOwn<Length> relax{{length_, bad_weight_}, own_, others_.writer()};
    cpu::BinDrain drain(ctx_, view, offset_, relax, length_, bins_, left_.data());
    for (;;) {
      const std::size_t bin = lowest(begin);
      if (bin == Bins::kNone) {
        if (!any_left_) return;
        search_from_left(view, relax);
        continue;
      }
      const Length at = bins_.begin_of(bin);
      if (at > begin && at >= end) return;
      const cpu::BinWork work = drain.run(bin);
      done_ = done_ + RankWork{work.vertices, work.edges};
      any_left_ |= work.refused;
    }
  }

  /// From what bins have no memory for at all, in whatever order.
  template <EdgeView E>
  void search_from_left(const E& view, const RelaxOwn<Length>& relax) {
    any_left_ = false;
    over_left([&](VertexId u) {
      done_ = done_ + RankWork{1, offset_[u + 1] - offset_[u]};
      expand(OneLane{}, view, u, relax, [&](const OneLane&, VertexId v, bool lowered) {
        if (lowered) leave(v);
      });
    });
  }
  /// Takes them out.
  template <class Work>
  void over_left(const Work& work) {
    for (std::size_t w = 0; w < left_.size(); ++w)
      bitmap::for_each_of(std::exchange(left_[w], 0), w * 64,
                          [&](std::size_t v) { work(static_cast<VertexId>(v)); });
  }

  /// The lowest bin of those that hold anything, no key being below `begin`; none where nothing is
  /// left to go on from, or no memory for bins.
  std::size_t lowest(Length begin) {
    for (bool again = true;; again = false) {
      if (std::exchange(any_left_, false)) over_left([&](VertexId v) { add(v); });
      const std::size_t bin = bins_.lowest(length_, [&](VertexId v) { leave(v); });
      if (bin != Bins::kNone) return bin;
      bins_.open(begin);
      if (!any_left_ || !again) return Bins::kNone;
    }
  }

  /// Of what this rank goes on from, or less.
  Length least_key(Length begin) {
    const std::size_t bin = lowest(begin);
    Length least = bin == Bins::kNone ? kFar : bins_.begin_of(bin);
    if (any_left_)
      bitmap::for_each_marked(left_.span(), own_,
                              [&](VertexId v) { least = std::min(least, length_[v]); });
    return least;
  }

  /// How near this rank has come to vertices of others, and they to its own, from `begin` on.
  /// Returns the least distance that anybody goes on from; infinity where all is found.
  Length tell_others(Length begin) {
    std::vector<std::vector<std::byte>> told(range_.size());
    Note mine{};
    mine.least = least_key(begin);
    mine.corrected = steps_.take_corrected() ? 1 : 0;
    std::size_t to = 0;
    VertexId before = 0;
    others_.take_all([&](VertexId v) {
      for (; v >= range_[to].last; before = range_[to].first) ++to;
      append_number(told[to], v - before);
      before = v;
      append_value(told[to], length_[v]);
      mine.least = std::min(mine.least, length_[v]);
    });
    Length least = kFar;
    bool corrected = false;
    const std::vector<std::span<const std::byte>> messages(told.begin(), told.end());
    for (const Note& its :
         tell_each<std::uint64_t>(ctx_.group(), mine, messages,
                                  [&](int, std::span<const std::byte> bytes) { receive(bytes); })) {
      least = std::min(least, its.least);
      corrected = corrected || its.corrected != 0;
    }
    steps_.next(corrected);
    return least;
  }

  void receive(std::span<const std::byte> bytes) {
    VertexId v = own_.first;
    for (NumberReader told(bytes); !told.empty();) {
      v += static_cast<VertexId>(told.next());
      const auto length = told.next_value<Length>();
      const bool nearer = length < length_[v];
      steps_.was_told(nearer && length_[v] < kFar);
      if (!nearer) continue;
      length_[v] = length;
      add(v);
    }
  }

  const Context& ctx_;
  EdgeSource& edges_;
  const EdgeId* offset_;
  Length width_;
  Length* length_;
  std::uint32_t* bad_weight_;
  VertexRange own_;
  Bins bins_;                  // own vertices, to go on from
  MarkedVertices others_;      // that this rank has come nearer to since it told
  Array<std::uint64_t> left_;  // bits of own vertices that bins had no memory for
  bool any_left_ = false;
  Frontier shown_;
  std::vector<VertexRange> range_;
  RankSteps steps_;
  RankWork done_;
};

}  // namespace

bool finds_paths_by_rank(const Context& ctx, const Graph& graph) {
  if (ctx.ranks() == 1 || ctx.separate() || ctx.devices().size() > 1 || graph.vertices() == 0 ||
      graph.edges() / kMostEdgesOfLong > graph.vertices())
    return false;
  bool fits = graph.out().own_lists().has_value();
  try {
    const std::size_t slabs = static_cast<std::size_t>(ctx.threads()) * cpu::kBlocksOfSlab;
    const Array<cpu::BinBlock<double>> first(fits ? slabs : 0, ctx.host_memory());
    const MarkedVertices others(fits ? graph.vertices() : 0, ctx.host_memory());
    const Array<std::uint64_t> left(fits ? bitmap::words(graph.vertices()) : 0, ctx.host_memory());
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    fits = false;
  }
  return least_among_ranks(ctx, fits ? 1 : 0) == 1;
}

template <class Length>
RankWork shortest_paths_by_rank(const Context& ctx, EdgeSource& edges, VertexId source,
                                Length width, VertexArray<Length, MergeMin>& distance,
                                std::uint32_t* bad_weight) {
  Length* const length = distance.on(ctx.devices()[0]);
  const RankWork mine = RankBuckets<Length>(ctx, edges, width, length, bad_weight).run(source);
  distance.share(*edges.own_lists());
  return sum_among_ranks(ctx, mine);
}

template RankWork shortest_paths_by_rank<float>(const Context&, EdgeSource&, VertexId, float,
                                                VertexArray<float, MergeMin>&, std::uint32_t*);
template RankWork shortest_paths_by_rank<double>(const Context&, EdgeSource&, VertexId, double,
                                                 VertexArray<double, MergeMin>&, std::uint32_t*);

}  // namespace fathom::detail
