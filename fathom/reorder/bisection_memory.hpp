// Recursive bisection of vertices whose queries are in memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/reorder/bisection_moves.hpp"
#include "fathom/reorder/queries.hpp"

namespace fathom::reorder {

/// Whether so much can be had now; caches give way.
inline bool has_room(MemoryPool& pool, std::size_t bytes) {
  try {
    pool.reserve(bytes);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return false;
  }
  pool.unreserve(bytes);
  return true;
}

/// Bisects parts of an order and their halves and so on, down to leaves.
///
/// Parts of many vertices one by one, each by a team; then each of the smaller ones, with all that
/// it is split into, by one worker: its queries are renamed, so that what is counted per query
/// stays in a core's cache. Both ways give the same order.
template <class Queries>
class MemoryBisection {
 public:
  MemoryBisection(const Context& ctx, Queries& queries, const BisectionCosts& costs)
      : ctx_(ctx), queries_(queries), costs_(costs) {}

  /// Of one worker for a part of so many vertices with so many entries.
  static std::size_t bytes(std::size_t queries, std::size_t vertices, EdgeId entries) {
    return Space::bytes(Queries::renamed(queries, entries), std::min(vertices, kWide)) +
           Queries::rename_bytes(queries);
  }
  /// Of a team for one of more vertices than one worker takes.
  static std::size_t team_bytes(std::size_t queries, std::size_t vertices) {
    return vertices > kWide ? Space::bytes(queries, vertices) : 0;
  }

  /// @param order  of the slots that `queries` has; of each part a range.
  void run(std::span<VertexId> order, std::vector<Part> parts) {
    const auto depths = static_cast<std::uint64_t>(std::bit_width(order.size()));
    const Task& task = ctx_.task();
    task.begin("bisecting", depths * order.size(), "vertices");
    std::vector<Part> narrow;
    std::uint64_t done = 0;  // depths of vertices
    {
      std::unique_ptr<Space> team;  // the first part is the largest
      while (!parts.empty()) {
        std::vector<Part> wide;
        for (const Part& p : parts)
          if (!p.is_leaf()) (p.size() > kWide ? wide : narrow).push_back(p);
        for (const Part& p : wide) {
          if (!team)
            team = std::make_unique<Space>(queries_.queries(), p.size() + 1, ctx_.host_memory());
          split(order.subspan(p.first, p.size()), *team, ctx_.threads());
          task.at(done += p.size());
        }
        parts = halves_of(wide);
      }
    }
    EdgeId entries = 0;
    for (const Part& p : narrow) entries = std::max(entries, entries_of(order, p));
    const std::size_t each = bytes(queries_.queries(), kWide, entries);
    int workers = ctx_.threads();
    while (workers > 1 && !has_room(*ctx_.host_memory(), static_cast<std::size_t>(workers) * each))
      --workers;
    std::atomic<std::uint64_t> finished{done};
    const std::uint64_t left = depths * order.size() - done;
    parallel_for(workers, narrow.size(), 1, [&](std::size_t i, std::size_t, int worker) {
      const Part& p = narrow[i];
      subtree(order.subspan(p.first, p.size()));
      finished.fetch_add(left / order.size() * p.size(), std::memory_order_relaxed);
      if (worker == 0) task.at(finished.load(std::memory_order_relaxed));
    });
    task.end();
  }

 private:
  static constexpr std::size_t kWide = std::size_t{1} << 15;  // parts of more are worth a team
  static constexpr std::size_t kGrain = std::size_t{1} << 11;

  /// What one bisection at a time needs; counts are all zero between bisections.
  struct Space {
    Space(std::size_t queries, std::size_t vertices, const std::shared_ptr<MemoryPool>& pool)
        : count(queries, HalfCounts{}, pool),
          met(queries, pool),
          move(vertices, pool),
          scratch(vertices - vertices / 2, pool) {}
    static std::size_t bytes(std::size_t queries, std::size_t vertices) {
      return queries * (sizeof(HalfCounts) + sizeof(VertexId)) +
             (vertices + vertices / 2 + 2) * sizeof(Move);
    }
    Array<HalfCounts> count;
    Array<VertexId> met;  // queries of the part
    Array<Move> move, scratch;
  };

