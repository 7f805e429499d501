#include "fathom/algorithms/bfs/rank_levels.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "fathom/algorithms/bfs/rank_codes.hpp"
#include "fathom/algorithms/bfs/rank_steps.hpp"
#include "fathom/algorithms/multi_search/search_lists.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/ranks/tell_each.hpp"

namespace fathom::detail {
namespace {

/// The lists of this rank's vertices, in memory, where they stay. Nothing: it has none, or they are
/// seen otherwise.
std::optional<FlatEdges> own_edges(const Context& ctx, const Graph& graph) {
  std::optional<FlatEdges> edges;
  Frontier all(ctx, graph.vertices());
  all.fill();
  graph.out().sweep(ctx, all, {}, [&](const Pass& pass) {
    if (const auto* const flat = std::get_if<FlatEdges>(&pass.edges)) edges = *flat;
  });
  return edges;
}

/// depth[0 .. vertices), 0 at the sources and kUnreached elsewhere, becomes that of this rank's own
/// vertices; so does `parent`, unless it is null.
class RankLevels {
 public:
  RankLevels(const Context& ctx, const Graph& graph, std::uint32_t limit, std::uint32_t* depth,
             VertexId* parent)
      : ctx_(ctx),
        group_(ctx.group()),
        limit_(limit),
        depth_(depth),
        parent_(parent),
        own_(*graph.out().own_lists()),
        edges_(own_edges(ctx, graph)),
        worker_(static_cast<std::size_t>(ctx.threads())),
        first_of_(static_cast<std::size_t>(ctx.ranks())) {
    group_.all_gather(&own_.first, sizeof own_.first, first_of_.data());
  }

  RankWork run(std::span<const VertexId> sources) {
    for (const VertexId s : sources)
      if (limit_ > 0 && is_own(s)) found_[0].push_back(s);
    std::uint32_t begin = 0;
    for (;;) {
      for (std::uint32_t level = begin; level < limit_ && level - begin < steps_.count(); ++level)
        search_from(level);
      const std::optional<std::uint32_t> next = tell_others();
      if (!next) return done_;
      begin = *next;
      ctx_.task().check();
    }
  }

 private:
  struct Worker {
    std::vector<VertexId> own, others;  // found
    std::uint64_t edges = 0;
  };
  /// From where a rank goes on, and whether too much of what it had found was corrected.
  struct Note {
    std::uint32_t least, corrected;
  };
  bool is_own(VertexId v) const { return v >= own_.first && v < own_.last; }

  /// Those at this depth; what has been found nearer meanwhile was searched from there.
  void search_from(std::uint32_t level) {
    const auto at = found_.find(level);
    if (at == found_.end()) return;
    const std::vector<VertexId> now = std::move(at->second);
    found_.erase(at);
    constexpr std::size_t kGrain = 256;
    parallel_for(ctx_.threads(), now.size(), kGrain,
                 [&](std::size_t first, std::size_t last, int worker) {
                   Worker& its = worker_[static_cast<std::size_t>(worker)];
                   for (std::size_t i = first; i < last; ++i)
                     if (AtomicRef(depth_[now[i]]).load() == level) visit(now[i], level + 1, its);
                 });
    done_.vertices += now.size();
    std::vector<VertexId> next;
    for (Worker& its : worker_) {
      next.insert(next.end(), its.own.begin(), its.own.end());
      others_.insert(others_.end(), its.others.begin(), its.others.end());
      done_.edges += its.edges;
      its.own.clear();
      its.others.clear();
      its.edges = 0;
    }
    if (next.empty() || level + 1 == limit_) return;
    std::vector<VertexId>& before = found_[level + 1];
    before.insert(before.end(), next.begin(), next.end());
  }

  void visit(VertexId u, std::uint32_t next, Worker& its) {
    auto cursor = edges_->begin(u);
    for (PlainSpan span; edges_->next(cursor, span);)
      for (std::uint32_t i = 0; i < span.size; ++i) {
        const VertexId v = span.target(i);
        ++its.edges;
        std::uint32_t known = AtomicRef(depth_[v]).load();
        while (known > next &&
               !AtomicRef(depth_[v]).compare_exchange(known, next, Order::Relaxed)) {
        }
        if (known <= next) continue;
        if (parent_) AtomicRef(parent_[v]).store(u);
        (is_own(v) ? its.own : its.others).push_back(v);
      }
  }

  std::size_t owner_of(VertexId v) const {
    return static_cast<std::size_t>(std::upper_bound(first_of_.begin(), first_of_.end(), v) -
                                    first_of_.begin() - 1);
  }

