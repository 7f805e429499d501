// Lists wherever they are: each question of all walkers is a sweep over the lists of the vertices
// that they ask about, so that pages are read once for all of them. By weight lists come to the
// host, as many at a time as there is room for; of those that are longer a piece at a time.
#include <bit>
#include <numeric>
#include <string>

#include "fathom/algorithms/walks/batches.hpp"
#include "fathom/algorithms/walks/functors.hpp"
#include "fathom/algorithms/walks/step_reads.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/exec/bitmap.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr std::size_t kListGrain = 64;  // lists that a thread draws from at a time

/// In host memory what is on a device; where the host is the device, that itself.
template <class T>
class ShownOnHost {
 public:
  ShownOnHost(const Context& ctx, std::size_t most)
      : ctx_(ctx), copy_(ctx.separate() ? most : 0, ctx.host_memory()) {}
  template <class Merge>
  const T* of(const VertexArray<T, Merge>& array, std::size_t n) {
    const T* const there = array.on(ctx_.devices()[0]);
    if (!ctx_.separate()) return there;
    ctx_.copy(copy_.data(), there, n * sizeof(T));
    return copy_.data();
  }

 private:
  const Context& ctx_;
  Array<T> copy_;
};

class SweptSteps final : public StepReads {
 public:
  SweptSteps(const Context& ctx, EdgeSource& source, const WalkOptions& options, std::size_t most)
      : ctx_(ctx),
        source_(source),
        options_(options),
        room_(options.weighted ? kWalkPieceEdges * most : 0),
        active_(ctx, source.vertices()),
        order_(most, ctx.host_memory()),
        vertex_(most, ctx.host_memory()),
        table_(2 * most, ctx.host_memory()),
        group_(most + 1, ctx.host_memory()),
        begin_(most + 1, ctx.host_memory()),
        key_(most, ctx.host_memory()),
        vertices_(ctx, most),
        tables_(ctx, 2 * most),
        begins_(ctx, most + 1),
        keys_(ctx, most),
        targets_(ctx, most),
        times_(ctx, draws_back_apart(options) ? most : 0),
        piece_target_(ctx, room_),
        piece_weight_(ctx, room_),
        shown_target_(ctx, most),
        shown_times_(ctx, times_.size()),
        shown_piece_target_(ctx, room_),
        shown_piece_weight_(ctx, room_) {}

  void degrees(std::span<const VertexId> vertex, EdgeId* degree) override {
    group(vertex, [](std::uint32_t) { return 0; });
    note_degrees();
    for (std::size_t p = 0; p < lists_; ++p)
      for (const std::uint32_t e : entries_of(p)) degree[e] = key_[p];
  }

  void pick(std::span<const VertexId> vertex, const EdgeId* place, VertexId* target) override {
    group(vertex, [&](std::uint32_t e) { return place[e]; });
    ask([&](std::uint32_t e) { return place[e]; }, targets_, kNoVertex,
        [&](const Device& d) {
          return PickEdges{places(d), begins_.on(d), keys_.on(d), targets_.on(d)};
        });
    answer(shown_target_.of(targets_, vertex.size()), target);
    for (std::size_t e = 0; e < vertex.size(); ++e)
      if (target[e] == kNoVertex) refuse_list(vertex[e]);
  }

  void find(std::span<const VertexId> vertex, const VertexId* wanted, VertexId* found) override {
    group(vertex, [&](std::uint32_t e) { return wanted[e]; });
    ask([&](std::uint32_t e) { return EdgeId{wanted[e]}; }, targets_, kNoVertex,
        [&](const Device& d) {
          return FindTargets{places(d), begins_.on(d), keys_.on(d), targets_.on(d)};
        });
    answer(shown_target_.of(targets_, vertex.size()), found);
  }

  void count(std::span<const VertexId> vertex, const VertexId* wanted,
             std::uint32_t* times) override {
    group(vertex, [&](std::uint32_t e) { return wanted[e]; });
    ask([&](std::uint32_t e) { return EdgeId{wanted[e]}; }, times_, std::uint32_t{0},
        [&](const Device& d) {
          return CountTargets{places(d), begins_.on(d), keys_.on(d), times_.on(d)};
        });
    answer(shown_times_.of(times_, vertex.size()), times);
  }

  void pick_by_weight(std::span<const VertexId> vertex, const double* share,
                      VertexId* target) override {
    group(vertex, [&](std::uint32_t e) { return share[e]; });
    note_degrees();
    begin_[0] = 0;
    for (std::size_t p = 0; p < lists_; ++p) begin_[p + 1] = begin_[p] + key_[p];
    begins_.assign(begin_.span().first(lists_ + 1));
    for (std::size_t first = 0, last = 0; first < lists_; first = last) {
      while (last < lists_ && begin_[last + 1] - begin_[first] <= room_) ++last;
      if (last > first)
        pick_from_lists(first, last, share, target);
      else
        pick_by_pieces(last++, share, target);
    }
  }

