#include "fathom/residency/parts/streamed_part.hpp"

#include <algorithm>

#include "fathom/core/units.hpp"
#include "fathom/graph/lists/edge_shares.hpp"
#include "fathom/store/parts/part_offsets.hpp"

namespace fathom {

using store::PartLists;
using store::PartRange;

std::unique_ptr<PartArraysSupply> PartArraysSupply::of(const Context& ctx, const PartLists& lists,
                                                       std::shared_ptr<const void> owner,
                                                       std::size_t page_bytes) {
  struct Kept {
    Array<EdgeId> offset;
    std::shared_ptr<const void> owner;
  };
  const auto kept = std::make_shared<Kept>();
  kept->owner = std::move(owner);
  kept->offset = Array<EdgeId>(std::size_t{lists.vertices} + 1, ctx.host_memory());
  for (std::size_t v = 0; v < kept->offset.size(); ++v)
    kept->offset[v] = store::offset_within(lists.range, lists.offset[v]);
  CsrView view;
  view.vertices = lists.vertices;
  view.edges = lists.range.edges();
  view.offset = kept->offset.data();
  view.target = lists.target;
  view.weight = lists.weight;
  // The constructor is private. NOLINTNEXTLINE(modernize-make-unique)
  return std::unique_ptr<PartArraysSupply>(new PartArraysSupply(view, kept, page_bytes));
}

StreamedPartSource::StreamedPartSource(const Context& ctx, const PartLists& lists, bool weighted,
                                       std::unique_ptr<PageSupply> supply,
                                       const PagingOptions& options, Open open)
    : EdgeSource(lists.vertices, lists.edges, weighted),
      ctx_(&ctx),
      lists_{lists.vertices, lists.edges, lists.offset, nullptr, nullptr, lists.range},
      pages_(ctx, std::move(supply), options),
      open_(std::move(open)) {
  if (!ctx.separate()) return;
  for (const Device& device : ctx.devices()) {
    Array<EdgeId>& offset = offset_.emplace_back(std::size_t{lists.vertices} + 1, device.memory());
    ctx.copy(offset.data(), lists.offset, offset.size() * sizeof(EdgeId));
  }
}

void StreamedPartSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                               FunctionRef<void(const Pass&)> pass) {
  pages_.sweep(ctx, active, options, pass);
}

void StreamedPartSource::prepare(const Context& ctx, const SweepOptions& options) {
  pages_.prepare(ctx, options);
}

const EdgeId* StreamedPartSource::offsets(const Device& device) {
  return offset_.empty() ? lists_.offset : offset_[static_cast<std::size_t>(device.index())].data();
}

PartSource& StreamedPartSource::in_memory() {
  if (!in_memory_) in_memory_ = open_();
  return *in_memory_;
}

std::unique_ptr<ListReader> StreamedPartSource::read_lists() {
  return in_memory().read_lists();
}

void StreamedPartSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  if (!ctx.separate()) return in_memory().sweep_pairs(ctx, pass);
  in_memory().each_part(ctx, [&](const VertexId* others, const PartRange& its) {
    for (const Device& device : ctx.devices()) pairs_on(device, others, its, pass);
  });
}

namespace {

/// Borders of runs of lists [first, last) with at most so many edges. @throws Error(DoesNotFit)
std::vector<VertexId> runs_of(const EdgeId* offset, VertexId first, VertexId last, EdgeId most) {
  std::vector<VertexId> border{first};
  while (border.back() < last) {
    const VertexId begin = border.back();
    const EdgeId* const beyond =
        std::upper_bound(offset + begin + 1, offset + last + 1, offset[begin] + most);
    const auto end = static_cast<VertexId>(beyond - offset - 1);
    if (end == begin)
      throw Error(ErrorCode::DoesNotFit,
                  "a list of " + format_count(offset[begin + 1] - offset[begin]) +
                      " edges does not fit half of a device's memory, as pairs of lists have to");
    border.push_back(end);
  }
  return border;
}

}  // namespace

void StreamedPartSource::pairs_on(const Device& device, const VertexId* others,
                                  const PartRange& its, FunctionRef<void(const PairPass&)> pass) {
  const EdgeId* const offset = lists_.offset;
  const PartRange& mine = lists_.range;
  const PartLists own = in_memory().lists();
  const int devices = static_cast<int>(ctx_->devices().size());
  // As many edges as other devices have, as far as whole lists allow.
  const auto share_begins = [&](int share) {
    if (share == devices) return mine.last;
    const EdgeId at = mine.begin + graph::share_begins(mine.edges(), devices, share);
    return static_cast<VertexId>(std::lower_bound(offset + mine.first, offset + mine.last, at) -
                                 offset);
  };
  const VertexId first = share_begins(device.index()), last = share_begins(device.index() + 1);
  if (first == last || its.edges() == 0) return;
  const std::size_t room = device.memory()->available() / 8 * 7 / sizeof(VertexId);
  const EdgeId half = std::min<EdgeId>(room / 2, std::max(mine.edges(), its.edges()));
  Array<VertexId> run(half, device.memory()), other_run(half, device.memory());
  const auto loaded = [&](Array<VertexId>& into, const VertexId* from, EdgeId from_begins,
                          VertexId begin, VertexId end) {
    ctx_->copy(into.data(), from + (offset[begin] - from_begins),
               (offset[end] - offset[begin]) * sizeof(VertexId));
    return FlatEdges{offsets(device), into.data(), nullptr, offset[begin], kWholeList};
  };
  const std::vector<VertexId> runs = runs_of(offset, first, last, half);
  const std::vector<VertexId> other_runs = runs_of(offset, its.first, its.last, half);
  for (std::size_t a = 0; a + 1 < runs.size(); ++a) {
    const FlatEdges lists = loaded(run, own.target, mine.begin, runs[a], runs[a + 1]);
    for (std::size_t b = 0; b + 1 < other_runs.size(); ++b) {
      ctx_->task().check();
      pass({device, lists, runs[a], runs[a + 1],
            loaded(other_run, others, its.begin, other_runs[b], other_runs[b + 1]), other_runs[b],
            other_runs[b + 1]});
    }
  }
}

}  // namespace fathom