  /// What was found of each other rank's vertices, and what they have found of this one's. Returns
  /// the least depth that anybody goes on from; nothing where all is found.
  std::optional<std::uint32_t> tell_others() {
    const auto ranks = static_cast<std::size_t>(group_.ranks());
    std::sort(others_.begin(), others_.end());
    others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
    std::vector<std::vector<std::byte>> told(ranks);
    std::uint32_t least = found_.empty() ? kUnreached : found_.begin()->first;
    for (std::size_t i = 0; i < others_.size();) {
      const std::size_t to = owner_of(others_[i]);
      FoundWriter writer(told[to], parent_ != nullptr);
      for (; i < others_.size() && owner_of(others_[i]) == to; ++i) {
        const VertexId v = others_[i];
        writer.add(v, depth_[v], parent_ ? parent_[v] : kNoVertex);
        least = std::min(least, depth_[v]);
      }
    }
    others_.clear();
    std::vector<std::span<const std::byte>> messages;
    for (const auto& bytes : told) {
      if (bytes.size() > ~std::uint32_t{0})
        throw Error(ErrorCode::DoesNotFit,
                    "a search comes to more of another rank's vertices than fit one message of " +
                        format_bytes(~std::uint32_t{0}) + "; --direction push tells every level");
      messages.emplace_back(bytes);
    }
    const Note mine{least, steps_.take_corrected() ? 1u : 0u};
    bool corrected = false;
    for (const Note& its :
         tell_each<std::uint32_t>(group_, mine, messages,
                                  [&](int, std::span<const std::byte> bytes) { receive(bytes); })) {
      least = std::min(least, its.least);
      corrected = corrected || its.corrected != 0;
    }
    if (least == kUnreached) return std::nullopt;
    steps_.next(corrected);
    return least;
  }

  void receive(std::span<const std::byte> told) {
    FoundReader reader(told, parent_ != nullptr);
    while (const auto found = reader.next()) {
      std::uint32_t& known = depth_[found->vertex];
      const bool nearer = found->depth < known;
      steps_.was_told(nearer && known != kUnreached);
      if (!nearer) continue;
      known = found->depth;
      if (parent_) parent_[found->vertex] = found->parent;
      if (known < limit_) found_[known].push_back(found->vertex);
    }
  }

  const Context& ctx_;
  ReplicaGroup& group_;
  std::uint32_t limit_;
  std::uint32_t* depth_;
  VertexId* parent_;
  VertexRange own_;
  std::optional<FlatEdges> edges_;  // none: no vertex is this rank's
  std::vector<Worker> worker_;
  std::vector<VertexId> first_of_;                        // each rank's first vertex
  std::map<std::uint32_t, std::vector<VertexId>> found_;  // own ones, to search from, by depth
  std::vector<VertexId> others_;                          // found since they were told
  RankSteps steps_;
  RankWork done_;
};

/// Depths of each rank's own vertices become those of all.
void share_depths(const Context& ctx, VertexRange own, std::uint32_t* depth) {
  ReplicaGroup& group = ctx.group();
  std::vector<VertexRange> ranges(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&own, sizeof own, ranges.data());
  const std::vector<std::byte> mine = encode_depths({depth + own.first, own.size()});
  const Pieces pieces = group.all_gather(mine, ctx.host_memory());
  for (int r = 0; r < group.ranks(); ++r) {
    const VertexRange& its = ranges[static_cast<std::size_t>(r)];
    if (r != group.rank()) decode_depths(pieces.of(r), {depth + its.first, its.size()});
  }
}

}  // namespace

bool searches_by_rank(const Context& ctx, const Graph& graph) {
  if (ctx.ranks() == 1 || ctx.separate() || graph.vertices() == 0 ||
      graph.edges() / kMostEdgesOfLong > graph.vertices())
    return false;
  const auto own = graph.out().own_lists();
  const bool fits = own && (own->size() == 0 || own_edges(ctx, graph));
  return least_among_ranks(ctx, fits ? 1 : 0) == 1;
}

BfsResult bfs_by_rank(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                      const BfsOptions& options) {
  const VertexId n = graph.vertices();
  const RunLists lists(ctx, bfs_state(options.parents, false), search_lists(graph, false, false));
  Recorder record(ctx, graph.traffic());
  VertexArray<std::uint32_t> depths(ctx, n, kUnreached);
  VertexArray<VertexId> parents(ctx, options.parents ? n : 0, kNoVertex);
  for (const VertexId s : sources) {
    depths.set(s, 0);
    if (options.parents) parents.set(s, s);
  }
  std::uint32_t* const depth = depths.on(ctx.devices()[0]);
  VertexId* const parent = options.parents ? parents.on(ctx.devices()[0]) : nullptr;
  const RankWork mine = RankLevels(ctx, graph, options.depth_limit, depth, parent).run(sources);
  const VertexRange own = *graph.out().own_lists();
  share_depths(ctx, own, depth);
  if (options.parents) parents.share(own);
  const RankWork all = sum_among_ranks(ctx, mine);
  record.step(all.vertices, all.edges, "local", graph.traffic());

  struct Reached {
    VertexId vertices = 0;
    std::uint32_t farthest = 0;
  };
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const Reached reached = parallel_reduce(
      ctx.threads(), n, kGrain, Reached(),
      [&](std::size_t first, std::size_t last) {
        Reached its;
        for (std::size_t v = first; v < last; ++v) {
          if (depth[v] == kUnreached) continue;
          ++its.vertices;
          its.farthest = std::max(its.farthest, depth[v]);
        }
        return its;
      },
      [](const Reached& a, const Reached& b) {
        return Reached{a.vertices + b.vertices, std::max(a.farthest, b.farthest)};
      });
  BfsResult result;
  result.reached = reached.vertices;
  result.max_depth = reached.farthest;
  result.report = record.finish();
  result.depth = std::move(depths).take();
  if (options.parents) result.parent = std::move(parents).take();
  return result;
}

}  // namespace fathom::detail
