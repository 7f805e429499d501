// Lists on linked pages that ascend over all of their pages: faimGraph with sorted edges (section
// 4.2.5 of Winter's thesis, Figure 4.7). The thesis sweeps over list and updates once, and sorts
// the updates again whenever one changes places with an entry. Here a list is closed up from its
// beginning on and opened from its end on, as on a single page, so that every entry moves once each
// way: links are turned around for the way back. By one lane group per list. No containers, no
// threads, no CUDA.
#pragma once

#include "fathom/dynamic/lists/linked_body.hpp"

namespace fathom::dynamic {

/// Whether it is this one of the changes of a target that knows what the list has of it: entries
/// before those of the target, and how many there are of it.
FATHOM_HD bool knows_target(const Change& c, bool first_of_target) {
  return c.asks() || (c.kind == ChangeKind::Add && first_of_target);
}
/// The same of one of the changes of a list, which begin at `first`.
FATHOM_HD bool knows_target(const Change* c, const Change* first) {
  return knows_target(*c, c == first || c[-1].target != c->target);
}

/// The one that does of the changes [first, last) of one target.
FATHOM_HD const Change* change_that_knows(const Change* first, const Change* last) {
  return knows_target(first, first) ? first : last - 1;
}

/// Finds what changes, ascending by target, are about; reads no page behind the last of them, and
/// of pages without any the last entry alone.
template <LaneGroup G>
FATHOM_HD void locate_sorted(const G& g, const LinkedPages& pages, const DynamicList& list,
                             Change* first, Change* last) {
  Change* c = first;            // the first that is not on a page before
  Change* continued = nullptr;  // its entries fill the page before to the end
  std::uint32_t before = 0;     // entries
  for (std::uint32_t p = list.page; before < list.size && (c != last || continued);) {
    const PageRef page = pages.page(p);
    p = pages.link(p);
    const std::uint32_t rest = list.size - before;
    const std::uint32_t n = rest < pages.entries() ? rest : pages.entries();
    if (continued) {
      const std::uint32_t more = first_at_least(page, continued->target + 1, 0, n);
      g.ballot(true);  // another lane may have written what was found so far
      if (g.rank() == 0) continued->found += more;
      if (more < n) continued = nullptr;
    }
    const VertexId greatest = page.target(n - 1);
    if (c != last && c->target <= greatest) {
      Change* const end = c + (first_change(c, last, greatest + 1) - c);
      for (Change* k = c + g.rank(); k < end; k += g.size()) {
        if (!knows_target(k, first)) continue;
        const std::uint32_t at = first_at_least(page, k->target, 0, n);
        k->found = first_at_least(page, k->target + 1, at, n) - at;
        k->position = before + at;
      }
      Change* const of_greatest = c + (first_change(c, end, greatest) - c);
      if (of_greatest != end)
        continued = of_greatest + (change_that_knows(of_greatest, end) - of_greatest);
      c = end;
    }
    before += n;
  }
  const auto rest = static_cast<std::uint32_t>(last - c);
  for (std::uint32_t i = g.rank(); i < rest; i += g.size()) {
    c[i].found = 0;
    c[i].position = list.size;
  }
}

/// Copies n entries to a place before theirs, or on other pages; both places move on. Every lane
/// calls it.
template <class Data, LaneGroup G>
FATHOM_HD void move_on(const G& g, const LinkedPages& pages, LinkedPlace& from, LinkedPlace& to,
                       std::uint32_t n) {
  while (n > 0) {
    from = from.slot(pages, 0);
    to = to.slot(pages, 0);
    const std::uint32_t further = from.at > to.at ? from.at : to.at;
    const std::uint32_t round = n < pages.entries() - further ? n : pages.entries() - further;
    if (from.page != to.page || from.at != to.at)
      move_down<Data>(g, pages.page(from.page), from.at, pages.page(to.page), to.at, round);
    from.at += round;
    to.at += round;
    n -= round;
  }
}

/// Gives n entries from a place on what a change says of its edge. Every lane calls it.
template <LaneGroup G, class Data>
FATHOM_HD void set_entries(const G& g, const LinkedPages& pages, LinkedPlace at, std::uint32_t n,
                           const Change& c, const Data& data) {
  if (g.rank() == 0)
    for (; n > 0; --n, ++at.at) {
      at = at.slot(pages, 0);
      pages.page(at.page).set_data(at.at, c.weight, data);
    }
  g.ballot(true);
}

/// Applies removals, new weights and fields, and with `add` what is added too, writing from the
/// list on to `to`: its own beginning, or with `add` other pages. Returns the new size.
template <LaneGroup G, class Data>
FATHOM_HD std::uint32_t rewrite_sorted(const G& g, const LinkedPages& pages,
                                       const DynamicList& list, const Change* first,
                                       const Change* last, const Data& data, LinkedPlace to,
                                       bool add) {
  LinkedPlace from{list.page, 0};
  std::uint32_t read = 0, size = list.size;
  const auto keep_until = [&](std::uint32_t end) {
    move_on<Data>(g, pages, from, to, end - read);
    read = end;
  };
  for (const Change* c = first; c != last; ++c) {
    if (c->kind == ChangeKind::Remove && (c->found != 0 || add)) {
      keep_until(c->position);
      from = from.after(pages, c->found);
      read += c->found;
      size -= c->found;
    } else if (c->kind == ChangeKind::Set && c->found != 0) {
      keep_until(c->position);
      const LinkedPlace its = to;
      keep_until(c->position + c->found);
      set_entries(g, pages, its, c->found, *c, data);
    } else if (add && c->growth() > 0) {
      if (knows_target(c, first)) keep_until(c->position + c->found);
      to = to.slot(pages, 0);
      if (g.rank() == 0) pages.page(to.page).put(to.at, c->target, c->weight, data);
      ++to.at;
      ++size;
    }
  }
  if (add || size != list.size) keep_until(list.size);
  return size;
}

/// Makes room for entries between those of a list from its end on.
///
/// Invariants: the links of pages from `first` to write.page name the page before, none that of
/// `first`, and those behind write.page the next one again; `behind` is the first of these; `read`
/// is not behind `write`.
template <LaneGroup G, class Data>
struct OpenedList {
  const G& g;
  const LinkedPages& pages;
  const Data& data;
  std::uint32_t first = 0, behind = kNoPage;
  LinkedPlace read = {}, write = {};  // behind the entry that comes next, on the way back

