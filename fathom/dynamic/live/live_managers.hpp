// The lists of a phase of changes whose pages kernels take from a manager of fathom/memory: as
// LiveLists, by another type for each manager, so that kernels have the code of one.
#pragma once

#include <string>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "fathom/dynamic/pages/live_arenas.hpp"

namespace fathom {

/// `Variant`: memory::SP to memory::VLC.
template <class Variant>
using LiveListsOfManager = LiveListsOf<dynamic::LiveArenas<memory::Ouroboros<Variant>>>;

/// The lists of a graph in a GPU's memory whose allocator has this variant, which is not checked.
template <class Variant>
LiveListsOfManager<Variant> live_lists_of(const LiveChanges& changing) {
  using Manager = memory::Ouroboros<Variant>;
  const dynamic::LiveManager& its = changing.manager();
  return LiveListsOfManager<Variant>(changing.parts().with(dynamic::LiveArenas<Manager>{
      changing.parts().pages.arena,
      {{its.region, static_cast<const dynamic::Arena<Manager>*>(its.arena)}, its.turns}}));
}

/// visit(lists), whichever the allocator of the graph is: LiveLists or those of its manager. For
/// each of seven types a kernel that `visit` starts is compiled; who knows the allocator calls
/// lists() or live_lists_of().
template <class Visit>
decltype(auto) visit_live_lists(const LiveChanges& changing, Visit&& visit) {
  switch (changing.manager().allocator) {
    case PageAllocator::SP:
      return visit(live_lists_of<memory::SP>(changing));
    case PageAllocator::SC:
      return visit(live_lists_of<memory::SC>(changing));
    case PageAllocator::VAP:
      return visit(live_lists_of<memory::VAP>(changing));
    case PageAllocator::VAC:
      return visit(live_lists_of<memory::VAC>(changing));
    case PageAllocator::VLP:
      return visit(live_lists_of<memory::VLP>(changing));
    case PageAllocator::VLC:
      return visit(live_lists_of<memory::VLC>(changing));
    case PageAllocator::Pool:
    case PageAllocator::Cuda:
      break;
  }
  return visit(changing.lists());
}

}  // namespace fathom
