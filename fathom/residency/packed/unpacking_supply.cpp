#include "fathom/residency/packed/unpacking_supply.hpp"

#include "fathom/residency/packed/packed_page.hpp"

namespace fathom {
namespace {

PageShape unpacked_shape(const PageSupply& packed) {
  return PageShape::csr(packed.vertices(), packed.edges(), packed.weighted(), packed.page_bytes());
}

}  // namespace

UnpackingSupply::UnpackingSupply(const Context& ctx, std::unique_ptr<PageSupply> packed)
    : MakingSupply(ctx, unpacked_shape(*packed), std::move(packed)) {}

void UnpackingSupply::start_making(std::span<const std::size_t> pages, bool weights) {
  weights_ = weights;
  from().start(pages, weights);
}

std::optional<std::size_t> UnpackingSupply::next_to_make(bool wait) {
  packed_ = wait ? from().next() : from().try_next();
  if (!packed_) return std::nullopt;
  return packed_->page;
}

void UnpackingSupply::make(std::size_t page, std::byte* into) {
  unpack_targets(*packed_->packed, context().threads(), reinterpret_cast<VertexId*>(into));
  if (weights_)
    unpack_page_weights(*packed_->packed, context().threads(),
                        reinterpret_cast<Weight*>(into + page_bytes()));
  from().release(page);
}

}  // namespace fathom
