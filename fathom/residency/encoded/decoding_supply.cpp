#include "fathom/residency/encoded/decoding_supply.hpp"

namespace fathom {
namespace {

PageShape decoded_shape(const PageSupply& encoded) {
  return PageShape::csr(encoded.vertices(), encoded.edges(), encoded.weighted(),
                        encoded.page_bytes());
}

}  // namespace

DecodingSupply::DecodingSupply(const Context& ctx, std::unique_ptr<PageSupply> encoded)
    : MakingSupply(ctx, decoded_shape(*encoded), std::move(encoded)) {}

void DecodingSupply::start_making(std::span<const std::size_t> pages, bool weights) {
  weights_ = weights;
  from().start(pages, weights);
}

std::optional<std::size_t> DecodingSupply::next_to_make(bool wait) {
  encoded_ = wait ? from().next() : from().try_next();
  if (!encoded_) return std::nullopt;
  return encoded_->page;
}

void DecodingSupply::make(std::size_t page, std::byte* into) {
  encoded_->encoded->decode_targets(context().threads(), reinterpret_cast<VertexId*>(into));
  if (weights_)
    encoded_->encoded->decode_weights(context().threads(),
                                      reinterpret_cast<Weight*>(into + page_bytes()));
  from().release(page);
}

}  // namespace fathom
