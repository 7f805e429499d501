// The edges of stored lists, a page of arrays at a time.
#pragma once

#include <vector>

#include "fathom/store/make/stored_lists.hpp"

namespace fathom::store {

/// Pages of edges in the order of the lists, with their sources. Memory: a page, and the offsets of
/// some thousand vertices.
class FATHOM_API EdgePages {
 public:
  static constexpr std::uint64_t kPageEdges = std::uint64_t{1} << 16;

  /// @param lists  outlives the pages.
  explicit EdgePages(StoredLists& lists, std::uint64_t page_edges = kPageEdges)
      : lists_(lists), page_edges_(page_edges) {}
  /// False at the end. @throws Error(BadInput), Error(Io).
  bool next();
  /// Edges of this page and those before it.
  EdgeId past() const { return past_; }

  // Of the page, an entry per edge; may be moved away.
  std::vector<VertexId> source, target;
  std::vector<Weight> weight;  // empty when unweighted

 private:
  void name_sources(EdgeId first);

  StoredLists& lists_;
  std::uint64_t page_edges_;
  EdgeId past_ = 0;
  std::uint64_t vertex_ = 0, first_offset_ = 0;
  std::vector<EdgeId> offsets_;
};

}  // namespace fathom::store
