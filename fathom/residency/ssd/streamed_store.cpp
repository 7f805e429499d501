#include "fathom/residency/ssd/streamed_store.hpp"

#include "fathom/residency/encoded/decoding_supply.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/slotted/slotted_stream_source.hpp"
#include "fathom/residency/ssd/narrow_ssd_supply.hpp"
#include "fathom/residency/ssd/packed_ssd_supply.hpp"
#include "fathom/residency/ssd/slotted_rvt.hpp"
#include "fathom/residency/ssd/ssd_supply.hpp"

namespace fathom {

using store::Lists;
using store::SectionId;

namespace {

PagingOptions paging_of(const std::string& path, PagingOptions options) {
  const store::StoreFile file(path);
  if (const store::SectionEntry* pages = file.layout().find(SectionId::OutPages))
    options.page_bytes = pages->element_bytes;
  return options;
}

ListSectionIds sections_of(const store::Layout& layout, Lists lists) {
  using enum SectionId;
  const bool out = lists == Lists::Out;
  if (lists == Lists::Oriented) return {OrientedOffsets, OrientedTargets, {}};
  if (layout.slotted()) return {out ? OutOffsets : InOffsets, out ? OutPages : InPages, {}};
  ListSectionIds sections{out ? OutOffsets : InOffsets, out ? OutTargets : InTargets, {}};
  if (layout.header.weighted) sections.weights = out ? OutWeights : InWeights;
  return sections;
}

}  // namespace

StreamedStore::StreamedStore(const Context& ctx, const std::string& path,
                             const PagingOptions& options)
    : ctx_(&ctx),
      options_(paging_of(path, options)),
      buffer_(std::make_shared<PageBuffer>(ctx, path, options_)) {}

std::unique_ptr<PageSupply> StreamedStore::pages(Lists lists) const {
  const store::Layout& layout = buffer_->reads().file().layout();
  const bool out = lists == Lists::Out;
  std::unique_ptr<PageSupply> encoded;
  if (layout.packed() && lists != Lists::Oriented)
    encoded = std::make_unique<PackedSsdSupply>(*ctx_, buffer_, out, options_.page_bytes);
  if (layout.narrow() && lists != Lists::Oriented)
    encoded = std::make_unique<NarrowSsdSupply>(*ctx_, buffer_, out, options_.page_bytes);
  // Devices decode what is copied to them, but for GPUs, which have no kernels for narrow pages.
  if (encoded && ctx_->separate() && !(ctx_->on_gpu() && layout.narrow())) return encoded;
  if (encoded) return std::make_unique<DecodingSupply>(*ctx_, std::move(encoded));
  return std::make_unique<SsdSupply>(*ctx_, buffer_, sections_of(layout, lists),
                                     options_.page_bytes);
}

std::unique_ptr<EdgeSource> StreamedStore::source(Lists lists) const {
  SectionReads& reads = buffer_->reads();
  if (!reads.file().layout().slotted() || lists == Lists::Oriented)
    return std::make_unique<PagedSource>(*ctx_, pages(lists), options_);
  const bool out = lists == Lists::Out;
  const auto rvt = read_rvt(*ctx_, reads, out ? SectionId::OutRvt : SectionId::InRvt,
                            out ? SectionId::OutPages : SectionId::InPages);
  return std::make_unique<SlottedStreamSource>(*ctx_, pages(lists), rvt->lists.layout,
                                               rvt->lists.rvt, options_);
}

Lists StreamedStore::in_lists() const {
  return buffer_->reads().file().layout().header.symmetric ? Lists::Out : Lists::In;
}

bool StreamedStore::has_oriented() const {
  return buffer_->reads().has(SectionId::OrientedOffsets);
}

std::unique_ptr<EdgeSource> StreamedStore::out() const {
  return source(Lists::Out);
}

std::unique_ptr<EdgeSource> StreamedStore::in() const {
  return source(in_lists());
}

std::unique_ptr<EdgeSource> StreamedStore::oriented() const {
  return source(Lists::Oriented);
}

}  // namespace fathom
