#include "fathom/residency/parts/part_source.hpp"

#include <algorithm>

#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

using store::PartLists;
using store::PartRange;

namespace {

template <class T>
std::span<const std::byte> bytes_of(const T* values, std::size_t count) {
  return std::as_bytes(std::span(values, count));
}

/// A window of the lists, the same on all ranks.
class PartReader final : public ListReader {
 public:
  PartReader(const Context& ctx, const PartLists& lists, const std::vector<PartRange>& ranges)
      : ctx_(ctx), lists_(lists), ranges_(ranges) {}

  EdgeId degree(VertexId v) override { return lists_.offset[v + 1] - lists_.offset[v]; }

  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    const EdgeId end = lists_.offset[v + 1];
    for (EdgeId at = lists_.offset[v]; at < end;) {
      if (at < begin_ || at >= begin_ + target_.size()) load(at, end);
      const auto from = static_cast<std::size_t>(at - begin_);
      const std::size_t n = std::min<std::size_t>(target_.size() - from, end - at);
      span({target_.data() + from, lists_.weight ? weight_.data() + from : nullptr,
            static_cast<std::uint32_t>(n)});
      at += n;
    }
  }

 private:
  // Entries of a window: who reads here and there is not sent much, who reads on gets more and
  // more.
  static constexpr std::size_t kLeast = std::size_t{1} << 10, kMost = std::size_t{1} << 18;

  void load(EdgeId at, EdgeId end_of_list) {
    size_ = at == begin_ + target_.size() ? std::min(2 * size_, kMost) : kLeast;
    const auto owner = std::find_if(ranges_.begin(), ranges_.end(), [&](const PartRange& range) {
      return at >= range.begin && at < range.end;
    });
    const EdgeId wanted = std::max<EdgeId>(size_, std::min<EdgeId>(end_of_list - at, kMost));
    const auto n = static_cast<std::size_t>(std::min(wanted, owner->end - at));
    const int rank = static_cast<int>(owner - ranges_.begin());
    begin_ = at;
    give(target_, lists_.target, n, rank);
    if (lists_.weight) give(weight_, lists_.weight, n, rank);
  }

  template <class T>
  void give(std::vector<T>& window, const T* mine, std::size_t n, int rank) {
    window.resize(n);
    if (ctx_.group().rank() == rank)
      std::copy_n(mine + (begin_ - lists_.range.begin), n, window.begin());
    ctx_.group().broadcast(window.data(), n * sizeof(T), rank);
  }

  const Context& ctx_;
  const PartLists& lists_;
  const std::vector<PartRange>& ranges_;
  EdgeId begin_ = 0;
  std::size_t size_ = kLeast;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;  // empty: unweighted
};

}  // namespace

std::vector<PartRange> ranges_of_ranks(const Context& ctx, const PartRange& mine) {
  std::vector<PartRange> ranges(static_cast<std::size_t>(ctx.ranks()));
  ctx.group().all_gather(&mine, sizeof mine, ranges.data());
  return ranges;
}

PartSource::PartSource(const Context& ctx, const PartLists& lists, std::vector<PartRange> ranges,
                       std::shared_ptr<const void> owner)
    : EdgeSource(lists.vertices, lists.edges, lists.weight != nullptr),
      ctx_(&ctx),
      lists_(lists),
      ranges_(std::move(ranges)),
      owner_(std::move(owner)) {}

void PartSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                       FunctionRef<void(const Pass&)> pass) {
  const PartRange& range = lists_.range;
  if (active.empty() || range.vertices() == 0) return;
  pass({ctx.devices()[0],
        FlatEdges{lists_.offset, lists_.target, lists_.weight, range.begin, options.first},
        range.first, range.last});
}

void PartSource::each_part(
    const Context& ctx,
    FunctionRef<void(const VertexId* targets, const store::PartRange& range)> visit) {
  ReplicaGroup& group = ctx.group();
  const int ranks = group.ranks(), rank = group.rank();
  EdgeId largest = 0;
  for (const PartRange& range : ranges_) largest = std::max(largest, range.edges());
  // While one is shown it stays; what comes from the neighbour goes to the other.
  Array<VertexId> room[2];
  for (Array<VertexId>& its : room)
    if (ranks > 1) its = Array<VertexId>(static_cast<std::size_t>(largest), ctx.host_memory());
  const VertexId* here = lists_.target;
  for (int step = 0; step < ranks; ++step) {
    ctx.task().check();
    const PartRange& its = ranges_[static_cast<std::size_t>((rank + step) % ranks)];
    visit(here, its);
    if (step + 1 == ranks) return;
    const PartRange& next = ranges_[static_cast<std::size_t>((rank + step + 1) % ranks)];
    VertexId* const into = room[step % 2].data();
    group.exchange(bytes_of(here, its.edges()), (rank + ranks - 1) % ranks,
                   std::as_writable_bytes(std::span(into, next.edges())), (rank + 1) % ranks);
    here = into;
  }
}

void PartSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const PartRange& mine = lists_.range;
  const FlatEdges own{lists_.offset, lists_.target, nullptr, mine.begin, kWholeList};
  each_part(ctx, [&](const VertexId* targets, const PartRange& its) {
    if (mine.edges() > 0 && its.edges() > 0)
      pass({ctx.devices()[0], own, mine.first, mine.last,
            FlatEdges{lists_.offset, targets, nullptr, its.begin, kWholeList}, its.first,
            its.last});
  });
}

std::unique_ptr<ListReader> PartSource::read_lists() {
  return std::make_unique<PartReader>(*ctx_, lists_, ranges_);
}

}  // namespace fathom
