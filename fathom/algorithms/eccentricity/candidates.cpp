#include "fathom/algorithms/eccentricity/candidates.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

constexpr VertexId kSmall = 64;  // vertices of a component that are searched from all together
constexpr VertexId kOfSmall = kNoVertex - 1;  // for a part while components are sorted
// Vertices that could be as far as the farthest open one are all searched from when they are at
// most this many batches, and fewer than the open ones: then nobody else can be.
constexpr std::size_t kBatchesFromTheTop = 16;
// More components than these are looked through by one worker: others would have tallies of their
// own of each.
constexpr std::size_t kFewParts = 256;

/// Calls each(tallies, v) for every vertex, where workers have tallies of their own, and then
/// join(tallies) for each worker's. What is joined does not depend on who saw which vertex.
template <class Tally, class Each, class Join>
void over_vertices(int workers, std::size_t vertices, const std::vector<Tally>& begin,
                   const Each& each, const Join& join) {
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  std::vector<std::vector<Tally>> tallies(static_cast<std::size_t>(workers), begin);
  parallel_for(workers, vertices, kGrain, [&](std::size_t first, std::size_t last, int worker) {
    std::vector<Tally>& mine = tallies[static_cast<std::size_t>(worker)];
    for (std::size_t v = first; v < last; ++v) each(mine, static_cast<VertexId>(v));
  });
  for (const std::vector<Tally>& its : tallies) join(its);
}

}  // namespace

Candidates::Candidates(const Context& ctx, Array<VertexId> label, bool extremes)
    : lower(label.size(), 0, ctx.host_memory()),
      upper(label.size(), ~std::uint32_t{0}, ctx.host_memory()),
      sum(label.size(), 0, ctx.host_memory()),
      threads_(ctx.threads()),
      extremes_(extremes),
      part_(label.size(), 0, ctx.host_memory()),
      searched_(label.size(), false),
      in_largest_(label.size(), false) {
  // At the first vertex of each component: its size, then its part.
  for (const VertexId first : label) ++part_[first];
  const auto largest =
      static_cast<VertexId>(std::max_element(part_.begin(), part_.end()) - part_.begin());
  const auto n = static_cast<VertexId>(label.size());
  for (VertexId v = 0; v < n; ++v) {
    if (label[v] != v) continue;
    const VertexId size = part_[v];
    part_[v] = kNoVertex;
    if (size == 1 || (extremes && v != largest)) continue;
    if (size <= kSmall) {
      part_[v] = kOfSmall;
    } else {
      part_[v] = static_cast<VertexId>(parts_.size());
      parts_.push_back({.first = v});
    }
  }
  for (VertexId v = 0; v < n; ++v) {
    in_largest_[v] = label[v] == largest;
    part_[v] = part_[label[v]];
    if (part_[v] == kOfSmall) small_.push_back(v);
  }
  sort_small(label);
  if (parts_.size() > kFewParts) threads_ = 1;
}

void Candidates::sort_small(const Array<VertexId>& label) {
  std::stable_sort(small_.begin(), small_.end(),
                   [&](VertexId u, VertexId v) { return label[u] < label[v]; });
  search_.resize(small_.size());
  for (std::size_t i = 0; i < small_.size(); ++i) {
    const bool first = i == 0 || label[small_[i]] != label[small_[i - 1]];
    search_[i] = first ? std::uint8_t{0} : static_cast<std::uint8_t>(search_[i - 1] + 1);
    part_[small_[i]] = kNoVertex;
  }
}

Candidates::Everywhere Candidates::everywhere(std::size_t most) {
  Everywhere next;
  for (; done_ < small_.size(); ++done_) {
    if (search_[done_] == 0 && next.vertex.size() >= most) break;
    next.vertex.push_back(small_[done_]);
    next.search.push_back(SearchSet{1} << search_[done_]);
  }
  return next;
}

std::uint32_t Candidates::farthest() const {
  std::uint32_t most = 0;
  for (const Part& part : parts_) most = std::max(most, part.unsearched);
  return most;
}

std::vector<VertexId> Candidates::next(std::size_t most) {
  std::vector<VertexId> picked;
  begin(most, picked);
  if (picked.empty()) {
    cap();
    count_open();
    pick(most, picked);
    std::sort(picked.begin(), picked.end());
    picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  }
  for (const VertexId v : picked) searched_[v] = true;
  return picked;
}

/// Each part from its first vertex: what tells the others apart.
void Candidates::begin(std::size_t most, std::vector<VertexId>& picked) {
  for (Part& part : parts_) {
    if (part.begun || picked.size() == most) continue;
    part.begun = true;
    picked.push_back(part.first);
  }
}

