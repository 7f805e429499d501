#include "fathom/residency/slotted/slotted_stream_source.hpp"

#include <algorithm>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/residency/slotted/slotted_lists.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/cuda/page_table.hpp"
#endif

namespace fathom {

SlottedStreamSource::SlottedStreamSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
                                         const store::SlottedLayout& layout,
                                         std::span<const store::RvtEntry> rvt,
                                         const PagingOptions& options)
    : StreamSource(ctx, std::move(supply), options), layout_(layout), rvt_(rvt, vertices()) {
  for (const Device& device : ctx.devices()) {
    auto& page_at = tables_.emplace_back(ctx, device, rvt_).page_at();
    const void* const nowhere = nullptr;
    ctx.fill(device, page_at.data(), page_at.size(), &nowhere, sizeof(nowhere));
  }
  load_offsets([](std::size_t, std::span<const EdgeId>) {});
}

void SlottedStreamSource::mark_pages(const Device* device, const FrontierRef& active, EdgeId first,
                                     std::uint64_t* wanted) {
  const EdgeId* const offset = device ? offsets(*device) : host_offsets();
#if FATHOM_WITH_CUDA
  if (device && device->gpu())
    return cuda::mark_pages(*device->gpu(), active, offset, first,
                            tables(*device).view(layout_, first), wanted);
#endif
  const store::RvtView rvt = device ? tables(*device).view(layout_, first).rvt : rvt_.view();
  auto mark = [&] {
    cpu::for_active(ctx_->threads(), active, 0, vertices(), [&](VertexId v, int) {
      const SlottedPages its =
          slotted_pages_of(rvt, layout_.capacity(), v, offset[v + 1] - offset[v], first);
      for (std::uint32_t p = its.first; p < its.first + its.count; ++p) mark_page(wanted, p);
    });
  };
  if (device)
    ctx_->launch(*device, mark);
  else
    mark();
}

void SlottedStreamSource::count_lines(const Device& device, const FrontierRef& active, EdgeId first,
                                      std::uint32_t most, std::uint32_t* lines) {
  const EdgeId* const offset = offsets(device);
  const SlottedEdges pages = tables(device).view(layout_, first);
#if FATHOM_WITH_CUDA
  if (device.gpu())
    return cuda::count_lines(*device.gpu(), active, offset, first, most, pages, lines);
#endif
  ctx_->launch(device, [&] {
    cpu::for_active(ctx_->threads(), active, 0, vertices(), [&](VertexId v, int) {
      const EdgeId degree = offset[v + 1] - offset[v];
      for_each_slotted_piece(pages, v, degree, first, [&](std::uint32_t page, std::uint64_t bytes) {
        add_lines(lines[page], 0, bytes, most);
      });
    });
  });
}

PageTable SlottedStreamSource::page_table(const Device& device, bool) {
  return {reinterpret_cast<const void**>(tables(device).page_at().data()), nullptr};
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