  EdgeId entries_of(std::span<const VertexId> order, const Part& part) const {
    EdgeId sum = 0;
    for (std::size_t i = part.first; i < part.last; ++i) sum += queries_.entries(order[i]);
    return sum;
  }

  /// A part with all that it is split into, by the calling worker.
  void subtree(std::span<VertexId> part) {
    Space space(queries_.rename(part, ctx_.host_memory()), part.size(), ctx_.host_memory());
    std::vector<Part> open{{0, part.size()}};
    while (!open.empty()) {
      const Part p = open.back();
      open.pop_back();
      split(part.subspan(p.first, p.size()), space, 1);
      for (const Part& half : halves_of({p}))
        if (!half.is_leaf()) open.push_back(half);
    }
  }

  /// One bisection.
  void split(std::span<VertexId> part, Space& w, int workers) {
    const Part all{0, part.size()};
    const std::size_t met = count(part, w, workers);
    for (int i = 0; i < kBisectionIterations; ++i) {
      ctx_.task().check();
      find_moves(part, w, workers);
      const std::size_t pairs = pair_up(all, w.move.data(), w.scratch.data(), workers);
      if (pairs == 0) break;
      exchange(part, w, pairs, workers);
    }
    for (std::size_t m = 0; m < met; ++m) w.count[w.met[m]] = {};
  }

  /// Returns the number of queries.
  std::size_t count(std::span<const VertexId> part, Space& w, int workers) {
    const std::size_t half = part.size() / 2;
    std::size_t met = 0;
    if (workers == 1) {
      for (std::size_t i = 0; i < part.size(); ++i)
        queries_.each(part[i], [&](VertexId q) {
          HalfCounts& c = w.count[q];
          if (c.left + c.right == 0) w.met[met++] = q;
          ++(i < half ? c.left : c.right);
        });
      return met;
    }
    parallel_for(workers, part.size(), kGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i)
        queries_.each(part[i], [&](VertexId q) {
          HalfCounts& c = w.count[q];
          AtomicRef(i < half ? c.left : c.right).fetch_add(1u);
        });
    });
    for (std::size_t q = 0; q < w.count.size(); ++q)
      if (w.count[q].left + w.count[q].right > 0) w.met[met++] = static_cast<VertexId>(q);
    return met;
  }

  void find_moves(std::span<const VertexId> part, Space& w, int workers) {
    const std::size_t half = part.size() / 2;
    const std::int32_t halves = costs_.of_halves({0, part.size()});
    const HalfCounts* const count = w.count.data();
    parallel_for(workers, part.size(), kGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        std::int64_t gain = 0;
        if (i < half)
          queries_.each(part[i], [&](VertexId q) {
            gain += costs_.gain(halves, count[q].left, count[q].right);
          });
        else
          queries_.each(part[i], [&](VertexId q) {
            gain += costs_.gain(-halves, count[q].right, count[q].left);
          });
        w.move[i] = {Move::key_of(static_cast<float>(gain)),
                     static_cast<VertexId>(i < half ? i : i - half)};
      }
    });
  }

  void exchange(std::span<VertexId> part, Space& w, std::size_t pairs, int workers) {
    const std::size_t half = part.size() / 2;
    const auto change = [&](VertexId v, std::uint32_t left, std::uint32_t right) {
      queries_.each(v, [&](VertexId q) {
        HalfCounts& c = w.count[q];
        if (workers == 1) {
          c.left += left;
          c.right += right;
        } else {
          AtomicRef(c.left).fetch_add(left);
          AtomicRef(c.right).fetch_add(right);
        }
      });
    };
    parallel_for(workers, pairs, kGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t k = first; k < last; ++k) {
        VertexId& a = part[w.move[k].slot];
        VertexId& b = part[half + w.move[half + k].slot];
        change(a, ~0u, 1u);
        change(b, 1u, ~0u);
        std::swap(a, b);
      }
    });
  }

  const Context& ctx_;
  Queries& queries_;
  const BisectionCosts& costs_;
};

}  // namespace fathom::reorder
