#include "fathom/algorithms/edge_betweenness/entry_sums.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fathom/core/parallel.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/paged/split_needs.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom::detail {

EntrySums::EntrySums(const Context& ctx, EdgeSource& lists, std::span<const VertexId> row,
                     const StateSize& state)
    : ctx_(ctx),
      lists_(lists),
      row_(row),
      n_(lists.vertices()),
      entries_(lists.edges()),
      whole_(has_room(state)),
      room_(whole_ ? std::max<EdgeId>(entries_, 1) : n_),
      vertex_(n_, ctx.host_memory()),
      begin_(n_ + std::size_t{1}, ctx.host_memory()),
      place_(ctx, n_),
      members_(ctx, n_) {
  place_entries();
  sum_.emplace(ctx, room_, 0.0);
  if (whole_) return;
  piece_ = Array<double>(room_, ctx.host_memory());
  total_ = Array<double>(entries_, 0.0, ctx.host_memory());
}

/// Slots are state: half of what is left beside the rest of it, and the pages, is for them.
bool EntrySums::has_room(const StateSize& state) const {
  if (!ctx_.separate() || entries_ <= n_) return true;
  std::size_t others = static_cast<std::size_t>(state.whole * static_cast<double>(n_)) +
                       state.fixed + lists_.least_sweep_memory();
  if (ctx_.on_gpu()) others += operator_bytes(entries_);
  // In-lists have a frame of their own.
  if (const SplitEdges* const paged = lists_.split_edges()) others += 2 * paged->frame_bytes(true);
  const std::size_t more = (entries_ - n_) * sizeof(double);
  return fits_on_all(ctx_, [&](const Device& d) {
    const std::size_t room = obtainable(*d.memory());
    return (room - std::min(room, others)) / 2 >= more;
  });
}

void EntrySums::place_entries() {
  if (row_.empty())
    std::iota(vertex_.begin(), vertex_.end(), VertexId{0});
  else
    for (std::size_t v = 0; v < n_; ++v) vertex_[row_[v]] = static_cast<VertexId>(v);
  Array<EdgeId> offset(begin_.size(), ctx_.host_memory());
  ctx_.copy(offset.data(), lists_.offsets(ctx_.devices()[0]), offset.size() * sizeof(EdgeId));
  begin_[0] = 0;
  for (std::size_t r = 0; r < n_; ++r) {
    const std::size_t v = vertex_[r];
    begin_[r + 1] = begin_[r] + offset[v + 1] - offset[v];
  }
  for (std::size_t v = 0; v < n_; ++v) offset[v] = begin_[row_of(static_cast<VertexId>(v))];
  place_.assign(offset.span().first(n_));
}

EdgeId EntrySums::select(EdgeId begin, EdgeId room) {
  ctx_.task().check();
  const EdgeId end = std::min(entries_, begin + room);
  if (end - begin == entries_) {
    members_.fill();
    return end;
  }
  const EdgeId* const all = begin_.data();
  const auto first = std::upper_bound(all, all + n_, begin) - all - 1;
  const auto last = std::lower_bound(all, all + n_, end) - all;
  members_.assign(vertex_.span().subspan(static_cast<std::size_t>(first),
                                         static_cast<std::size_t>(last - first)));
  return end;
}

void EntrySums::bring(EdgeId begin, EdgeId end) {
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  const std::size_t count = end - begin;
  for (const Device& d : ctx_.devices()) {
    ctx_.copy(piece_.data(), sum_->on(d), count * sizeof(double));
    merge_among_ranks(ctx_, piece_.data(), count, ScalarKind::Double, MergeRule::Sum);
    parallel_for(ctx_.threads(), count, kGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t i = first; i < last; ++i) total_[begin + i] += piece_[i];
    });
  }
}

