#include "fathom/algorithms/louvain/moves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "fathom/algorithms/bad_weight.hpp"
#include "fathom/algorithms/cdlp/functors.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom::detail {
namespace {

// Of a window's vertices, those of a class choose at the same time.
constexpr std::uint32_t kClasses = 4;

/// Part of an array of a device at a time, where the host cannot read all of it.
template <class T>
class HostPieces {
 public:
  HostPieces(const Context& ctx, const T* values, std::size_t size)
      : ctx_(ctx), values_(values), size_(size) {}

  /// values[first .. last), or as many of them as there are in a piece.
  std::span<const T> get(std::size_t first, std::size_t last) {
    if (!ctx_.separate()) return {values_ + first, last - first};
    if (first < first_ || first >= first_ + piece_.size()) {
      piece_.resize(std::min(kPiece, size_ - first));
      ctx_.copy(piece_.data(), values_ + first, piece_.size() * sizeof(T));
      first_ = first;
    }
    return std::span<const T>(piece_).subspan(
        first - first_, std::min(last - first, first_ + piece_.size() - first));
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  const Context& ctx_;
  const T* values_;
  std::size_t size_, first_ = 0;
  std::vector<T> piece_;
};

}  // namespace

WeightUnits weight_units(const Context& ctx, const Graph& graph, const char* algorithm) {
  Weight most = 1;
  if (graph.weighted()) {
    VertexArray<std::uint32_t, MergeMin> code(ctx, 1, weight_code(0));
    Frontier all(ctx, graph.vertices());
    all.fill();
    advance(ctx, graph.out(), all, nullptr,
            [&](const Device& d) { return FindHeaviest{code.on(d)}; });
    merge(code);
    const std::uint32_t found = code.get(0);
    if (found == 0)
      refuse_weights(graph,
                     std::string(algorithm) + " needs finite weights that are not below zero",
                     [](Weight w) { return weight_code(w) == 0; });
    most = __builtin_bit_cast(Weight, ~found);
  }
  int exponent = 0;
  if (most > 0) std::frexp(most, &exponent);
  const auto ends = static_cast<int>(std::bit_width(2 * graph.edges()));
  return {std::ldexp(1., 60 - ends - exponent)};
}

Moves::Table::Table(const Context& ctx, VertexId n, EdgeId room)
    : key(ctx, slot_table(room)),
      sum(ctx, slot_table(room)),
      next(ctx, n),
      active(ctx, (std::size_t{n} + 63) / 64, ~std::uint64_t{0}),
      chooses(ctx, n) {}

Moves::Moves(const Context& ctx, EdgeSource& edges, const MoveOptions& options,
             const MoveStart& start)
    : ctx_(ctx),
      edges_(edges),
      n_(edges.vertices()),
      room_(std::max<EdgeId>(n_, 1)),
      options_(options),
      worth_{options.resolution, 1, nullptr},
      community_(ctx, n_),
      total_(ctx, n_),
      strength_(ctx, n_, 0),
      target_(ctx, room_),
      weight_(ctx, room_),
      moved_(ctx, 1, 0),
      window_(ctx, n_),
      windows_(plan_slot_windows(ctx, edges, nullptr, room_)) {
  table_.emplace(ctx, n_, room_);
  if (options.refines) whole_.emplace(ctx, n_);
  if (!start.strength.empty()) {
    strength_.assign(start.strength);
  } else {
    Frontier all(ctx, n_);
    all.fill();
    gather(ctx, edges, all, nullptr, [&](const Device& d) {
      return AddStrength{strength_.on(d), options_.units};
    });
    merge(strength_);
  }
  all_ = reduce(
      ctx, n_, std::uint64_t{0}, [&](const Device& d) { return VertexStrength{strength_.on(d)}; },
      MergeSum{});
  worth_.all = static_cast<double>(all_);
  has_long_ = reduce(
                  ctx, n_, kNoVertex,
                  [&](const Device& d) {
                    return HasMoreEntries{places(d, 0), kShortMoveList};
                  },
                  MergeMin{}) != kNoVertex;
  if (start.community.empty()) {
    start_alone();
    return;
  }
  community_.assign(start.community);
  total_.fill(0);
  compute(ctx, n_, [&](const Device& d) {
    return AddToTotal{community_.on(d), total_.on(d), strength_.on(d)};
  });
}

void Moves::start_alone() {
  compute(ctx_, n_, [&](const Device& d) {
    return StartCommunities{community_.on(d), total_.on(d), strength_.on(d)};
  });
}

void Moves::refine() {
  refining_ = true;
  std::swap(community_, *whole_);
  start_alone();
  table_->active.fill(~std::uint64_t{0});
}

Choosers Moves::choosers(const Device& d, const SlotWindow& window, std::uint64_t seed,
                         std::uint32_t now) {
  return {places(d, window.begin),
          target_.on(d),
          weight_.on(d),
          table_->key.on(d),
          table_->sum.on(d),
          community_.on(d),
          table_->next.on(d),
          total_.on(d),
          {worth_.resolution, worth_.all, strength_.on(d)},
          options_.units,
          table_->chooses.on(d).bits,
          seed,
          kClasses,
          now,
          options_.refines && !refining_,
          whole(d)};
}

/// Slots [0, slots): entries from `first` on, in the order of vertices.
void Moves::put_edges(Frontier& vertices, EdgeId first, EdgeId slots) {
  if (slots == 0) return;
  // Each device puts what it sees: the sum is then what all of them saw.
  if (ctx_.replicas() > 1) {
    target_.fill(0);
    weight_.fill(0);
  }
  advance(ctx_, edges_, vertices, nullptr, [&](const Device& d) {
    return PutEdge{target_.on(d), weight_.on(d), places(d, first), slots};
  });
  merge(target_, weight_);
}

void Moves::clear_table(EdgeId cells) {
  const std::uint64_t zero = 0;
  for (const Device& d : ctx_.devices()) {
    ctx_.fill(d, table_->key.on(d), cells, &kNoVertex, sizeof kNoVertex);
    ctx_.fill(d, table_->sum.on(d), cells, &zero, sizeof zero);
  }
}

Moves::Round Moves::round(std::uint64_t seed) {
  Round round;
  moved_.set(0, 0);
  for (const SlotWindow& window : windows_) {
    ctx_.task().check();
    select_window(ctx_, window, window_);
    if (refining_)
      filter(ctx_, window_, table_->chooses, [&](const Device& d) {
        return ChoosesAlone{table_->active.on(d), community_.on(d), total_.on(d), strength_.on(d)};
      });
    else
      filter(ctx_, window_, table_->chooses,
             [&](const Device& d) { return ChoosesAgain{table_->active.on(d)}; });
    if (table_->chooses.empty()) continue;
    compute(ctx_, table_->chooses,
            [&](const Device& d) { return EndChoosing{table_->active.on(d)}; });
    round.vertices += table_->chooses.size();
    round.edges += edges_.degree_sum(ctx_, table_->chooses);
    window.no_room ? choose_alone(window) : choose_in_slots(window, seed);
  }
  round.moved = moved_.get(0);
  return round;
}

void Moves::choose_in_slots(const SlotWindow& window, std::uint64_t seed) {
  put_edges(table_->chooses, window.begin, window.slots());
  const bool has_long = has_long_ && window.slots() > kShortMoveList;
  // Once for all classes: a vertex has cells of its own.
  if (has_long) clear_table(slot_table(window.slots()));
  for (std::uint32_t now = 0; now < kClasses; ++now) {
    const auto make = [&](const Device& d) { return choosers(d, window, seed, now); };
    compute(ctx_, table_->chooses, [&](const Device& d) { return ChooseInShort{make(d)}; });
    if (has_long) {
      compute(ctx_, window.segments(), [&](const Device& d) {
        return SumInLong{make(d), segments(d, window)};
      });
      compute(ctx_, window.segments(), [&](const Device& d) {
        return ScoreInLong{make(d), segments(d, window)};
      });
      compute(ctx_, window.segments(), [&](const Device& d) {
        return ChooseInLong{make(d), segments(d, window)};
      });
    }
    if (refining_)
      compute(ctx_, table_->chooses, [&](const Device& d) {
        return JoinChosen{make(d), community_.on(d), total_.on(d), moved_.on(d),
                          table_->active.on(d)};
      });
    else
      compute(ctx_, table_->chooses, [&](const Device& d) {
        return MoveToChosen{make(d), community_.on(d), total_.on(d), moved_.on(d)};
      });
  }
  if (refining_) return;
  compute(ctx_, window.segments(), [&](const Device& d) {
    return ActivateAround{choosers(d, window, seed, 0), segments(d, window), table_->active.on(d)};
  });
}

void Moves::choose_alone(const SlotWindow& window) {
  const VertexId v = window.first;
  clear_table(n_);
  advance(ctx_, edges_, table_->chooses, nullptr, [&](const Device& d) {
    return AddShared{community_.on(d), table_->sum.on(d), options_.units, whole(d)};
  });
  merge(table_->sum);
  const auto worth = [&](const Device& d) {
    return WorthOfCommunity{choosers(d, window, 0, 0), v};
  };
  const std::uint64_t most = reduce(ctx_, n_, std::uint64_t{0}, worth, MergeMostWorth{});
  const VertexId to = reduce(
      ctx_, n_, kNoVertex,
      [&](const Device& d) {
        return FirstWorth{worth(d), most};
      },
      MergeMin{});
  const VertexId from = community_.get(v);
  if (to == from) return;
  const std::uint64_t its = strength_.get(v);
  community_.set(v, to);
  total_.set(from, total_.get(from) - its);
  total_.set(to, total_.get(to) + its);
  moved_.set(0, moved_.get(0) + 1);
  if (refining_) return;
  compute(ctx_, n_, [&](const Device& d) {
    return ActivateNear{community_.on(d), table_->sum.on(d), to, table_->active.on(d)};
  });
}

Moves::Found Moves::end_rounds() {
  table_.reset();
  Array<VertexId> whole = refining_ ? std::move(*whole_).take() : Array<VertexId>();
  whole_.reset();
  return {std::move(community_).take(), std::move(whole), std::move(total_).take()};
}

void Moves::for_each_list(Visit visit) {
  for (const SlotWindow& window : windows_)
    for (EdgeId first = window.begin; first < window.end; first += room_) {
      ctx_.task().check();
      select_window(ctx_, window, window_);
      const EdgeId last = std::min(window.end, first + room_);
      put_edges(window_, first, last - first);
      show_window(window, first, last, visit);
    }
}

/// Entries [first, last), which are in the slots.
void Moves::show_window(const SlotWindow& window, EdgeId first, EdgeId last, Visit visit) {
  const Device& device = ctx_.devices()[0];
  HostPieces<EdgeId> offset(ctx_, edges_.offsets(device), std::size_t{n_} + 1);
  HostPieces<VertexId> target(ctx_, target_.on(device), static_cast<std::size_t>(last - first));
  HostPieces<Weight> weight(ctx_, weight_.on(device), static_cast<std::size_t>(last - first));
  for (VertexId v = window.first; v < window.last; ++v) {
    EdgeId at = std::max(first, offset.get(v, v + 1)[0]);
    const EdgeId end = std::min(last, offset.get(v + 1, v + 2)[0]);
    while (at < end) {
      const auto from = static_cast<std::size_t>(at - first);
      const auto to = static_cast<std::size_t>(end - first);
      const std::span<const VertexId> targets = target.get(from, to);
      visit(v, targets, weight.get(from, from + targets.size()));
      at += targets.size();
    }
  }
}

}  // namespace fathom::detail
