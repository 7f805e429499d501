// One list of a graph that changes, changed by a lane group beside others: what insertion and
// deletion are made of, for each way in which lists lie. No containers, no threads, no CUDA.
//
// ensure() comes first and is all that may fail; what follows changes entries in place. All but
// what is said of lists with markers is for who has the list's lock.
//
// Lists with markers (aimGraph, section 3.3 of Winter's thesis) lose entries without it: a target
// is replaced by a marker, atomically, and only who has the lock replaces a marker. Pages of such a
// list never leave it, so that a walk may meet anything but foreign pages; pages of a snapshot are
// left as they are, so that lists come to pages of their own first, under the lock.
#pragma once

#include "fathom/dynamic/batches/changes.hpp"
#include "fathom/dynamic/live/live_pages.hpp"
#include "fathom/dynamic/live/live_record.hpp"

namespace fathom::dynamic {

/// Every lane of the group makes one and calls the same functions. `G`: an OrderedLanes; `Pages`:
/// LivePages.
///
/// Without the lock, lists become longer and get pages while they are walked over: whether there is
/// a next page is looked up by one lane for all.
template <class G, class Pages>
class LiveList {
 public:
  FATHOM_HD LiveList(const G& group, const DynamicListsRef& lists, const Pages& pages,
                     VertexId vertex)
      : g_(group), lists_(lists), pages_(pages), record_(lists, vertex) {}

  /// Whether no page is the list's own: there is none, or a snapshot shows them. For all lanes,
  /// without the lock too: pages become the list's own, and stay that.
  FATHOM_HD bool pinned() const {
    const bool none = record_.capacity().load(Order::Acquire) == 0;
    return g_.from_first(none || record_.written() <= lists_.pinned ? 1 : 0) != 0;
  }

  /// How many entries are of `target`. With markers: without the lock, too.
  FATHOM_HD std::uint32_t count(VertexId target) {
    change_ = {};
    change_.target = target;
    if (lists_.linked()) {
      walk(target, [](const PageRef&, std::uint32_t) {});
    } else {
      const DynamicList mine = record();
      change_.kind = ChangeKind::Remove;  // a position before them
      locate(record_.entries(mine), 0, mine.size, change_);
    }
    return change_.found;
  }
  /// Of an entry of `target`; false where there is none.
  FATHOM_HD bool find(VertexId target, EdgeData& its) {
    if (!lists_.linked()) {
      if (count(target) == 0) return false;
      its = data_of(record_.entries(record()), change_.position);
      return true;
    }
    bool mine = false;
    walk(target, [&](const PageRef& page, std::uint32_t i) {
      its = data_of(page, i);
      mine = true;
    });
    const std::uint32_t who = g_.ballot(mine);
    if (who == 0) return false;
    its.weight = shuffle(g_, its.weight, lowest_lane(who));
    if (has_fields(lists_.layout)) its.fields = shuffle(g_, its.fields, lowest_lane(who));
    return true;
  }

  /// Has pages of its own, with room for so many entries more. False when there is no page for
  /// that; the list is as before then.
  FATHOM_HD bool ensure(std::uint32_t extra) {
    const DynamicList mine = record();
    if (g_.ballot(mine.size + extra > lists_.layout.most_edges()) != 0) return false;
    if (record_.has_list(mine) && mine.size + extra <= mine.capacity) return true;
    const bool own = mine.capacity != 0 && record_.written() > lists_.pinned;
    if (lists_.layout.markers && own) return extra == 0 || slot_.page != kNoPage || append(mine);
    if (own && mine.size + extra <= mine.capacity) return true;
    if (!lists_.linked()) return move_to(mine, lists_.room_for(mine.size + extra, mine.capacity));
    return own ? append(mine) : copy_linked(mine, mine.size + extra);
  }

  /// Adds an entry behind the others of `target`, which count() was asked for last. There is room.
  FATHOM_HD void put(VertexId target, const EdgeData& data) {
    const DynamicList mine = record();
    if (lists_.layout.markers) {
      if (g_.rank() == 0) {
        const PageRef page = lists_.pages().page(slot_.page);
        set_data(page, slot_.at, data);
        // Before the entry can be seen: whoever deletes it takes one from the size.
        record_.size().fetch_add(1u);
        word(page, slot_.at).store(static_cast<std::uint32_t>(target), Order::Release);
      }
      return;
    }
    if (lists_.linked()) {
      if (g_.rank() == 0) {
        const LinkedPlace at = LinkedPlace{mine.page, 0}.slot(lists_.pages(), mine.size);
        const PageRef page = lists_.pages().page(at.page);
        page.set(at.at, target, data.weight);
        page.set_fields(at.at, data.fields);
      }
    } else if (record_.has_list(mine)) {
      return store(record_.with(change_.position + change_.found, target));
    } else {
      Change add = change_;
      add.kind = ChangeKind::Add;
      add.weight = data.weight;
      add.position += add.found;
      const PageRef page = record_.entries(mine);
      insert(g_, &add, &add + 1, UpdateData{}, page, mine.size, mine.size + 1);
      if (g_.rank() == 0) page.set_fields(add.position, data.fields);
    }
    store_size({mine.page, mine.size + 1, mine.capacity});
  }

