// Lists on linked pages of one size, in the order in which edges came: aimGraph, whose deletions
// leave markers that insertions fill and whose pages stay with their vertex (chapter 3 of Winter's
// thesis), and faimGraph, whose lists close up and give pages back (chapter 4). Lists of the latter
// that ascend are in sorted_links.hpp. By one lane group per list. No containers, no threads, no
// CUDA.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/bits.hpp"
#include "fathom/dynamic/lists/list_body.hpp"

namespace fathom::dynamic {

/// Pages of all lists.
struct LinkedPages {
  std::uint32_t* region;
  DynamicLayout layout;

  FATHOM_HD std::uint32_t entries() const { return layout.link_entries(); }
  FATHOM_HD PageRef page(std::uint32_t p) const { return page_of(region, layout, p, entries()); }
  FATHOM_HD std::uint32_t& link(std::uint32_t p) const {
    return region[std::size_t{p} * (kDynamicUnit / 4) + layout.link_words - 1];
  }
  FATHOM_HD std::uint32_t pages_for(std::uint32_t size) const {
    return size / entries() + (size % entries() != 0 ? 1 : 0);
  }
};

/// An entry of a list. `at` may be the number of entries of a page: the next page is not looked up
/// before it is needed.
struct LinkedPlace {
  std::uint32_t page = 0, at = 0;

