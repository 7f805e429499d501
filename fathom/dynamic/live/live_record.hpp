// The record of a list that changes beside others: read and written at once where lists are
// contiguous, word by word where they are linked.
#pragma once

#include "fathom/dynamic/lists/edge_fields.hpp"
#include "fathom/dynamic/lists/lists_ref.hpp"

namespace fathom::dynamic {

/// What an edge carries, as far as its graph keeps it.
struct EdgeData {
  Weight weight = 1;
  EdgeFields fields{};
};

FATHOM_HD EdgeData data_of(const PageRef& page, std::uint32_t i) {
  EdgeData data{page.weight(i), {}};
  if (page.fields != 0)
    data.fields = fields_of_words([&](std::uint32_t k) { return page.field(i, k); });
  return data;
}
FATHOM_HD void set_data(const PageRef& page, std::uint32_t i, const EdgeData& data) {
  page.set_weight(i, data.weight);
  page.set_fields(i, data.fields);
}

class LiveRecord {
 public:
  FATHOM_HD LiveRecord(const DynamicListsRef& lists, VertexId v)
      : lists_(lists),
        at_(lists.record + std::size_t{v} * lists.layout.records()),
        written_(lists.pinned != 0 && lists.written ? lists.written + v : nullptr) {}

  /// As it is now.
  FATHOM_HD DynamicList read() const {
    if (lists_.linked()) return {page().load(Order::Acquire), size().load(), capacity().load()};
    read_ = load();
    return lists_.layout.list(read_);
  }

  // Of a contiguous list; `mine`: as read() was last.
  FATHOM_HD bool has_list(const DynamicList& mine) const {
    return !lists_.linked() && !lists_.layout.on_page(mine.capacity);
  }
  /// Where its entries are: on the page, or in what read() has read.
  FATHOM_HD PageRef entries(const DynamicList& mine) const {
    if (has_list(mine)) return PageRef{read_.word};
    return page_of(lists_.region, lists_.layout, mine.page, mine.capacity);
  }
  /// What a record says that has the list, with a target as entry `at`.
  FATHOM_HD DynamicRecord with(std::uint32_t at, VertexId target) const {
    DynamicRecord now = read_;
    if (at == 0) now.word[1] = now.word[0];
    now.word[at] = static_cast<std::uint32_t>(target);
    return now;
  }
  /// The same of a record with all entries but n from `first` on.
  FATHOM_HD DynamicRecord without(const DynamicList& mine, std::uint32_t first,
                                  std::uint32_t n) const {
    DynamicRecord now{{kNoTarget, kNoTarget}};
    const PageRef in = entries(mine);
    std::uint32_t left = 0;
    for (std::uint32_t i = 0; i < mine.size; ++i)
      if (i - first >= n) now.word[left++] = in.words[i];
    return now;
  }
  FATHOM_HD void store(const DynamicRecord& now) const {
    whole().store(__builtin_bit_cast(std::uint64_t, now), Order::Release);
  }

  // Of a linked one.
  FATHOM_HD AtomicRef<std::uint32_t> page() const { return AtomicRef(at_[0].word[0]); }
  FATHOM_HD AtomicRef<std::uint32_t> size() const { return AtomicRef(at_[0].word[1]); }
  FATHOM_HD AtomicRef<std::uint32_t> capacity() const { return AtomicRef(at_[1].word[0]); }

  /// As DynamicListsRef::written_of(): whoever sees that pages are the list's own sees which.
  FATHOM_HD std::uint32_t written() const {
    if (written_) return AtomicRef(*written_).load(Order::Acquire);
    return lists_.pinned == 0 ? kNoPage : 0;
  }
  /// The list has come to other pages.
  FATHOM_HD void note_pages() const {
    if (written_) AtomicRef(*written_).store(lists_.epoch, Order::Release);
  }

  FATHOM_HD std::uint32_t degree() const {
    return lists_.linked() ? size().load() : lists_.layout.list(load()).size;
  }

 private:
  /// With what was written before it.
  FATHOM_HD DynamicRecord load() const {
    return __builtin_bit_cast(DynamicRecord, whole().load(Order::Acquire));
  }
  FATHOM_HD AtomicRef<std::uint64_t> whole() const {
    return AtomicRef(reinterpret_cast<std::uint64_t&>(*at_));
  }

  const DynamicListsRef& lists_;
  DynamicRecord* at_;
  std::uint32_t* written_;
  mutable DynamicRecord read_{};  // by read(), of a contiguous list
};

}  // namespace fathom::dynamic
