// The narrow lists of one direction in a mapped file, checked when first asked for.
#pragma once

#include <mutex>
#include <optional>

#include "fathom/store/mapped_sections.hpp"
#include "fathom/store/narrow/narrow.hpp"

namespace fathom::store {

/// What the sections say of the layout; nothing when the graph is not narrow.
/// @throws Error(BadInput) for widths that do not exist.
std::optional<NarrowLayout> narrow_layout(MappedSections& sections);

/// Invariant: of what lists() returned every id is a vertex and every code has a value.
class MappedNarrow {
 public:
  /// Reads nothing yet. `sections` outlives it.
  MappedNarrow(MappedSections& sections, const NarrowLayout& layout, SectionId offsets,
               SectionId entries)
      : sections_(sections), layout_(layout), offsets_(offsets), entries_(entries) {}

  /// @throws Error(BadInput), Error(Io).
  NarrowLists lists(int threads);

 private:
  MappedSections& sections_;
  NarrowLayout layout_;
  SectionId offsets_, entries_;
  std::once_flag checked_;
};

}  // namespace fathom::store