void EntrySums::bring_all() {
  if (whole_ && !ctx_.separate()) {
    total_ = std::move(*sum_).take();
  } else if (whole_) {
    total_ = Array<double>(entries_, ctx_.host_memory());
    const auto devices = ctx_.devices();
    ctx_.copy(total_.data(), sum_->on(devices[0]), entries_ * sizeof(double));
    const std::size_t most = std::max<std::size_t>(n_, 1);
    for (const Device& d : devices.subspan(1)) {
      piece_ = Array<double>(std::min<std::size_t>(most, entries_), ctx_.host_memory());
      for (EdgeId begin = 0; begin < entries_; begin += piece_.size()) {
        const std::size_t count = std::min<std::size_t>(piece_.size(), entries_ - begin);
        ctx_.copy(piece_.data(), sum_->on(d) + begin, count * sizeof(double));
        for (std::size_t i = 0; i < count; ++i) total_[begin + i] += piece_[i];
      }
    }
  }
  if (whole_) merge_among_ranks(ctx_, total_.data(), entries_, ScalarKind::Double, MergeRule::Sum);
  sum_.reset();
  piece_ = Array<double>();
}

template <class Visit>
void EntrySums::for_each_entry(const Visit& visit) {
  const Device& device = ctx_.devices()[0];
  const EdgeId room = std::max<EdgeId>(std::min<EdgeId>(n_, entries_), 1);
  VertexArray<VertexId, MergeSum> slot(ctx_, room);
  Array<VertexId> copy(ctx_.separate() ? room : 0, ctx_.host_memory());
  std::size_t row = 0;
  for (EdgeId begin = 0; begin < entries_; begin += room) {
    const EdgeId end = select(begin, room);
    // Each device puts what it sees: the sum is then what all of them saw.
    if (ctx_.replicas() > 1) slot.fill(0);
    advance(ctx_, lists_, members_, nullptr, [&](const Device& d) {
      return PutTarget{{place_.on(d), begin, end}, slot.on(d)};
    });
    merge(slot);
    const VertexId* target = slot.on(device);
    if (ctx_.separate()) {
      ctx_.copy(copy.data(), target, (end - begin) * sizeof(VertexId));
      target = copy.data();
    }
    for (EdgeId entry = begin; entry < end; ++entry) {
      while (begin_[row + 1] <= entry) ++row;
      visit(row, entry, target[entry - begin]);
    }
  }
}

/// Heap sort, for the values lie apart from their vertices. Lists come in this order as a rule.
void EntrySums::sort_row(EdgeBetweennessResult& rows, std::size_t first, std::size_t last) const {
  const auto before = [&](std::size_t a, std::size_t b) {
    const VertexId of_a = row_of(rows.v[first + a]), of_b = row_of(rows.v[first + b]);
    return of_a != of_b ? of_a < of_b : rows.centrality[first + a] > rows.centrality[first + b];
  };
  const std::size_t size = last - first;
  bool sorted = true;
  for (std::size_t i = 1; i < size && sorted; ++i) sorted = !before(i, i - 1);
  if (sorted) return;
  const auto exchange = [&](std::size_t a, std::size_t b) {
    std::swap(rows.v[first + a], rows.v[first + b]);
    std::swap(rows.centrality[first + a], rows.centrality[first + b]);
  };
  const auto sink = [&](std::size_t at, std::size_t end) {
    for (std::size_t child; (child = 2 * at + 1) < end; at = child) {
      if (child + 1 < end && before(child, child + 1)) ++child;
      if (!before(at, child)) return;
      exchange(at, child);
    }
  };
  for (std::size_t at = size / 2; at-- > 0;) sink(at, size);
  for (std::size_t end = size; end-- > 1;) {
    exchange(0, end);
    sink(0, end);
  }
}

void EntrySums::take(bool once, double scale, EdgeBetweennessResult& result) && {
  bring_all();
  const auto has_row = [&](std::size_t row, VertexId target) {
    return !once || row <= row_of(target);
  };
  std::uint64_t rows = once ? 0 : entries_;
  if (once)
    for_each_entry(
        [&](std::size_t row, EdgeId, VertexId target) { rows += has_row(row, target) ? 1 : 0; });
  result.rows = rows;
  result.u = Array<VertexId>(rows, ctx_.host_memory());
  result.v = Array<VertexId>(rows, ctx_.host_memory());
  result.centrality = std::move(total_);  // a row is never behind its entry
  std::size_t at = 0, first = 0, now = 0;
  for_each_entry([&](std::size_t row, EdgeId entry, VertexId target) {
    if (row != now) {
      sort_row(result, first, at);
      first = at;
      now = row;
    }
    if (!has_row(row, target)) return;
    result.u[at] = vertex_[row];
    result.v[at] = target;
    result.centrality[at++] = scale * result.centrality[entry];
  });
  sort_row(result, first, at);
}

}  // namespace fathom::detail
