// Labels of a .fg file, looked up without loading them: only the blocks a search meets are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fathom/store/mapped_sections.hpp"

namespace fathom::store {

class LabelTable {
 public:
  explicit LabelTable(MappedSections& sections) : sections_(sections) {}

  /// @throws Error(Usage) when v is not a vertex; Error(BadInput) for a damaged file.
  std::string label(VertexId v);
  /// Binary search: O(log n) page touches.
  std::optional<VertexId> find(std::string_view label);

  /// Checks that labels ascend and the index agrees with them.
  /// @throws Error(BadInput) naming the first vertex where they do not.
  void verify(const Task& task);

 private:
  const Header& header() const { return sections_.layout().header; }
  std::string_view string_at(SectionId offsets, SectionId bytes, std::uint64_t i);
  std::uint64_t integer(VertexId v) {
    return sections_.touch_range<std::uint64_t>(SectionId::LabelIntegers, v, 1)[0];
  }
  std::string_view string(VertexId v) {
    return string_at(SectionId::LabelOffsets, SectionId::LabelBytes, v);
  }
  std::string_view index_string(std::uint64_t k) {
    return string_at(SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes, k);
  }
  std::optional<VertexId> find_integer(std::uint64_t label);
  std::optional<VertexId> find_string(std::string_view label);

  MappedSections& sections_;
};

}  // namespace fathom::store