  /// Gives the entries that count() found their weight and fields.
  FATHOM_HD void set(VertexId target, const EdgeData& data) {
    if (lists_.linked())
      return walk(target, [&](const PageRef& page, std::uint32_t i) { set_data(page, i, data); });
    const PageRef page = record_.entries(record());
    for (std::uint32_t i = g_.rank(); i < change_.found; i += g_.size())
      set_data(page, change_.position + i, data);
  }

  /// Takes the entries out that count() found, and gives up room if there is much. Not for lists
  /// with markers.
  FATHOM_HD void take_out() {
    DynamicList mine = record();
    change_.kind = ChangeKind::Remove;
    if (record_.has_list(mine))
      return store(record_.without(mine, change_.position, change_.found));
    if (lists_.linked())
      rewrite_linked(g_, lists_.pages(), mine, &change_, &change_ + 1, UpdateData{},
                     {mine.page, 0});
    else
      rewrite(g_, &change_, &change_ + 1, UpdateData{}, record_.entries(mine), mine.size,
              record_.entries(mine), false);
    mine.size -= change_.found;
    store_size(mine);
    give_up_room(mine);
    g_.ballot(true);
  }
  /// Of what ensure() has brought, what is not needed for an entry that does not come after all.
  FATHOM_HD void undo_ensure() {
    if (!lists_.layout.markers) give_up_room(record());
    g_.ballot(true);
  }

  /// Replaces up to `most` entries of `target` by markers. Without the lock. Returns how many.
  FATHOM_HD std::uint32_t mark(VertexId target, std::uint32_t most) {
    const LinkedPages pages = lists_.pages();
    std::uint32_t marked = 0;
    for (std::uint32_t p = first_page(); p != kNoPage && marked < most; p = next_page(p)) {
      const PageRef page = pages.page(p);
      for (std::uint32_t base = 0; base < pages.entries() && marked < most; base += g_.size()) {
        const std::uint32_t i = base + g_.rank();
        const bool hit = i < pages.entries() && word(page, i).load(Order::Acquire) == target;
        const std::uint32_t before = count_bits(g_.ballot(hit) & ((1u << g_.rank()) - 1));
        auto expected = static_cast<std::uint32_t>(target);
        const bool took =
            hit && marked + before < most && word(page, i).compare_exchange(expected, kDeletedEdge);
        marked += count_bits(g_.ballot(took));
      }
    }
    if (g_.rank() == 0 && marked != 0) record_.size().fetch_add(0u - marked);
    return marked;
  }

  /// visit(target, data) for each entry, each by one lane.
  template <class Visit>
  FATHOM_HD void each(const Visit& visit) const {
    const DynamicList mine = record();
    if (!lists_.linked()) {
      const PageRef page = record_.entries(mine);
      for (std::uint32_t i = g_.rank(); i < mine.size; i += g_.size())
        visit(page.target(i), data_of(page, i));
      return;
    }
    walk_entries([&](const PageRef& page, std::uint32_t i, std::uint32_t target) {
      visit(VertexId{target}, data_of(page, i));
    });
  }

 private:
  FATHOM_HD static std::uint32_t lowest_lane(std::uint32_t votes) {
    return count_bits((votes & (0u - votes)) - 1);
  }
  FATHOM_HD static AtomicRef<std::uint32_t> word(const PageRef& page, std::uint32_t i) {
    return AtomicRef(page.words[std::size_t{i} * page.step]);
  }
  /// As it is now, for who has the lock; with markers its size, once the pages are the list's own,
  /// changes meanwhile, and is not for decisions of all lanes.
  FATHOM_HD DynamicList record() const { return record_.read(); }
  /// Of a contiguous list: what its record says now.
  FATHOM_HD void store(const DynamicRecord& now) const {
    g_.ballot(true);
    if (g_.rank() == 0) record_.store(now);
    g_.ballot(true);
  }
  FATHOM_HD void store_size(const DynamicList& now) const {
    if (!lists_.linked()) return store(lists_.layout.record_on_page(now));
    g_.ballot(true);
    if (g_.rank() == 0) record_.size().store(now.size);
    g_.ballot(true);
  }
  /// For all lanes.
  FATHOM_HD std::uint32_t first_page() const {
    const bool some = record_.capacity().load(Order::Acquire) != 0;
    return g_.from_first(some ? record_.page().load(Order::Acquire) : kNoPage);
  }
  FATHOM_HD std::uint32_t next_page(std::uint32_t p) const {
    return g_.from_first(AtomicRef(lists_.pages().link(p)).load(Order::Acquire));
  }

