#include "fathom/reorder/queries.hpp"

#include <algorithm>

#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/core/bits.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {

void each_list(const Context& ctx, const Graph& graph,
               FunctionRef<void(VertexId, std::span<const VertexId>)> list) {
  const auto reader = graph.out().read_lists();
  std::vector<VertexId> targets;
  for (VertexId u = 0; u < graph.vertices(); ++u) {
    if (u % kVertexGrain == 0) ctx.task().check();
    targets.clear();
    targets.reserve(static_cast<std::size_t>(
        std::min<EdgeId>(reader->degree(u), std::size_t{graph.vertices()})));
    reader->read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i)
        if (targets.empty() || targets.back() != span.target(i)) targets.push_back(span.target(i));
    });
    if (!targets.empty()) list(u, targets);
  }
}

QueryCounts count_queries(const Context& ctx, const Graph& graph) {
  QueryCounts count{Array<VertexId>(graph.vertices(), 0, ctx.host_memory())};
  each_list(ctx, graph, [&](VertexId, std::span<const VertexId> targets) {
    for (const VertexId v : targets) ++count.of[v];
    count.longest = std::max(count.longest, targets.size());
  });
  return count;
}

NeighbourQueries::NeighbourQueries(const Context& ctx, const Graph& graph,
                                   std::span<const VertexId> members,
                                   std::span<const VertexId> counts)
    : offset_(members.size() + 2, ctx.host_memory()), queries_(graph.vertices()) {
  // offset_[i + 1] is where the next entry of member i goes, and in the end where they end.
  offset_[0] = offset_[1] = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    offset_[i + 2] = offset_[i + 1] + counts[members[i]];
  query_ = Array<VertexId>(offset_[members.size() + 1], ctx.host_memory());
  Array<VertexId> slot(graph.vertices(), kNoVertex, ctx.host_memory());
  for (std::size_t i = 0; i < members.size(); ++i) slot[members[i]] = static_cast<VertexId>(i);
  each_list(ctx, graph, [&](VertexId u, std::span<const VertexId> targets) {
    for (const VertexId v : targets)
      if (slot[v] != kNoVertex) query_[offset_[slot[v] + std::size_t{1}]++] = u;
  });
}

std::size_t NeighbourQueries::rename(std::span<const VertexId> slots,
                                     const std::shared_ptr<MemoryPool>& pool) {
  // The new name of a query is how many smaller ones there are: bits, and their sum before each
  // word.
  const std::size_t words = queries_ / 64 + 1;
  Array<std::uint64_t> met(words, 0, pool);
  Array<VertexId> before(words, pool);
  for (const VertexId s : slots)
    each(s, [&](VertexId q) { met[q / 64] |= std::uint64_t{1} << q % 64; });
  VertexId sum = 0;
  for (std::size_t w = 0; w < words; ++w) {
    before[w] = sum;
    sum += count_bits(met[w]);
  }
  for (const VertexId s : slots)
    for (EdgeId e = offset_[s]; e < offset_[s + std::size_t{1}]; ++e) {
      VertexId& q = query_[e];
      q = before[q / 64] + count_bits(met[q / 64] & ((std::uint64_t{1} << q % 64) - 1));
    }
  return sum;
}

LevelQueries::LevelQueries(const Context& ctx, const Graph& graph,
                           std::span<const VertexId> sources)
    : pool_(ctx.host_memory()),
      vertices_(graph.vertices()),
      level_(vertices_ * sources.size(), pool_) {
  std::size_t batch = std::min(sources.size(), MultiSearch::kMost);
  while (first_.size() < sources.size()) {
    batch = std::min(batch, sources.size() - first_.size());
    MultiBfsResult search;
    try {
      search = multi_bfs(ctx, graph, sources.subspan(first_.size(), batch));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit || batch == 1) throw;
      batch /= 2;
      continue;
    }
    const std::size_t done = first_.size(), all = sources.size();
    const std::uint32_t deepest =
        *std::max_element(search.max_depth.begin(), search.max_depth.end());
    const std::size_t width = deepest < 0xff ? 1 : deepest < 0xffff ? 2 : 4;
    if (width > width_) widen(width, done, all);
    with_word(width_, [&]<class Word>(Word) {
      auto* const level = reinterpret_cast<Word*>(level_.data());
      parallel_for(ctx.threads(), vertices_, kVertexGrain,
                   [&](std::size_t first, std::size_t last, int) {
                     for (std::size_t i = 0; i < batch; ++i) {
                       const auto depth = search.depths(i);  // unreached: all ones, in any width
                       for (std::size_t v = first; v < last; ++v)
                         level[v * all + done + i] = static_cast<Word>(depth[v]);
                     }
                   });
    });
    for (const std::uint32_t deep : search.max_depth) {
      first_.push_back(queries_);
      queries_ += deep + 1;
    }
  }
}

void LevelQueries::widen(std::size_t width, std::size_t done, std::size_t all) {
  const std::size_t entries = level_.size() / width_;
  Array<std::byte> wide(entries * width, pool_);
  with_word(width_, [&]<class Narrow>(Narrow) {
    with_word(width, [&]<class Wide>(Wide) {
      const auto* const from = reinterpret_cast<const Narrow*>(level_.data());
      auto* const to = reinterpret_cast<Wide*>(wide.data());
      // Of sources to come nothing is there.
      for (std::size_t i = 0; i < entries; ++i)
        if (i % all < done)
          to[i] = from[i] == static_cast<Narrow>(~Narrow{0}) ? static_cast<Wide>(~Wide{0})
                                                             : static_cast<Wide>(from[i]);
    });
  });
  level_ = std::move(wide);
  width_ = width;
}

}  // namespace fathom::reorder
