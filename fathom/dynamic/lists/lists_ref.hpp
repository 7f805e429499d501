// The lists of one direction while they change: where each is, what room it is to have, and
// whether a snapshot has its pages.
#pragma once

#include "fathom/dynamic/lists/linked_body.hpp"
#include "fathom/dynamic/pages/page_store.hpp"

namespace fathom::dynamic {

/// How large the page of a contiguous list may be beyond what it needs.
struct ListRoom {
  std::uint32_t slack_percent = 0;    // more entries than a list has that grows out of its page
  std::uint32_t shrink_percent = 50;  // of a page that a list has to fill to keep it

  // From here on slack falls off: a longer list, which is seldom close to the end of its page, gets
  // as many more entries as one of this size (the falloff of section 6.2.1 of Winter's thesis).
  static constexpr std::uint32_t kFullSlack = 256;

  FATHOM_HD std::uint32_t with_slack(std::uint32_t size) const {
    const std::uint64_t more =
        std::uint64_t{size < kFullSlack ? size : kFullSlack} * slack_percent / 100;
    return size + more < kNoPage / 2 ? static_cast<std::uint32_t>(size + more) : size;
  }
};

enum class ListForm { Contiguous, Linked, Sorted };  // Sorted: linked, and ascending

/// All lists of a direction, for whoever changes them.
struct DynamicListsRef {
  std::uint32_t* region;
  DynamicRecord* record;  // [lists * layout.records()]
  DynamicLayout layout;
  std::uint32_t epoch;  // of the batch
  /// Pages that lists came to in an epoch up to this one are in a snapshot; 0: there is none.
  std::uint32_t pinned;
  ListRoom its_room = {};
  /// [lists], the epochs in which they came to their pages, of lists that did so since there are
  /// snapshots, else 0. Null: none did.
  std::uint32_t* written = nullptr;

  FATHOM_HD bool linked() const { return layout.linked(); }
  FATHOM_HD ListForm form() const {
    return !linked() ? ListForm::Contiguous : layout.sorted ? ListForm::Sorted : ListForm::Linked;
  }
  FATHOM_HD LinkedPages pages() const { return {region, layout}; }
  FATHOM_HD DynamicList list(std::size_t v) const { return layout.list(record, v); }
  /// Where the contiguous list of v lies, which is `l`: on its page, or in the record.
  FATHOM_HD PageRef page(std::size_t v, const DynamicList& l) const {
    PageRef page = page_of(region, layout, l.page, l.capacity);
    if (!layout.on_page(l.capacity)) page.words = record[v].word;
    return page;
  }
  /// The epoch in which a list came to its page: one up to `pinned` if a snapshot has that.
  FATHOM_HD std::uint32_t written_of(std::size_t v) const {
    constexpr std::uint32_t kAfterAll = ~std::uint32_t{0};
    if (pinned == 0) return kAfterAll;
    return written ? written[v] : 0;
  }
  /// What is said of a list from now on; `moves`: it has come to other pages. By one lane.
  FATHOM_HD void set(std::size_t v, const DynamicList& l, bool moves) const {
    layout.write(record, v, l);
    if (moves && written) written[v] = epoch;
  }
  /// Bytes of each of the pages of a list with room for so many entries.
  FATHOM_HD std::uint64_t bytes_for(std::uint32_t entries) const {
    if (!layout.on_page(entries)) return 0;
    return linked() ? std::uint64_t{layout.link_words} * 4
                    : page_bytes_for(std::uint64_t{entries} * layout.entry_words * 4);
  }
  /// Pages of a list with room for so many entries.
  FATHOM_HD std::uint32_t pages_for(std::uint32_t entries) const {
    return linked() ? pages().pages_for(entries) : layout.on_page(entries) ? 1 : 0;
  }
  /// Entries that there is room for on the pages of a list of so many edges.
  FATHOM_HD std::uint32_t capacity_for(std::uint32_t entries) const {
    if (linked()) return pages_for(entries) * layout.link_entries();
    if (!layout.on_page(entries)) return layout.inlined;
    return layout.entries_on(static_cast<std::uint32_t>(bytes_for(entries) / 4));
  }
  /// Entries that there has to be room for when a list with room for `capacity` has come to `size`.
  FATHOM_HD std::uint32_t room_for(std::uint32_t size, std::uint32_t capacity) const {
    if (linked() || size == 0) return size;
    std::uint32_t room = its_room.with_slack(size);
    if (room > layout.most_edges()) room = size;
    const bool fits = size <= capacity;
    const bool keeps =
        capacity <= capacity_for(room) ||
        std::uint64_t{size} * 100 > std::uint64_t{capacity} * its_room.shrink_percent;
    return fits && keeps ? capacity : room;
  }
};

}  // namespace fathom::dynamic
