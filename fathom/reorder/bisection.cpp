#include "fathom/reorder/bisection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {
namespace {

constexpr int kIterations = 20;
constexpr std::size_t kLeaf = 8;                     // vertices that are not split further
constexpr std::size_t kWide = std::size_t{1} << 15;  // parts of more are worth a team
constexpr std::size_t kGrain = std::size_t{1} << 11;

/// log2 of small numbers, the most frequent by far.
class Logarithms {
 public:
  Logarithms() {
    for (std::size_t i = 1; i < small_.size(); ++i) small_[i] = std::log2(static_cast<float>(i));
  }
  float operator()(std::size_t x) const {
    return x < small_.size() ? small_[x] : std::log2(static_cast<float>(x));
  }

 private:
  std::array<float, 4096> small_{};
};

/// A query as a part sees it.
struct Query {
  std::uint32_t left = 0, right = 0;    // its vertices in each half
  float gain_right = 0, gain_left = 0;  // of moving one there
};

struct Move {
  std::uint32_t key;  // ascending keys: descending gains
  float gain;
  VertexId slot;  // in the part
};

/// Larger numbers have smaller keys.
std::uint32_t descending(float gain) {
  const auto bits = std::bit_cast<std::uint32_t>(gain);
  return bits >> 31 != 0 ? bits : ~(bits | 0x80000000u);
}

/// What one bisection at a time needs; `query` is all zero between bisections.
struct Workspace {
  explicit Workspace(std::size_t queries) : query(queries) {}
  std::vector<Query> query;
  std::vector<VertexId> met;  // queries of the part
  std::vector<Move> move, scratch;
};

/// One bisection of the part order[first, last), by `workers`.
class Bisection {
 public:
  Bisection(const QueryIndex& index, const Logarithms& log, std::span<VertexId> part, Workspace& w,
            int workers)
      : index_(index), log_(log), part_(part), w_(w), workers_(workers), half_(part.size() / 2) {}

  void run(const Task& task) {
    count();
    for (int i = 0; i < kIterations; ++i) {
      task.check();
      find_gains();
      if (exchange() == 0) break;
    }
    for (const VertexId q : w_.met) w_.query[q] = {};
  }

 private:
  std::span<const VertexId> queries_of(VertexId v) const {
    return index_.query.span().subspan(index_.offset[v], index_.offset[v + 1] - index_.offset[v]);
  }

  void count() {
    w_.met.clear();
    parallel_for(workers_, part_.size(), kGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i)
        for (const VertexId q : queries_of(part_[i])) {
          Query& query = w_.query[q];
          AtomicRef(i < half_ ? query.left : query.right).fetch_add(1u);
        }
    });
    if (workers_ > 1) {
      for (VertexId q = 0; q < w_.query.size(); ++q)
        if (w_.query[q].left + w_.query[q].right > 0) w_.met.push_back(q);
      return;
    }
    for (const VertexId v : part_)
      for (const VertexId q : queries_of(v))
        if (Query& query = w_.query[q]; query.gain_left == 0) {
          query.gain_left = 1;  // until gains are found: met
          w_.met.push_back(q);
        }
  }

  /// What a half of n vertices pays for d of them (equation 5).
  float cost(std::uint32_t d, float log_n) const {
    return static_cast<float>(d) * (log_n - log_(std::size_t{d} + 1));
  }

  void find_gains() {
    const float n1 = log_(half_), n2 = log_(part_.size() - half_);
    parallel_for(workers_, w_.met.size(), kGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        Query& q = w_.query[w_.met[i]];
        const float now = cost(q.left, n1) + cost(q.right, n2);
        q.gain_right = q.left == 0 ? 0 : now - cost(q.left - 1, n1) - cost(q.right + 1, n2);
        q.gain_left = q.right == 0 ? 0 : now - cost(q.left + 1, n1) - cost(q.right - 1, n2);
      }
    });
    w_.move.resize(part_.size());
    w_.scratch.resize(part_.size());
    parallel_for(workers_, part_.size(), kGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        float gain = 0;
        for (const VertexId q : queries_of(part_[i]))
          gain += i < half_ ? w_.query[q].gain_right : w_.query[q].gain_left;
        w_.move[i] = {descending(gain), gain, static_cast<VertexId>(i)};
      }
    });
    for (const auto& [first, size] :
         {std::pair(std::size_t{0}, half_), std::pair(half_, part_.size() - half_)})
      graph::parallel_radix_sort(
          w_.move.data() + first, w_.scratch.data() + first, size, workers_,
          [](const Move& m) { return std::uint64_t{m.key}; }, [](const Move*, const Move*) {});
  }

  /// Returns the number of pairs.
  std::size_t exchange() {
    std::size_t pairs = 0;
    for (; pairs < half_; ++pairs) {
      const Move& a = w_.move[pairs];
      const Move& b = w_.move[half_ + pairs];
      if (!(a.gain + b.gain > 0)) break;
    }
    parallel_for(workers_, pairs, kGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t k = first; k < last; ++k) {
        VertexId& a = part_[w_.move[k].slot];
        VertexId& b = part_[w_.move[half_ + k].slot];
        change(a, ~0u, 1u);
        change(b, 1u, ~0u);
        std::swap(a, b);
      }
    });
    return pairs;
  }

  void change(VertexId v, std::uint32_t left, std::uint32_t right) {
    for (const VertexId q : queries_of(v)) {
      AtomicRef(w_.query[q].left).fetch_add(left);
      AtomicRef(w_.query[q].right).fetch_add(right);
    }
  }

  const QueryIndex& index_;
  const Logarithms& log_;
  std::span<VertexId> part_;
  Workspace& w_;
  int workers_;
  std::size_t half_;  // the left half is part_[0, half_)
};

struct Part {
  std::size_t first, last;
};

}  // namespace

Array<VertexId> bisect(const Context& ctx, const QueryIndex& index) {
  const std::size_t n = index.offset.size() - 1;
  Array<VertexId> order = natural_order(ctx, static_cast<VertexId>(n));
  const Logarithms log;
  std::vector<Workspace> spaces(static_cast<std::size_t>(ctx.threads()), Workspace(index.queries));
  std::vector<Part> parts{{0, n}};
  std::size_t depth = 0;
  ctx.task().begin("bisecting", static_cast<std::uint64_t>(std::bit_width(n)), "depths");
  while (!parts.empty()) {
    const auto bisect_part = [&](const Part& p, Workspace& w, int workers) {
      Bisection(index, log, order.span().subspan(p.first, p.last - p.first), w, workers)
          .run(ctx.task());
    };
    // Large parts one by one, each by a team; small ones side by side. Both give the same order.
    std::vector<Part> narrow, next;
    for (const Part& p : parts) {
      if (p.last - p.first > kWide)
        bisect_part(p, spaces[0], ctx.threads());
      else if (p.last - p.first > kLeaf)
        narrow.push_back(p);
    }
    parallel_for(ctx.threads(), narrow.size(), 1, [&](std::size_t i, std::size_t, int worker) {
      bisect_part(narrow[i], spaces[static_cast<std::size_t>(worker)], 1);
    });
    for (const Part& p : parts) {
      if (p.last - p.first <= kLeaf) continue;
      const std::size_t middle = p.first + (p.last - p.first) / 2;
      next.push_back({p.first, middle});
      next.push_back({middle, p.last});
    }
    parts.swap(next);
    ctx.task().at(++depth);
  }
  ctx.task().end();
  return order;
}

}  // namespace fathom::reorder
