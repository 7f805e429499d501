#include "fathom/residency/paged/paged_source.hpp"

#include <algorithm>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/residency/paged/host_supplies.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/cuda/page_table.hpp"
#endif

namespace fathom {

PagedSource::PagedSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                         const PagingOptions& options)
    : PagedSource(ctx,
                  std::make_unique<HostArraysSupply>(csr, std::move(owner), options.page_bytes),
                  options) {}

PagedSource::PagedSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
                         const PagingOptions& options)
    : StreamSource(ctx, std::move(supply), options),
      page_shift_(page_shift_of(supply_->page_bytes())) {
  for (const Device& device : ctx.devices()) {
    Tables& t = tables_.emplace_back();
    t.target = Array<const VertexId*>(pages_, device.memory());
    t.weight = Array<const Weight*>(weighted() ? pages_ : 0, device.memory());
    const void* const nowhere = nullptr;
    ctx.fill(device, t.target.data(), t.target.size(), &nowhere, sizeof(nowhere));
    ctx.fill(device, t.weight.data(), t.weight.size(), &nowhere, sizeof(nowhere));
  }
  page_vertex_.reserve(pages_);
  if (const auto lists = supply_->arrays()) note_first_vertices(lists->offset);
  load_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (std::size_t i = 0; i < offset.size() && page_vertex_.size() < pages_; ++i)
      while (page_vertex_.size() < pages_ && page_vertex_.size() << page_shift_ < offset[i])
        page_vertex_.push_back(static_cast<VertexId>(first + i - 1));
  });
}

/// Without reading all of them.
void PagedSource::note_first_vertices(const EdgeId* offset) {
  const EdgeId* const end = offset + vertices() + 1;
  const EdgeId* at = offset;
  while (page_vertex_.size() < pages_) {
    at = std::upper_bound(at, end, static_cast<EdgeId>(page_vertex_.size()) << page_shift_);
    page_vertex_.push_back(static_cast<VertexId>(at - offset - 1));
  }
}

void PagedSource::mark_pages(const Device* device, const FrontierRef& active, EdgeId first,
                             std::uint64_t* wanted) {
  const EdgeId* const offset = device ? offsets(*device) : host_offsets();
#if FATHOM_WITH_CUDA
  if (device && device->gpu())
    return cuda::mark_pages(*device->gpu(), active, offset, first, page_shift_, wanted);
#endif
  auto mark = [&] {
    cpu::for_active(ctx_->threads(), active, 0, vertices(), [&](VertexId v, int) {
      const EdgeCursor list = detail::list_of(offset, v, first);
      if (list.pos == list.end) return;
      const EdgeId last_page = (list.end - 1) >> page_shift_;
      for (EdgeId p = list.pos >> page_shift_; p <= last_page; ++p) mark_page(wanted, p);
    });
  };
  if (device)
    ctx_->launch(*device, mark);
  else
    mark();
}

void PagedSource::count_lines(const Device& device, const FrontierRef& active, EdgeId first,
                              std::uint32_t most, std::uint32_t* lines) {
  const EdgeId* const offset = offsets(device);
#if FATHOM_WITH_CUDA
  if (device.gpu())
    return cuda::count_lines(*device.gpu(), active, offset, first, most, page_shift_, deal_,
                             on(device).turn, lines);
#endif
  ctx_->launch(device, [&] {
    cpu::for_active(ctx_->threads(), active, 0, vertices(), [&](VertexId v, int) {
      const EdgeCursor list = detail::list_of(offset, v, first);
      for (EdgeId at = list.pos; at < list.end;) {
        const EdgeId page = at >> page_shift_, begin = page << page_shift_;
        const EdgeId end = std::min(list.end, begin + (EdgeId{1} << page_shift_));
        add_lines(lines[page], (at - begin) * sizeof(VertexId), (end - begin) * sizeof(VertexId),
                  most);
        at = end;
      }
    });
  });
}

PageTable PagedSource::page_table(const Device& device, bool weights) {
  Tables& t = tables(device);
  return {reinterpret_cast<const void**>(t.target.data()),
          weights ? reinterpret_cast<const void**>(t.weight.data()) : nullptr};
}

AnyEdges PagedSource::view(const Device& device, const SweepOptions& options) {
  const Tables& t = tables(device);
  return PagedEdges{offsets(device), t.target.data(), options.weights ? t.weight.data() : nullptr,
                    page_shift_, options.first};
}

VertexId PagedSource::end_of(std::size_t page) const {
  // The next page's first edge may belong to the list that this one ends with.
  return page + 1 < pages_ ? page_vertex_[page + 1] + 1 : vertices();
}

}  // namespace fathom
