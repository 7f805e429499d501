// What a handle to lists that change (LiveLists) is made of, by the library.
#pragma once

#include "fathom/dynamic/batches/batch_functors.hpp"
#include "fathom/dynamic/live/live_pages.hpp"
#include "fathom/dynamic/update.hpp"

namespace fathom {

/// A list and its lock, for each vertex of a direction.
struct LiveSide {
  dynamic::DynamicListsRef lists{};
  std::uint32_t* lock = nullptr;  // [vertices]
};

/// Indices that vertices get which a phase inserts.
struct LiveIndices {
  const VertexId* index = nullptr;  // [reserved], in this order
  std::uint64_t reserved = 0;
  std::uint64_t* taken = nullptr;  // how many were asked for, as long as there were any
};

/// `A`: as in LivePages.
template <class A>
struct LiveParts {
  LiveSide out, in;  // in.lock null: no in-lists
  dynamic::LivePages<A> pages{};
  std::uint32_t* exists = nullptr;  // a bit per vertex
  VertexId vertices = 0;            // with those that are reserved
  LiveIndices fresh{};
  bool directed = true;
  DuplicatePolicy duplicates = DuplicatePolicy::Ignore;

  /// The same with pages of a GPU's that come from elsewhere.
  template <class B>
  LiveParts<B> with(const B& arena) const {
    LiveParts<B> other{out, in};
    other.pages = {arena, pages.store, pages.counts, pages.retired, pages.retired_count};
    other.exists = exists;
    other.vertices = vertices;
    other.fresh = fresh;
    other.directed = directed;
    other.duplicates = duplicates;
    return other;
  }
};

}  // namespace fathom