 private:
  /// A piece of the lists in host memory: entries [base, base + size) of all lists behind one
  /// another.
  struct Piece {
    EdgeId base, size;
    const VertexId* target;
    const Weight* weight;
  };

  /// A file may keep its lists twice, with weights and without them.
  [[noreturn]] void refuse_list(VertexId v) const {
    throw Error(ErrorCode::BadInput,
                "the list of vertex " +
                    (options_.label_of ? options_.label_of(v) : std::to_string(v)) +
                    " does not have as many edges as its degree says: `fathom verify` says where");
  }

  std::span<const std::uint32_t> entries_of(std::size_t place) const {
    return {order_.data() + group_[place], group_[place + 1] - group_[place]};
  }
  PlaceRef places(const Device& d) {
    return {vertices_.on(d), tables_.on(d), static_cast<std::uint32_t>(table_size_ - 1)};
  }

  /// Sorts what is asked by vertices, and of one by key; the vertices get places, by which devices
  /// find them.
  template <class Key>
  void group(std::span<const VertexId> vertex, const Key& key) {
    const std::span order = order_.span().first(vertex.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return vertex[a] != vertex[b] ? vertex[a] < vertex[b] : key(a) < key(b);
    });
    lists_ = 0;
    for (std::uint32_t k = 0; k < order.size(); ++k) {
      if (lists_ > 0 && vertex_[lists_ - 1] == vertex[order[k]]) continue;
      group_[lists_] = k;
      vertex_[lists_++] = vertex[order[k]];
    }
    group_[lists_] = static_cast<std::uint32_t>(order.size());
    table_size_ = std::bit_ceil(2 * std::max<std::size_t>(lists_, 1));
    const std::span table = table_.span().first(table_size_);
    std::fill(table.begin(), table.end(), kNoPlace);
    for (std::uint32_t p = 0; p < lists_; ++p) {
      std::size_t i = mix64(vertex_[p]) & (table_size_ - 1);
      while (table[i] != kNoPlace) i = (i + 1) & (table_size_ - 1);
      table[i] = p;
    }
    vertices_.assign(vertex_.span().first(lists_));
    tables_.assign(table);
  }

  /// Makes the vertices at places [first, last) active.
  void activate(std::size_t first, std::size_t last) {
    active_.begin_bitmap();
    for (const Device& d : ctx_.devices())
      bitmap::set_listed(ctx_, d, active_.bits(d), vertices_.on(d) + first, last - first);
    active_.end_bitmap(true);
    active_.set_size(static_cast<VertexId>(last - first));
  }

  /// Into key_, by place.
  void note_degrees() {
    activate(0, lists_);
    compute(ctx_, active_, [&](const Device& d) {
      return NoteDegrees{places(d), source_.offsets(d), keys_.on(d)};
    });
    ctx_.copy(key_.data(), keys_.on(ctx_.devices()[0]), lists_ * sizeof(EdgeId));
  }

  /// What a sweep says to the keys, in their order: to the first of equal ones. `none`: nothing.
  template <class Key, class Answers, class T, class Make>
  void ask(const Key& key, Answers& answers, T none, const Make& make) {
    const std::size_t n = group_[lists_];
    for (std::size_t k = 0; k < n; ++k) key_[k] = key(order_[k]);
    for (std::size_t p = 0; p <= lists_; ++p) begin_[p] = group_[p];
    begins_.assign(begin_.span().first(lists_ + 1));
    keys_.assign(key_.span().first(n));
    answers.fill(none);
    activate(0, lists_);
    advance(ctx_, source_, active_, nullptr, make);
    merge(answers);
  }
  template <class T>
  void answer(const T* shown, T* into) const {
    for (std::size_t p = 0; p < lists_; ++p) {
      std::size_t same = group_[p];
      for (std::size_t k = group_[p]; k < group_[p + 1]; ++k) {
        if (key_[k] != key_[same]) same = k;
        into[order_[k]] = shown[same];
      }
    }
  }

  /// Of the lists at places [first, last).
  Piece fetch(std::size_t first, std::size_t last, EdgeId base, EdgeId size) {
    piece_target_.fill(kNoVertex);
    piece_weight_.fill(std::numeric_limits<Weight>::infinity());
    if (size > 0) {
      activate(first, last);
      advance(ctx_, source_, active_, nullptr, [&](const Device& d) {
        return StorePiece{places(d), begins_.on(d),       base,
                          size,      piece_target_.on(d), piece_weight_.on(d)};
      });
      merge(piece_target_, piece_weight_);
    }
    return {base, size, shown_piece_target_.of(piece_target_, size),
            shown_piece_weight_.of(piece_weight_, size)};
  }

  /// body(target, weight) for what a piece has of the list at a place.
  template <class Body>
  void for_each_of(const Piece& piece, std::size_t place, const Body& body) const {
    const EdgeId first = std::max(begin_[place], piece.base);
    const EdgeId last = std::min(begin_[place + 1], piece.base + piece.size);
    for (EdgeId at = first; at < last; ++at) {
      if (piece.target[at - piece.base] == kNoVertex) refuse_list(vertex_[place]);
      body(piece.target[at - piece.base], piece.weight[at - piece.base]);
    }
  }
  void show_piece(const Piece& piece, std::size_t place, const double* share, VertexId* target,
                  PickByWeight& pick) const {
    const std::span<const std::uint32_t> entries = entries_of(place);
    for_each_of(piece, place, [&](VertexId t, Weight w) {
      pick.show(
          t, w, entries.size(), [&](std::size_t k) { return share[entries[k]]; },
          [&](std::size_t k, VertexId taken) { target[entries[k]] = taken; });
    });
  }
  void end_list(std::size_t place, VertexId* target, PickByWeight& pick) const {
    const std::span<const std::uint32_t> entries = entries_of(place);
    pick.end(entries.size(), [&](std::size_t k, VertexId taken) { target[entries[k]] = taken; });
  }

  void pick_from_lists(std::size_t first, std::size_t last, const double* share, VertexId* target) {
    const Piece piece = fetch(first, last, begin_[first], begin_[last] - begin_[first]);
    parallel_for(ctx_.threads(), last - first, kListGrain,
                 [&](std::size_t from, std::size_t to, int) {
                   for (std::size_t p = first + from; p < first + to; ++p) {
                     PickByWeight pick(options_, vertex_[p]);
                     for_each_of(piece, p, [&](VertexId t, Weight w) { pick.add(t, w); });
                     show_piece(piece, p, share, target, pick);
                     end_list(p, target, pick);
                   }
                 });
  }
  void pick_by_pieces(std::size_t place, const double* share, VertexId* target) {
    PickByWeight pick(options_, vertex_[place]);
    const auto for_each_piece = [&](const auto& body) {
      for (EdgeId at = begin_[place]; at < begin_[place + 1]; at += room_) {
        ctx_.task().check();
        body(fetch(place, place + 1, at, std::min<EdgeId>(room_, begin_[place + 1] - at)));
      }
    };
    for_each_piece([&](const Piece& piece) {
      for_each_of(piece, place, [&](VertexId t, Weight w) { pick.add(t, w); });
    });
    for_each_piece([&](const Piece& piece) { show_piece(piece, place, share, target, pick); });
    end_list(place, target, pick);
  }

  const Context& ctx_;
  EdgeSource& source_;
  const WalkOptions& options_;
  const std::size_t room_;  // edges of a piece
  Frontier active_;
  std::size_t lists_ = 0, table_size_ = 1;
  Array<std::uint32_t> order_;  // of what is asked, by vertex and key
  Array<VertexId> vertex_;      // by place, ascending
  Array<std::uint32_t> table_;  // PlaceRef's
  Array<std::uint32_t> group_;  // by place, and the end of the last: in order_
  Array<EdgeId> begin_;         // by place, and the end of the last: of keys, or of lists
  Array<EdgeId> key_;
  // The same on devices, and what kernels write.
  VertexArray<VertexId> vertices_;
  VertexArray<std::uint32_t> tables_;
  VertexArray<EdgeId> begins_, keys_;
  VertexArray<VertexId, MergeMin> targets_;
  VertexArray<std::uint32_t, MergeSum> times_;
  VertexArray<VertexId, MergeMin> piece_target_;
  VertexArray<Weight, MergeMin> piece_weight_;
  ShownOnHost<VertexId> shown_target_;
  ShownOnHost<std::uint32_t> shown_times_;
  ShownOnHost<VertexId> shown_piece_target_;
  ShownOnHost<Weight> shown_piece_weight_;
};

}  // namespace

std::unique_ptr<StepReads> swept_steps(const Context& ctx, EdgeSource& source,
                                       const WalkOptions& options, std::size_t most) {
  return std::make_unique<SweptSteps>(ctx, source, options, most);
}

}  // namespace fathom
