// Pages of a supply one at a time, for hosts that read lists in any order.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/residency/paged/page_supply.hpp"

namespace fathom {

/// A page that is looked at and not held. Several readers may be at work on a store, whose pages
/// share a buffer, and allocations may take that away between two calls of at(): what was seen of a
/// page has to be copied before anything else is done.
class FoundPage {
 public:
  /// The supply outlives it.
  explicit FoundPage(PageSupply& supply) : supply_(supply) {}
  ~FoundPage() { supply_.stop(); }
  FoundPage(const FoundPage&) = delete;
  FoundPage& operator=(const FoundPage&) = delete;

  /// The page, which is fetched again where that is needed. @throws: see PageSupply.
  const SuppliedPage& at(const Task& task, std::size_t page) {
    if (page_ && page_->page == page && changes_ == supply_.changes()) return *page_;
    page_.reset();
    task.check();
    supply_.start(std::array{page}, true);
    page_ = supply_.next();
    if (page_->packed) unpack();
    supply_.release(page);
    changes_ = supply_.changes();
    return *page_;
  }

 private:
  void unpack() {
    target_.resize(page_->count());
    unpack_targets(*page_->packed, 1, target_.data());
    page_->data = reinterpret_cast<const std::byte*>(target_.data());
    if (page_->packed_weights) {
      weight_.resize(page_->count());
      unpack_page_weights(*page_->packed, 1, weight_.data());
      page_->weight_data = reinterpret_cast<const std::byte*>(weight_.data());
    }
    page_->packed = nullptr;
  }

  PageSupply& supply_;
  std::optional<SuppliedPage> page_;
  std::vector<VertexId> target_;  // of a page that is packed, and its weights
  std::vector<Weight> weight_;
  std::uint64_t changes_ = 0;  // of the supply, when the page was found
};

}  // namespace fathom
