// Making, checking and taking apart single slotted pages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::store {

/// The layout that options mean. Does not check them.
SlottedLayout layout_of(const SlottedOptions& options, bool weighted);

/// The first pass: decides which vertices share a page, given their degrees in order.
///
/// A small page takes vertices until the next does not fit or its slot numbers are used up; a
/// vertex that no page can hold gets large pages to itself.
class FATHOM_API Paginator {
 public:
  /// `keep`: the RVT is wanted, not only the number of pages.
  explicit Paginator(const SlottedLayout& layout, bool keep = true)
      : layout_(layout), keep_(keep) {}

  void add(EdgeId degree);
  /// Closes the last page.
  void finish();

  /// Pages so far; more than the layout has ids for are counted, but not kept.
  std::uint64_t pages() const { return pages_; }
  bool fits() const { return pages_ <= layout_.most_pages(); }
  /// Without checksums. Meaningful when fits().
  std::vector<RvtEntry> take() { return std::move(rvt_); }

 private:
  void put(const RvtEntry& entry);
  void close();

  SlottedLayout layout_;
  bool keep_;
  std::uint64_t next_vertex_ = 0, pages_ = 0;
  std::uint64_t used_ = 0, slots_ = 0, entries_ = 0;  // of the page that is open
  std::vector<RvtEntry> rvt_;
};

/// Calls its argument with the degree of each vertex, in order; as often as asked.
using EachDegree = FunctionRef<void(FunctionRef<void(EdgeId)>)>;

/// @throws Error(DoesNotFit): so many pages have no ids, and which configuration has.
[[noreturn]] FATHOM_API void refuse_page_count(const SlottedOptions& asked, bool weighted,
                                               std::uint64_t pages, EachDegree each_degree);

/// The second pass: writes pages, any number of them at a time.
class FATHOM_API PageEncoder {
 public:
  /// All are kept by reference.
  PageEncoder(const SlottedLayout& layout, std::span<const RvtEntry> rvt, const RvtTables& tables)
      : layout_(layout), rvt_(rvt), tables_(tables) {}

  /// Writes page `p`, all layout.page_bytes of it. `offset`: the offsets of its vertices, and one
  /// more; `target`, `weight`: its entries.
  void encode(std::size_t p, std::span<const EdgeId> offset, std::span<const VertexId> target,
              std::span<const Weight> weight, std::span<std::byte> page) const;

 private:
  std::byte* put_entries(std::span<const VertexId> target, std::span<const Weight> weight,
                         std::byte* at) const;

  SlottedLayout layout_;
  std::span<const RvtEntry> rvt_;
  const RvtTables& tables_;
};

/// Whether the RVT makes sense by itself: pages follow each other, hold no more than they can, and
/// cover all vertices and edges. What is wrong, or nothing.
FATHOM_API std::string fault_of_rvt(const SlottedLayout& layout, std::span<const RvtEntry> rvt,
                                    std::uint64_t vertices, EdgeId edges);

/// Whether a page is what the RVT says: slots, records, and record ids of vertices that exist. With
/// a sound RVT, walking a sound page reaches nothing outside of both. What is wrong, or nothing.
FATHOM_API std::string fault_of_page(const SlottedLists& lists, std::size_t p,
                                     const std::byte* page);

/// The entries of a page in order: targets, and weights unless `weight` is empty.
FATHOM_API void decode_page(const SlottedLayout& layout, std::span<const RvtEntry> rvt,
                            std::size_t p, const std::byte* page, std::span<VertexId> target,
                            std::span<Weight> weight);

/// The number of vertices that page `p` has slots for.
inline std::uint64_t slots_of(std::span<const RvtEntry> rvt, std::size_t p,
                              std::uint64_t vertices) {
  if (rvt[p].lp_count != 0) return 1;
  return (p + 1 < rvt.size() ? rvt[p + 1].start_vid : vertices) - rvt[p].start_vid;
}

}  // namespace fathom::store
