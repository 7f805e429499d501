#include "fathom/residency/slotted_stream_source.hpp"

#include <algorithm>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/residency/slotted_lists.hpp"

namespace fathom {

SlottedStreamSource::SlottedStreamSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
                                         const store::SlottedLayout& layout,
                                         std::span<const store::RvtEntry> rvt,
                                         const PagingOptions& options)
    : StreamSource(ctx, std::move(supply), options), layout_(layout), rvt_(rvt, vertices()) {
  for (const Device& device : ctx.devices()) {
    auto& page_at = tables_.emplace_back(ctx, device, rvt_).page_at();
    ctx.launch(device, [&] { std::fill(page_at.begin(), page_at.end(), nullptr); });
  }
  load_offsets([](std::size_t, std::span<const EdgeId>) {});
}

void SlottedStreamSource::mark_pages(const Device* device, const FrontierRef& active, EdgeId first,
                                     std::uint64_t* wanted) {
  const store::RvtView rvt = device ? tables(*device).view(layout_, first).rvt : rvt_.view();
  const EdgeId* const offset = device ? offsets(*device) : host_offsets();
  const std::uint32_t capacity = layout_.capacity();
  cpu::for_active(ctx_->threads(), active, 0, vertices(), [&](VertexId v, int) {
    const EdgeId degree = offset[v + 1] - offset[v];
    if (degree == 0 || first == 0) return;
    const std::uint32_t last = rvt.last_page_of(v);
    const std::uint32_t from = last - rvt.large[last].index;
    // The page of the last edge that is shown: not one per capacity of `first`, which is larger.
    const EdgeId past = (std::min(degree, first) - 1) / capacity;
    for (std::uint32_t p = from; p <= std::min<EdgeId>(last, from + past); ++p)
      mark_page(wanted, p);
  });
}

void SlottedStreamSource::set_pages(const Device& device, const std::vector<Shown>& pages,
                                    bool there) {
  auto& page_at = tables(device).page_at();
  for (const Shown& s : pages) page_at[s.page] = there ? s.data : nullptr;
}

AnyEdges SlottedStreamSource::view(const Device& device, const SweepOptions& options) {
  return tables(device).view(layout_, options.first);
}

VertexId SlottedStreamSource::end_of(std::size_t page) const {
  // A page that shares its first vertex with the next has that vertex alone.
  return std::max(rvt_.start_vid[page] + 1, rvt_.start_vid[page + 1]);
}

void SlottedStreamSource::sweep_pairs(const Context&, FunctionRef<void(const PairPass&)>) {
  throw Error(ErrorCode::Internal, "pairs of lists were asked of slotted pages");
}

std::unique_ptr<ListReader> SlottedStreamSource::read_lists() {
  return std::make_unique<SlottedListReader>(ctx_->task(), *supply_, layout_, rvt_,
                                             [this](VertexId v) { return offset_at(v); });
}

}  // namespace fathom
