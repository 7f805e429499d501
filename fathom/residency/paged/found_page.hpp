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
    if (page_->encoded) decode();
    supply_.release(page);
    changes_ = supply_.changes();
    return *page_;
  }

 private:
  void decode() {
    target_.resize(page_->count());
    page_->encoded->decode_targets(1, target_.data());
    page_->data = reinterpret_cast<const std::byte*>(target_.data());
    if (page_->encoded_weights) {
      weight_.resize(page_->count());
      page_->encoded->decode_weights(1, weight_.data());
      page_->weight_data = reinterpret_cast<const std::byte*>(weight_.data());
    }
    page_->encoded = nullptr;
  }

  PageSupply& supply_;
  std::optional<SuppliedPage> page_;
  std::vector<VertexId> target_;  // of a page that is encoded, and its weights
  std::vector<Weight> weight_;
  std::uint64_t changes_ = 0;  // of the supply, when the page was found
};

}  // namespace fathom