  /// visit(page, i, target) for each entry of a linked list, each by one lane. Where there are
  /// markers slot_ becomes the first of them.
  template <class Visit>
  FATHOM_HD void walk_entries(const Visit& visit) const {
    const LinkedPages pages = lists_.pages();
    const bool markers = lists_.layout.markers;
    slot_ = {kNoPage, 0};
    std::uint32_t left = markers ? kNoPage : record().size;
    for (std::uint32_t p = first_page(); p != kNoPage && left > 0;) {
      const PageRef page = pages.page(p);
      for (std::uint32_t base = 0; base < pages.entries() && left > 0; base += g_.size()) {
        const std::uint32_t i = base + g_.rank();
        const bool there = i < pages.entries() && (markers || g_.rank() < left);
        const std::uint32_t target = there ? word(page, i).load(Order::Acquire) : kDeletedEdge;
        if (!markers) left -= count_bits(g_.ballot(there));
        if (markers && slot_.page == kNoPage) {
          const std::uint32_t marked = g_.ballot(there && target == kDeletedEdge);
          if (marked != 0) slot_ = {p, base + lowest_lane(marked)};
        }
        if (there && target != kDeletedEdge) visit(page, i, target);
      }
      p = markers || left > 0 ? next_page(p) : kNoPage;
    }
  }
  /// visit(page, i) for each entry of a linked list of that target, each by one lane; counts them.
  template <class Visit>
  FATHOM_HD void walk(VertexId target, const Visit& visit) {
    std::uint32_t found = 0;
    walk_entries([&](const PageRef& page, std::uint32_t i, std::uint32_t its) {
      if (its != target) return;
      ++found;
      visit(page, i);
    });
    change_.found = reduce(g_, found, [](std::uint32_t a, std::uint32_t b) { return a + b; });
  }

  /// By all lanes, one of which asks.
  FATHOM_HD std::uint32_t allocate(std::uint64_t bytes) const {
    std::uint32_t page = kNoPage;
    if (g_.rank() == 0) page = pages_.allocate(bytes);
    page = g_.shfl(page, 0);
    g_.ballot(true);
    return page;
  }
  /// By one lane.
  FATHOM_HD void leave_page(std::uint32_t page, std::uint64_t bytes, std::uint32_t written) const {
    pages_.leave({bytes, page}, written, lists_.epoch, lists_.pinned);
  }

  /// Moves a contiguous list to a page with room for so many entries, or into its record.
  FATHOM_HD bool move_to(const DynamicList& mine, std::uint32_t room) const {
    DynamicList now{0, mine.size, lists_.capacity_for(room)};
    const bool to_page = lists_.layout.on_page(now.capacity);
    DynamicRecord its;
    if (to_page) {
      now.page = allocate(lists_.bytes_for(room));
      if (now.page == kNoPage) return false;
      move_down<UpdateData>(g_, record_.entries(mine), 0, record_.entries(now), 0, mine.size);
      its = lists_.layout.record_on_page(now);
    } else {
      its = record_.without(mine, 0, 0);
    }
    g_.ballot(true);
    if (g_.rank() == 0) {
      if (!record_.has_list(mine))
        leave_page(mine.page, lists_.bytes_for(mine.capacity), record_.written());
      if (to_page) record_.note_pages();
    }
    store(its);
    return true;
  }