  /// `left` entries from `at` on are to make room for `added`, for which there are pages.
  FATHOM_HD void open(LinkedPlace at, std::uint32_t left, std::uint32_t added) {
    first = at.page;
    read = {first, at.at + left};
    write = {first, at.at + left + added};
    for (std::uint32_t back = kNoPage;;) {
      const std::uint32_t page = write.page;
      behind = pages.link(page);
      set_link(page, back);
      if (write.at <= pages.entries()) return;
      if (read.at > pages.entries()) read = {behind, read.at - pages.entries()};
      write = {behind, write.at - pages.entries()};
      back = page;
    }
  }
  FATHOM_HD void move_up(std::uint32_t n) {
    while (n > 0) {
      if (read.at == 0) read = {pages.link(read.page), pages.entries()};
      step_back_from_begin();
      const std::uint32_t nearer = read.at < write.at ? read.at : write.at;
      const std::uint32_t round = n < nearer ? n : nearer;
      read.at -= round;
      write.at -= round;
      n -= round;
      const PageRef in = pages.page(read.page), out = pages.page(write.page);
      if (read.page == write.page)
        dynamic::move_up<Data>(g, in, read.at, write.at, round);
      else
        move_down<Data>(g, in, read.at, out, write.at, round);
    }
  }
  FATHOM_HD void put(const Change& c) {
    step_back_from_begin();
    --write.at;
    if (g.rank() == 0) pages.page(write.page).put(write.at, c.target, c.weight, data);
    g.ballot(true);
  }
  FATHOM_HD void close() {
    while (write.page != first) step_back();
    set_link(first, behind);
  }

