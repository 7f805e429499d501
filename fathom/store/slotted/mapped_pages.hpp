// The slotted pages of one direction in a mapped file, each checked before it is first read.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "fathom/store/mapped_sections.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::store {

/// What the sections say of the layout; nothing when the graph is not slotted.
/// @throws Error(BadInput) for widths that do not exist.
std::optional<SlottedLayout> slotted_layout(MappedSections& sections);

/// Invariant: pages that check() let pass have matched their checksums, and with the RVT that
/// lists() let pass, walking them reaches nothing else.
class MappedPages {
 public:
  /// Reads nothing yet. `sections` outlives it.
  MappedPages(MappedSections& sections, const SlottedLayout& layout, SectionId offsets,
              SectionId rvt, SectionId pages);

  /// Its check() is this object's. @throws Error(BadInput), Error(Io).
  SlottedLists lists(int threads);
  /// Reads the RVT alone. @throws as lists().
  SlottedStatistics statistics();
  void check(std::size_t first, std::size_t count);
  /// Checks a page again, known or not.
  void check_again(std::size_t page) const;

 private:
  void read_rvt(int threads);

  MappedSections& sections_;
  SlottedLayout layout_;
  SectionId offsets_, rvt_id_, pages_id_;
  std::once_flag opened_;
  SlottedLists lists_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // per page
};

}  // namespace fathom::store