  FATHOM_HD std::uint64_t linked_bytes() const {
    return std::uint64_t{lists_.layout.link_words} * 4;
  }
  /// A chain of so many pages, with markers if there are any; kNoPage when one is missing.
  FATHOM_HD std::uint32_t grab_chain(std::uint32_t n) const {
    const LinkedPages pages = lists_.pages();
    std::uint32_t head = kNoPage;
    bool all = true;
    if (g_.rank() == 0) {
      for (std::uint32_t k = 0; k < n && all; ++k) {
        const std::uint32_t page = pages_.allocate(linked_bytes());
        all = page != kNoPage;
        if (all) {
          AtomicRef(pages.link(page)).store(head);
          head = page;
        }
      }
      while (!all && head != kNoPage) {
        const std::uint32_t page = head;
        head = pages.link(page);
        pages_.free(page, linked_bytes());
      }
    }
    g_.ballot(true);
    head = g_.shfl(head, 0);
    if (lists_.layout.markers)
      for (std::uint32_t p = head; p != kNoPage; p = pages.link(p))
        for (std::uint32_t i = g_.rank(); i < pages.entries(); i += g_.size())
          pages.page(p).words[std::size_t{i} * pages.page(p).step] = kDeletedEdge;
    g_.ballot(true);
    return head;
  }
  /// A page more behind those of a linked list.
  FATHOM_HD bool append(const DynamicList& mine) {
    const LinkedPages pages = lists_.pages();
    const std::uint32_t fresh = grab_chain(1);
    if (fresh == kNoPage) return false;
    if (g_.rank() == 0) {
      const std::uint32_t last = LinkedPlace{mine.page, 0}.after(pages, mine.capacity).page;
      AtomicRef(pages.link(last)).store(fresh, Order::Release);
      record_.capacity().store(mine.capacity + pages.entries(), Order::Release);
    }
    slot_ = {fresh, 0};
    g_.ballot(true);
    return true;
  }
  /// Moves a linked list to other pages, with room for so many entries, without gaps.
  FATHOM_HD bool copy_linked(const DynamicList& mine, std::uint32_t room) {
    const LinkedPages pages = lists_.pages();
    const std::uint32_t needed = pages.pages_for(room);
    const std::uint32_t fresh = grab_chain(needed);
    if (fresh == kNoPage) return false;
    rewrite_linked(g_, pages, mine, nullptr, nullptr, UpdateData{}, {fresh, 0});
    g_.ballot(true);
    slot_ =
        room > mine.size ? LinkedPlace{fresh, 0}.slot(pages, mine.size) : LinkedPlace{kNoPage, 0};
    leave_chain(mine.page, mine.capacity, record_.written());
    publish(fresh, needed * pages.entries(), mine.capacity == 0);
    return true;
  }
  /// Room that is more than the list has to have.
  FATHOM_HD void give_up_room(const DynamicList& mine) const {
    if (lists_.linked()) return drop_pages(mine);
    const std::uint32_t room = lists_.room_for(mine.size, mine.capacity);
    if (lists_.capacity_for(room) < mine.capacity) move_to(mine, room);  // or stay
  }
  /// The first page of a linked list, for walks without the lock: whoever sees that pages are the
  /// list's own, or that there are any, sees which. `first`: there were none.
  FATHOM_HD void publish(std::uint32_t page, std::uint32_t capacity, bool first) const {
    if (g_.rank() == 0) {
      record_.page().store(page, Order::Release);
      if (!first) record_.capacity().store(capacity, Order::Release);
      record_.note_pages();
      if (first) record_.capacity().store(capacity, Order::Release);
    }
    g_.ballot(true);
  }
  FATHOM_HD void leave_chain(std::uint32_t page, std::uint32_t capacity,
                             std::uint32_t written) const {
    if (g_.rank() != 0) return;
    for (std::uint32_t n = lists_.pages_for(capacity); n > 0; --n) {
      const std::uint32_t next = n > 1 ? lists_.pages().link(page) : kNoPage;
      leave_page(page, linked_bytes(), written);
      page = next;
    }
  }
  /// Gives pages back behind the last entry of a linked list without markers.
  FATHOM_HD void drop_pages(const DynamicList& mine) const {
    const LinkedPages pages = lists_.pages();
    const std::uint32_t have = lists_.pages_for(mine.capacity), needed = pages.pages_for(mine.size);
    if (needed == have || g_.rank() != 0) return;
    std::uint32_t gone = LinkedPlace{mine.page, 0}.slot(pages, needed * pages.entries()).page;
    record_.capacity().store(needed * pages.entries());
    if (needed == 0) record_.page().store(0);
    for (std::uint32_t n = have - needed; n > 0; --n) {
      const std::uint32_t next = n > 1 ? pages.link(gone) : kNoPage;
      leave_page(gone, linked_bytes(), record_.written());
      gone = next;
    }
  }

  const G& g_;
  const DynamicListsRef& lists_;
  const Pages& pages_;
  const LiveRecord record_;
  Change change_{};                       // what count() has found
  mutable LinkedPlace slot_{kNoPage, 0};  // a marker to replace, if there is one
};

}  // namespace fathom::dynamic