/// The distance to what was searched from is in the lower bound; that to any other vertex is within
/// this one's upper bound.
void Candidates::cap() {
  std::vector<std::uint32_t> before;
  for (Part& part : parts_) before.push_back(std::exchange(part.unsearched, 0));
  over_vertices(
      threads_, part_.size(), std::vector<std::uint32_t>(parts_.size(), 0),
      [&](std::vector<std::uint32_t>& unsearched, VertexId v) {
        const VertexId p = part_[v];
        if (p == kNoVertex) return;
        upper[v] = std::min(upper[v], std::max(lower[v], before[p]));
        if (!searched_[v]) unsearched[p] = std::max(unsearched[p], upper[v]);
      },
      [&](const std::vector<std::uint32_t>& unsearched) {
        for (std::size_t p = 0; p < parts_.size(); ++p)
          parts_[p].unsearched = std::max(parts_[p].unsearched, unsearched[p]);
      });
  struct Extremes {
    std::uint32_t diameter = 0, radius = ~std::uint32_t{0};
  };
  for (Part& part : parts_) {
    part.diameter = Extremes().diameter;
    part.radius = Extremes().radius;
  }
  over_vertices(
      threads_, part_.size(), std::vector<Extremes>(parts_.size()),
      [&](std::vector<Extremes>& extremes, VertexId v) {
        const VertexId p = part_[v];
        if (p == kNoVertex) return;
        upper[v] = std::min(upper[v], std::max(lower[v], parts_[p].unsearched));
        extremes[p].diameter = std::max(extremes[p].diameter, lower[v]);
        extremes[p].radius = std::min(extremes[p].radius, upper[v]);
      },
      [&](const std::vector<Extremes>& extremes) {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
          parts_[p].diameter = std::max(parts_[p].diameter, extremes[p].diameter);
          parts_[p].radius = std::min(parts_[p].radius, extremes[p].radius);
        }
      });
}

bool Candidates::open(VertexId v) const {
  if (lower[v] == upper[v]) return false;
  const Part& part = parts_[part_[v]];
  return !extremes_ || upper[v] > part.diameter || lower[v] < part.radius;
}

void Candidates::count_open() {
  struct Open {
    std::size_t open = 0;
    std::uint32_t top = 0;
  };
  for (Part& part : parts_) part.open = part.above = part.top = 0;
  over_vertices(
      threads_, part_.size(), std::vector<Open>(parts_.size()),
      [&](std::vector<Open>& tally, VertexId v) {
        if (part_[v] == kNoVertex || !open(v)) return;
        Open& its = tally[part_[v]];
        ++its.open;
        its.top = std::max(its.top, upper[v]);
      },
      [&](const std::vector<Open>& tally) {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
          parts_[p].open += tally[p].open;
          parts_[p].top = std::max(parts_[p].top, tally[p].top);
        }
      });
  over_vertices(
      threads_, part_.size(), std::vector<std::size_t>(parts_.size(), 0),
      [&](std::vector<std::size_t>& above, VertexId v) {
        if (part_[v] != kNoVertex && !searched_[v] && upper[v] >= parts_[part_[v]].top)
          ++above[part_[v]];
      },
      [&](const std::vector<std::size_t>& above) {
        for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].above += above[p];
      });
}

/// The best few by a rank, smallest first; the worst of them on top of a heap.
class Candidates::Picks {
 public:
  using Rank = std::tuple<std::uint32_t, std::uint32_t, VertexId>;
  void offer(std::size_t most, const Rank& rank) {
    if (heap_.size() == most) {
      if (most == 0 || rank >= heap_.front()) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(rank);
    std::push_heap(heap_.begin(), heap_.end());
  }
  /// The best of both.
  void offer(std::size_t most, const Picks& others) {
    for (const Rank& rank : others.heap_) offer(most, rank);
  }
  void add_to(std::vector<VertexId>& picked) const {
    for (const Rank& rank : heap_) picked.push_back(std::get<2>(rank));
  }

 private:
  std::vector<Rank> heap_;
};

/// Half of them the likely farthest, half of them the likely nearest.
void Candidates::pick(std::size_t most, std::vector<VertexId>& picked) {
  const auto parts = static_cast<std::size_t>(
      std::count_if(parts_.begin(), parts_.end(), [](const Part& p) { return p.open > 0; }));
  if (parts == 0) return;
  const std::size_t share = std::max<std::size_t>(2, most / parts);
  std::size_t left = most / share;  // parts that get one
  struct Sides {
    std::size_t far = 0, near = 0;
    bool from_the_top = false;
    Picks farthest = {}, nearest = {};
  };
  std::vector<Sides> sides(parts_.size());
  for (std::size_t p = 0; p < parts_.size() && left > 0; ++p) {
    if (parts_[p].open == 0) continue;
    --left;
    sides[p].from_the_top = parts_[p].above <= std::min(kBatchesFromTheTop * share, parts_[p].open);
    sides[p].far = (share + 1) / 2;
    sides[p].near = share / 2;
  }
  over_vertices(
      threads_, part_.size(), sides,
      [&](std::vector<Sides>& mine, VertexId v) {
        if (part_[v] == kNoVertex || searched_[v]) return;
        Sides& its = mine[part_[v]];
        if (its.far == 0) return;
        const bool is_open = open(v);
        if (its.from_the_top ? upper[v] >= parts_[part_[v]].top : is_open)
          its.farthest.offer(its.far, {~upper[v], ~sum[v], v});
        if (is_open) its.nearest.offer(its.near, {lower[v], sum[v], v});
      },
      [&](const std::vector<Sides>& others) {
        for (std::size_t p = 0; p < sides.size(); ++p) {
          sides[p].farthest.offer(sides[p].far, others[p].farthest);
          sides[p].nearest.offer(sides[p].near, others[p].nearest);
        }
      });
  for (const Sides& its : sides) {
    its.farthest.add_to(picked);
    its.nearest.add_to(picked);
  }
}

}  // namespace fathom