 private:
  FATHOM_HD void set_link(std::uint32_t page, std::uint32_t link) const {
    g.ballot(true);  // all have read it
    if (g.rank() == 0) pages.link(page) = link;
    g.ballot(true);
  }
  FATHOM_HD void step_back_from_begin() {
    if (write.at == 0) step_back();
  }
  FATHOM_HD void step_back() {
    const LinkedPlace before{pages.link(write.page), pages.entries()};
    set_link(write.page, behind);
    behind = write.page;
    write = before;
  }
};

/// What changes of lists add to one that has been closed up, from the last target on.
struct SortedAdditions {
  const Change* first;
  const Change* last;
  std::uint32_t removed = 0;  // entries that the changes have removed
  std::uint32_t added = 0;

  FATHOM_HD SortedAdditions(const Change* from, const Change* to) : first(from), last(to) {
    for (const Change* c = first; c != last; ++c) {
      removed += removed_by(*c);
      added += c->growth() > 0 ? 1 : 0;
    }
  }
  FATHOM_HD static std::uint32_t removed_by(const Change& c) {
    return c.kind == ChangeKind::Remove ? c.found : 0;
  }
  /// Where additions to the target of a change that knows_target() go, when so many entries before
  /// it have been removed.
  FATHOM_HD static std::uint32_t place_of(const Change& c, std::uint32_t removed_before) {
    return c.position + (c.kind == ChangeKind::Remove ? 0 : c.found) - removed_before;
  }
  /// Where the first one goes; there is one.
  FATHOM_HD std::uint32_t first_place() const {
    std::uint32_t removed_before = 0, place = 0;
    for (const Change* c = first;; ++c) {
      if (knows_target(c, first)) place = place_of(*c, removed_before);
      if (c->growth() > 0) return place;
      removed_before += removed_by(*c);
    }
  }
  /// Calls add(place, from, to) for the changes [from, to) of each target some of which add to it.
  template <class Add>
  FATHOM_HD void each_target_back(const Add& add) const {
    std::uint32_t removed_before = removed, to_come = added;
    for (const Change* end = last; to_come != 0;) {
      const Change* begin = end;
      std::uint32_t adds = 0;
      do {
        --begin;
        adds += begin->growth() > 0 ? 1 : 0;
      } while (begin != first && begin[-1].target == begin->target);
      const Change& its = *change_that_knows(begin, end);
      removed_before -= removed_by(its);
      if (adds != 0) add(place_of(its, removed_before), begin, end);
      to_come -= adds;
      end = begin;
    }
  }
};

/// Puts what is added into its places; removals have been done, `size` entries are left, and there
/// are pages for the rest.
template <LaneGroup G, class Data>
FATHOM_HD void insert_sorted(const G& g, const LinkedPages& pages, std::uint32_t head,
                             const Change* first, const Change* last, const Data& data,
                             std::uint32_t size) {
  const SortedAdditions additions(first, last);
  if (additions.added == 0) return;
  const std::uint32_t begin = additions.first_place();
  OpenedList<G, Data> list{g, pages, data};
  list.open(LinkedPlace{head, 0}.after(pages, begin), size - begin, additions.added);
  std::uint32_t read = size;
  additions.each_target_back([&](std::uint32_t place, const Change* from, const Change* to) {
    list.move_up(read - place);
    read = place;
    while (to != from)
      if ((--to)->growth() > 0) list.put(*to);
  });
  list.close();
}

/// Applies changes to a list where it is. Fresh pages have been chained behind it.
template <LaneGroup G, class Data>
FATHOM_HD void change_sorted(const G& g, const LinkedPages& pages, const DynamicList& list,
                             const Change* first, const Change* last, const Data& data) {
  const LinkedPlace begin{list.page, 0};
  const std::uint32_t left = rewrite_sorted(g, pages, list, first, last, data, begin, false);
  insert_sorted(g, pages, list.page, first, last, data, left);
}

}  // namespace fathom::dynamic
