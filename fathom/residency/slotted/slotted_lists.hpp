// Lists of slotted pages one at a time, on the host: record ids and weights, decoded.
#pragma once

#include <functional>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/paged/found_page.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom {

/// What is shown is a copy: see FoundPage.
class SlottedListReader final : public ListReader {
 public:
  /// All but `offset_at`, which tells where the list of a vertex begins, is kept by reference.
  SlottedListReader(const Task& task, PageSupply& supply, const store::SlottedLayout& layout,
                    const store::RvtTables& rvt, std::function<EdgeId(VertexId)> offset_at)
      : task_(task),
        page_(supply),
        offset_at_(std::move(offset_at)),
        page_at_(supply.pages(), nullptr),
        edges_(slotted_edges(page_at_.data(), rvt.view(), layout)) {}

  EdgeId degree(VertexId v) override { return offset_at_(v + 1) - offset_at_(v); }

  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    if (degree(v) == 0) return;
    const std::uint32_t last = edges_.rvt.last_page_of(v);
    std::uint32_t page = edges_.rvt.page_of(v);
    find(page);
    SlottedSpan entries;
    for (auto cursor = edges_.begin(v); edges_.next(cursor, entries);) {
      decode(entries);
      span({target_.data(), entries.step == entries.id_halves ? nullptr : weight_.data(),
            entries.size});
      find(page < last ? ++page : page);  // whose entries the cursor is at
    }
  }

 private:
  void find(std::uint32_t page) {
    const std::byte* const data = page_.at(task_, page).data;
    page_at_[shown_] = nullptr;
    page_at_[page] = data;
    shown_ = page;
  }

  void decode(const SlottedSpan& entries) {
    target_.resize(entries.size);
    weight_.resize(entries.size);
    for (std::uint32_t i = 0; i < entries.size; ++i) {
      target_[i] = entries.target(i);
      weight_[i] = entries.weight(i);
    }
  }

  const Task& task_;
  FoundPage page_;
  std::function<EdgeId(VertexId)> offset_at_;
  std::vector<const std::byte*> page_at_;
  SlottedEdges edges_;
  std::uint32_t shown_ = 0;  // page
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

}  // namespace fathom