  FATHOM_HD LinkedPlace after(const LinkedPages& pages, std::uint32_t n) const {
    LinkedPlace p = *this;
    while (p.at + n > pages.entries()) {
      n -= pages.entries() - p.at;
      p = {pages.link(p.page), 0};
    }
    p.at += n;
    return p;
  }
  /// Where the entry n further on is written.
  FATHOM_HD LinkedPlace slot(const LinkedPages& pages, std::uint32_t n) const {
    const LinkedPlace p = after(pages, n);
    return p.at == pages.entries() ? LinkedPlace{pages.link(p.page), 0} : p;
  }
};

/// The first of the changes, ascending by target, whose target is at least v.
FATHOM_HD const Change* first_change(const Change* first, const Change* last, VertexId v) {
  while (first != last) {
    const Change* const middle = first + (last - first) / 2;
    if (middle->target < v)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// The change that asks for an entry to v: the first of its target or the last (see decide()); null
/// where there is none.
FATHOM_HD const Change* change_of(const Change* first, const Change* last, VertexId v) {
  const Change* c = first_change(first, last, v);
  if (c == last || c->target != v) return nullptr;
  if (c->kind == ChangeKind::None) c = first_change(c, last, v + 1) - 1;
  return c->asks() ? c : nullptr;
}

/// Whether entry i of a page, the rank-th of those that the lanes look at, is an edge when `left`
/// edges are still to come.
FATHOM_HD bool is_edge(const LinkedPages& pages, const PageRef& page, std::uint32_t i,
                       std::uint32_t rank, std::uint32_t left) {
  if (i >= pages.entries()) return false;
  // Behind the last edge of a list that has no markers lies anything.
  return pages.layout.markers ? page.target(i) != kDeletedEdge : rank < left;
}

/// Every `parts`-th page of a list, for one of so many groups that share it.
struct PageShare {
  std::uint32_t part = 0, parts = 1;
};

/// Counts how many entries each change finds on a share of the pages. The links are followed by
/// all who share a list. @return its last page, kNoPage if it has none
template <LaneGroup G>
FATHOM_HD std::uint32_t locate_linked(const G& g, const LinkedPages& pages, const DynamicList& list,
                                      Change* first, Change* last, const PageShare& share = {}) {
  const std::uint32_t count = pages.pages_for(list.capacity);
  std::uint32_t left = list.size;  // edges from this page on, at most
  std::uint32_t tail = kNoPage, mine = share.part;
  for (std::uint32_t k = 0, p = list.page, next = p; k < count; ++k, p = next) {
    if (k + 1 < count) next = pages.link(p);
    tail = p;
    if (!pages.layout.markers) left = list.size - k * pages.entries();
    if (k != mine || left == 0) continue;
    mine += share.parts;
    const PageRef page = pages.page(p);
    for (std::uint32_t base = 0; base < pages.entries() && left > 0; base += g.size()) {
      const std::uint32_t i = base + g.rank();
      const bool live = is_edge(pages, page, i, g.rank(), left);
      if (live)
        if (const Change* c = change_of(first, last, page.target(i)))
          AtomicRef(first[c - first].found).fetch_add(1);
      left -= count_bits(g.ballot(live));
    }
  }
  return tail;
}

/// Chains pages [first, first + n) of `fresh`; those of lists with markers are filled with them.
/// Every lane calls it.
template <LaneGroup G, class Fresh>
FATHOM_HD void chain(const G& g, const LinkedPages& pages, const Fresh& fresh, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k) {
    const PageRef page = pages.page(fresh(k));
    if (pages.layout.markers)
      for (std::uint32_t i = g.rank(); i < pages.entries(); i += g.size())
        page.words[std::size_t{i} * page.step] = kDeletedEdge;
    if (g.rank() == 0) pages.link(fresh(k)) = k + 1 < n ? fresh(k + 1) : kNoPage;
  }
  g.ballot(true);
}

/// Whether changes ask for entries that are there. Every lane calls it.
template <LaneGroup G>
FATHOM_HD bool alters_entries(const G& g, const Change* first, const Change* last) {
  bool alters = false;
  const auto changes = static_cast<std::uint32_t>(last - first);
  for (std::uint32_t i = g.rank(); i < changes && !alters; i += g.size())
    alters = first[i].found != 0 &&
             (first[i].kind == ChangeKind::Remove || first[i].kind == ChangeKind::Set);
  return g.ballot(alters) != 0;
}

/// Copies what the changes leave of a list to `to`, without gaps, and then what they add. `to` may
/// be the beginning of the list itself. `tail`: the last page of a list without markers, if it is
/// known. Returns the place behind the last entry.
template <LaneGroup G, class Data>
FATHOM_HD LinkedPlace rewrite_linked(const G& g, const LinkedPages& pages, const DynamicList& list,
                                     const Change* first, const Change* last, const Data& data,
                                     LinkedPlace to, std::uint32_t tail = kNoPage) {
  const std::uint32_t before = (1u << g.rank()) - 1;
  std::uint32_t left = list.size;
  if (to.page == list.page && !alters_entries(g, first, last)) {
    to = tail == kNoPage ? to.after(pages, left)
                         : LinkedPlace{tail, left - (pages.pages_for(left) - 1) * pages.entries()};
    left = 0;
  }
  std::uint32_t next = list.page;
  for (std::uint32_t p = next; left > 0; p = next) {
    next = pages.link(p);
    const PageRef page = pages.page(p);
    for (std::uint32_t base = 0; base < pages.entries() && left > 0; base += g.size()) {
      const std::uint32_t i = base + g.rank();
      const bool live = is_edge(pages, page, i, g.rank(), left);
      const std::uint32_t all = g.ballot(live);
      VertexId v = 0;
      Weight w = 1;
      bool stays = live;
      const Change* set = nullptr;
      if (live) {
        v = page.target(i);
        w = page.weight(i);
        if (const Change* c = change_of(first, last, v)) {
          stays = c->kind != ChangeKind::Remove;
          if (c->kind == ChangeKind::Set) set = c, w = data.weight(c->weight);
        }
      }
      const std::uint32_t kept = g.ballot(stays);  // all have read
      const LinkedPlace at = stays ? to.slot(pages, count_bits(kept & before)) : LinkedPlace{};
      if (stays) pages.page(at.page).set(at.at, v, w);
      move_fields<Data>(
          g, page.fields, stays,
          [&](std::uint32_t k) { return set ? data.field_word(set->weight, k) : page.field(i, k); },
          [&](std::uint32_t k, std::uint32_t word) { pages.page(at.page).field(at.at, k) = word; });
      to = to.after(pages, count_bits(kept));
      left -= count_bits(all);
      g.ballot(true);
    }
  }
  for (const Change* c = first; c < last; c += g.size()) {
    const bool mine = g.rank() < last - c && c[g.rank()].growth() > 0;
    const std::uint32_t adds = g.ballot(mine);
    if (mine) {
      const LinkedPlace at = to.slot(pages, count_bits(adds & before));
      pages.page(at.page).put(at.at, c[g.rank()].target, c[g.rank()].weight, data);
    }
    to = to.after(pages, count_bits(adds));
  }
  return to;
}

/// Applies changes to a list with markers where it is: entries that go become markers, and what is
/// added takes their places from the beginning on. Fresh pages have been chained behind it.
template <LaneGroup G, class Data>
FATHOM_HD void mark_and_fill(const G& g, const LinkedPages& pages, std::uint32_t head,
                             const Change* first, const Change* last, const Data& data) {
  const auto sum = [](std::uint32_t a, std::uint32_t b) { return a + b; };
  const auto changes = static_cast<std::uint32_t>(last - first);
  std::uint32_t pending = 0, hits = 0;
  for (std::uint32_t i = g.rank(); i < changes; i += g.size()) {
    const Change& c = first[i];
    pending += c.growth() > 0 ? 1 : 0;
    if (c.kind == ChangeKind::Remove || c.kind == ChangeKind::Set) hits += c.found;
  }
  pending = reduce(g, pending, sum);
  hits = reduce(g, hits, sum);
  const Change* add = first;
  for (std::uint32_t p = head; pending + hits > 0; p = pages.link(p)) {
    const PageRef page = pages.page(p);
    for (std::uint32_t base = 0; base < pages.entries() && pending + hits > 0; base += g.size()) {
      const std::uint32_t i = base + g.rank();
      const bool there = i < pages.entries();
      bool marked = there && page.target(i) == kDeletedEdge, hit = false;
      if (there && !marked && hits > 0) {
        if (const Change* c = change_of(first, last, page.target(i))) {
          hit = c->kind == ChangeKind::Remove || c->kind == ChangeKind::Set;
          marked = c->kind == ChangeKind::Remove;
          if (marked) page.words[std::size_t{i} * page.step] = kDeletedEdge;
          if (c->kind == ChangeKind::Set) page.set_data(i, c->weight, data);
        }
      }
      hits -= count_bits(g.ballot(hit));
      for (std::uint32_t free = g.ballot(marked); free != 0 && pending > 0; free &= free - 1) {
        while (add->growth() <= 0) ++add;
        if ((free & (0u - free)) == 1u << g.rank()) page.put(i, add->target, add->weight, data);
        ++add;
        --pending;
      }
      g.ballot(true);
    }
  }
}

}  // namespace fathom::dynamic
