// Pages of packed or narrow lists that are in host memory: handed out as they are, for devices to
// decode.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fathom/residency/paged/host_supplies.hpp"

namespace fathom {

/// `Lists` have offsets; a `Page` is an EncodedPage of them.
template <class Lists, class Page>
class HostEncodedSupply : public HostSupply {
 public:
  void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) override {
    piece(0, offsets());
  }
  bool encoded() const override { return true; }
  SuppliedPage page(std::size_t p, bool weights) const override {
    SuppliedPage page{p, nullptr, nullptr, bytes_of(p)};
    page.encoded = &page_[p];
    page.encoded_weights = weights;
    return page;
  }

 protected:
  HostEncodedSupply(const PageShape& shape, std::shared_ptr<const void> owner, Lists&& lists)
      : HostSupply(shape, std::move(owner)), lists_(std::move(lists)), page_(pages()) {}

  std::span<const EdgeId> offsets() const {
    return {lists_.offset, std::size_t{lists_.vertices} + 1};
  }

  Lists lists_;
  std::vector<Page> page_;  // [pages]
};

}  // namespace fathom
