#include "fathom/residency/ssd/streamed_store.hpp"

#include "fathom/residency/paged_source.hpp"
#include "fathom/residency/ssd/ssd_supply.hpp"

namespace fathom {

using store::SectionId;

StreamedStore::StreamedStore(const Context& ctx, const std::string& path,
                             const PagingOptions& options)
    : ctx_(&ctx), options_(options), buffer_(std::make_shared<PageBuffer>(ctx, path, options)) {}

std::unique_ptr<PageSupply> StreamedStore::supply(const ListSectionIds& sections) const {
  ListSectionIds wanted = sections;
  if (!buffer_->reads().file().layout().header.weighted) wanted.weights.reset();
  return std::make_unique<SsdSupply>(*ctx_, buffer_, wanted, options_.page_bytes);
}

std::unique_ptr<PageSupply> StreamedStore::out_pages() const {
  return supply({SectionId::OutOffsets, SectionId::OutTargets, SectionId::OutWeights});
}

std::unique_ptr<PageSupply> StreamedStore::in_pages() const {
  if (buffer_->reads().file().layout().header.symmetric) return out_pages();
  return supply({SectionId::InOffsets, SectionId::InTargets, SectionId::InWeights});
}

bool StreamedStore::has_oriented() const {
  return buffer_->reads().has(SectionId::OrientedOffsets);
}

std::unique_ptr<PageSupply> StreamedStore::oriented_pages() const {
  return supply({SectionId::OrientedOffsets, SectionId::OrientedTargets, {}});
}

std::unique_ptr<EdgeSource> StreamedStore::source(std::unique_ptr<PageSupply> pages) const {
  return std::make_unique<PagedSource>(*ctx_, std::move(pages), options_);
}

std::unique_ptr<EdgeSource> StreamedStore::out() const {
  return source(out_pages());
}

std::unique_ptr<EdgeSource> StreamedStore::in() const {
  return source(in_pages());
}

std::unique_ptr<EdgeSource> StreamedStore::oriented() const {
  return source(oriented_pages());
}

}  // namespace fathom
