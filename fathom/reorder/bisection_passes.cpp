#include "fathom/reorder/bisection_passes.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "fathom/core/atomic.hpp"
#include "fathom/reorder/queries.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {

BisectionPasses::BisectionPasses(const Context& ctx, const Graph& graph,
                                 const BisectionCosts& costs, std::span<VertexId> order)
    : ctx_(ctx),
      graph_(graph),
      costs_(costs),
      order_(order),
      half_(order.size(), kNoHalf, ctx.host_memory()),
      gain_(order.size(), ctx.host_memory()),
      move_(order.size(), ctx.host_memory()),
      // A right half may have a vertex more than the left one.
      scratch_(order.size() / 2 + order.size() / kBisectionLeaf + 1, ctx.host_memory()) {}

void BisectionPasses::split(const std::vector<Part>& parts) {
  std::fill(half_.begin(), half_.end(), kNoHalf);
  parallel_for(ctx_.threads(), parts.size(), 1, [&](std::size_t p, std::size_t, int) {
    for (std::size_t i = 0; i < parts[p].size(); ++i)
      half_[order_[parts[p].first + i]] =
          static_cast<VertexId>(2 * p + (i < parts[p].half() ? 0 : 1));
  });
  ctx_.task().begin("bisecting in passes", kBisectionIterations, "passes");
  for (int i = 0; i < kBisectionIterations; ++i) {
    find_gains(parts);
    // Few parts by a team each, many side by side.
    const bool side_by_side = parts.size() >= 4 * static_cast<std::size_t>(ctx_.threads());
    const int team = side_by_side ? 1 : ctx_.threads();
    std::atomic<std::size_t> pairs{0};
    parallel_for(side_by_side ? ctx_.threads() : 1, parts.size(), 1,
                 [&](std::size_t p, std::size_t, int) { pairs += exchange(parts[p], p, team); });
    ctx_.task().at(static_cast<std::uint64_t>(i) + 1);
    if (pairs == 0) break;
  }
  ctx_.task().end();
}

void BisectionPasses::find_gains(const std::vector<Part>& parts) {
  std::fill(gain_.begin(), gain_.end(), 0);
  // Tables are as large as the parts are many: of many, few workers have one.
  const std::size_t table = 2 * parts.size();
  const std::size_t fit = order_.size() * kTableBytes / (table * kHalfBytes);
  const int workers =
      static_cast<int>(std::clamp<std::size_t>(fit, 1, static_cast<std::size_t>(ctx_.threads())));
  Array<HalfOfQuery> halves(static_cast<std::size_t>(workers) * table, HalfOfQuery{},
                            ctx_.host_memory());
  std::vector<std::vector<VertexId>> met(static_cast<std::size_t>(workers));
  std::vector<VertexId> block;
  std::vector<std::size_t> end;  // of the lists in the block
  block.reserve(kBlock);
  end.reserve(kLists);
  const auto add = [&](std::span<const VertexId> query, int worker) {
    const auto w = static_cast<std::size_t>(worker);
    add_gains(query, halves.data() + w * table, met[w], parts);
  };
  const auto add_block = [&] {
    parallel_for(workers, end.size(), 64, [&](std::size_t a, std::size_t b, int worker) {
      for (std::size_t i = a; i < b; ++i) {
        const std::size_t first = i == 0 ? 0 : end[i - 1];
        add(std::span<const VertexId>(block).subspan(first, end[i] - first), worker);
      }
    });
    block.clear();
    end.clear();
  };
  each_list(ctx_, graph_, [&](VertexId, std::span<const VertexId> query) {
    if (query.size() >= kBlock) return add(query, 0);
    if (block.size() + query.size() > kBlock || end.size() == kLists) add_block();
    block.insert(block.end(), query.begin(), query.end());
    end.push_back(block.size());
  });
  add_block();
}

void BisectionPasses::add_gains(std::span<const VertexId> query, HalfOfQuery* half,
                                std::vector<VertexId>& met, const std::vector<Part>& parts) {
  for (const VertexId v : query)
    if (const VertexId h = half_[v]; h != kNoHalf && half[h].count++ == 0) met.push_back(h);
  for (const VertexId h : met) {
    const std::int32_t halves = costs_.of_halves(parts[h / 2]);
    half[h].gain = costs_.gain(h % 2 == 0 ? halves : -halves, half[h].count, half[h ^ 1].count);
  }
  for (const VertexId v : query)
    if (const VertexId h = half_[v]; h != kNoHalf)
      AtomicRef(gain_[v]).fetch_add(std::int64_t{half[h].gain});
  for (const VertexId h : met) half[h].count = 0;
  met.clear();
}

std::size_t BisectionPasses::exchange(const Part& part, std::size_t number, int workers) {
  Move* const move = move_.data() + part.first;
  const std::size_t half = part.half();
  parallel_for(workers, part.size(), kVertexGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i)
      move[i] = {Move::key_of(static_cast<float>(gain_[order_[part.first + i]])),
                 static_cast<VertexId>(i < half ? i : i - half)};
  });
  const std::size_t pairs = pair_up(part, move, scratch_.data() + part.first / 2 + number, workers);
  for (std::size_t k = 0; k < pairs; ++k) {
    VertexId& a = order_[part.first + move[k].slot];
    VertexId& b = order_[part.first + half + move[half + k].slot];
    std::swap(half_[a], half_[b]);
    std::swap(a, b);
  }
  return pairs;
}

}  // namespace fathom::reorder
